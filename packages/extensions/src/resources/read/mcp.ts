/** Reads the MCP servers out of the settings of any program: JSON with comments, or TOML. */
import { stripControls, isRecord } from "@tau/utils";

import type { McpServer } from "../capabilities.ts";
import { errorLine } from "../../discovery/error-line.ts";
import { limits } from "../../discovery/limits.ts";
import { nothing, type Findings, type Origin, type Warning } from "../../discovery/types.ts";
import { readText } from "../../discovery/walk.ts";

/** `keys`: the first that exists holds the servers. */
export function findMcpServers(origin: Origin, keys: readonly string[]): Findings<McpServer> {
	const { path } = origin;
	const read = readText(path, limits.configBytes);
	if (!read) return nothing();
	if (!read.ok) return leftOut(path, read.message);
	const parsed = parse(path, read.text);
	if (!parsed.ok) return leftOut(path, parsed.message, parsed.line);
	const servers = keys.map((key) => valueAt(parsed.value, key)).find((value) => value !== undefined);
	if (servers === undefined) return nothing();
	if (!isRecord(servers)) return leftOut(path, `${keys[0]} is not a map of servers`);
	const findings = nothing<McpServer>();
	for (const [name, server] of Object.entries(servers).slice(0, limits.perDirectory)) {
		const how = howToReach(server);
		const item = { name: stripControls(name, { newline: false, tab: false }), origin };
		if (how) findings.items.push({ ...item, ...how, isOff: isOff(server) });
		else
			findings.warnings.push({
				path,
				message: `${item.name} has neither a command nor a url`,
				isLeftOut: true,
			});
	}
	return findings;
}

type Parsed = { ok: true; value: unknown } | { ok: false; message: string; line?: number };

function parse(path: string, text: string): Parsed {
	const isToml = path.endsWith(".toml");
	try {
		return { ok: true, value: isToml ? Bun.TOML.parse(text) : parseJson(text) };
	} catch (error) {
		const line = errorLine(text, isToml ? Bun.TOML.parse : Bun.JSONC.parse);
		const message = error instanceof Error ? error.message : String(error);
		return { ok: false, message, ...(line === undefined ? {} : { line }) };
	}
}

/** The fast way first: most files have no comments, and some are megabytes. */
function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// This parser accepts comments and trailing commas, and reports other errors with their position.
		return Bun.JSONC.parse(text);
	}
}

/** Returns only what identifies the server for the user: arguments, headers and variables may be secret. */
function howToReach(server: unknown): Pick<McpServer, "transport" | "target"> | undefined {
	if (!isRecord(server)) return undefined;
	const command: unknown = Array.isArray(server.command) ? server.command[0] : server.command;
	if (typeof command === "string") return { transport: "stdio", target: clean(command) };
	const address = [server.url, server.httpUrl, server.serverUrl].find((value) => typeof value === "string");
	return typeof address === "string"
		? { transport: "http", target: withoutSecrets(clean(address)) }
		: undefined;
}

/** Keys are found in queries and before the `@`. */
function withoutSecrets(address: string): string {
	if (!URL.canParse(address)) return address.split("?")[0] ?? "";
	const { protocol, host, pathname } = new URL(address);
	return `${protocol}//${host}${pathname}`;
}

function isOff(server: unknown): boolean {
	return isRecord(server) && (server.enabled === false || server.disabled === true);
}

function clean(text: string): string {
	return stripControls(text, { newline: false, tab: false });
}

/** `a/b` is the key `b` of the group `a`. */
function valueAt(value: unknown, path: string): unknown {
	return path.split("/").reduce((at, key) => (isRecord(at) ? at[key] : undefined), value);
}

function leftOut(path: string, message: string, line?: number): Findings<McpServer> {
	const warning: Warning = { path, message, isLeftOut: true, ...(line === undefined ? {} : { line }) };
	return { items: [], warnings: [warning] };
}
