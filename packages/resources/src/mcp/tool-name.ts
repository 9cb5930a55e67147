/** Names tools of servers so that every provider accepts them and no two are the same. */
import { limits } from "./limits.ts";

const hashChars = 6;

/** `mcp_<server>_<tool>`; the part of the server is not repeated. */
export function toolNameOf(server: string, tool: string, prefix = toolPrefix(server)): string {
	const [serverPart, toolPart] = [plainName(server), plainName(tool)];
	const rest = toolPart.startsWith(`${serverPart}_`) ? toolPart.slice(serverPart.length + 1) : toolPart;
	return shortened(`${prefix}${rest === "" ? "tool" : rest}`, `${server}\0${tool}`);
}

/** Whether a tool of this server may have the name; the end of a long name is a hash. */
export function mayBeOf(server: string, toolName: string): boolean {
	return toolName.startsWith(toolPrefix(server).slice(0, limits.toolNameChars - hashChars - 1));
}

export function toolPrefix(server: string): string {
	return `mcp_${plainName(server)}_`;
}

/**
 * Whether a name in a list of tools means this tool: `mcp_github_search`, or as Claude Code writes it
 * `mcp__github__search`; `mcp__github` and `mcp__github__*` mean all tools of a server, `mcp__*` those of all servers.
 */
export function meansServerTool(written: string, name: string): boolean {
	const [, server, tool = "*"] = /^mcp__(.+?)(?:__(.+))?$/i.exec(written) ?? [];
	if (server === undefined) return written.toLowerCase() === name;
	if (tool !== "*") return name === toolNameOf(server, tool);
	return name.startsWith(server === "*" ? "mcp_" : toolPrefix(server));
}

/** Different names may become the same when they are made plain: the later one gets a suffix that does not change. */
export function uniqueName(name: string, identity: string, isTaken: (name: string) => boolean): string {
	if (!isTaken(name)) return name;
	// A prefix stays one.
	const suffix = name.endsWith("_") ? `${hashOf(identity)}_` : `_${hashOf(identity)}`;
	return shortened(`${name}${suffix}`, identity);
}

function plainName(text: string): string {
	const plain = text
		.toLowerCase()
		.replaceAll(/[^a-z0-9_]+/g, "_")
		.replaceAll(/_+/g, "_")
		.replaceAll(/^_|_$/g, "");
	return plain === "" ? hashOf(text) : plain;
}

function shortened(name: string, identity: string): string {
	if (name.length <= limits.toolNameChars) return name;
	const end = `_${hashOf(identity)}`;
	return `${name.slice(0, limits.toolNameChars - end.length)}${end}`;
}

function hashOf(text: string): string {
	return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, hashChars);
}
