/** Resources of servers as `mcp://server/uri`, in `read` and in mentions, and their prompts as `/server:prompt`. */
import type { Prompt } from "@tau/session";
import { UserError } from "@tau/session/run";
import type { ToolEnv } from "@tau/tools/tool";
import type { UrlHandler } from "@tau/tools/urls";
import { oneLine, stripControls } from "@tau/utils";

import type { ServerConnection } from "./connection.ts";
import { describe } from "./failure.ts";
import { limits } from "./limits.ts";
import { resourceText } from "./result-content.ts";

/** The servers that can be asked now. */
type Servers = () => Promise<readonly ServerConnection[]>;

export function resourceUrls(servers: Servers): UrlHandler {
	return {
		form: "<server>/<uri>",
		about: "resources of MCP servers; mcp:// lists them",
		async resolve(rest, env, signal) {
			const all = await servers();
			const [name = "", ...path] = rest.split("/");
			if (name === "") return { ok: true, text: await listAll(all, signal) };
			const server = all.find(({ found }) => found.name === name);
			if (!server)
				return {
					ok: false,
					reason: `There is no MCP server ${oneLine(name, limits.logLineChars)}. Available: ${namesOf(all)}.`,
				};
			const uri = path.join("/");
			if (uri === "") return { ok: true, text: await listOne(server, signal) };
			return await readOne(server, uri, env, signal);
		},
	};
}

async function readOne(
	server: ServerConnection,
	uri: string,
	env: ToolEnv,
	signal: AbortSignal,
): Promise<{ ok: true; text: string } | { ok: false; reason: string }> {
	try {
		const result = await server.request((client, options) => client.readResource({ uri }, options), signal);
		return { ok: true, text: stripControls(resourceText(result, server.found.name, env)) };
	} catch (error) {
		return { ok: false, reason: `${server.found.name}: ${describe(error)}` };
	}
}

async function listAll(servers: readonly ServerConnection[], signal: AbortSignal): Promise<string> {
	const lists = await Promise.all(servers.map((server) => listOne(server, signal)));
	return lists.join("\n") || "No MCP server is running.";
}

async function listOne(server: ServerConnection, signal: AbortSignal): Promise<string> {
	const { name } = server.found;
	try {
		const resources = await server.request(
			async (client, options) => (await client.listResources(undefined, options)).resources,
			signal,
		);
		const resourceTemplates = await server
			.request(
				async (client, options) => (await client.listResourceTemplates(undefined, options)).resourceTemplates,
				signal,
				// Many servers have none, and say so with an error.
			)
			.catch(() => []);
		const lines = [
			...resources.map((one) => ({ uri: one.uri, about: one.description ?? one.title ?? one.name })),
			...resourceTemplates.map((one) => ({
				uri: one.uriTemplate,
				about: one.description ?? one.title ?? one.name,
			})),
		]
			.slice(0, limits.resources)
			.map(({ uri, about }) => oneLine(stripControls(`mcp://${name}/${uri}  ${about}`), limits.logLineChars));
		return lines.join("\n") || `${name} has no resources.`;
	} catch (error) {
		return `${name}: ${describe(error)}`;
	}
}

/** Fills in what a prompt takes from servers. Throws a UserError when that is not possible. */
export async function expandForServers(
	prompt: Prompt,
	servers: Servers,
	env: ToolEnv,
	signal: AbortSignal,
): Promise<Prompt> {
	if (prompt.source === "extension") return prompt;
	const called = await calledPrompt(prompt, servers, signal);
	const expanded = called ?? prompt;
	const mentions = [...expanded.text.matchAll(/(?:^|\s)@mcp:\/\/([\w.-]+)\/(\S+)/g)].slice(
		0,
		limits.resultBlocks,
	);
	if (mentions.length === 0) return expanded;
	const all = await servers();
	const blocks = await Promise.all(
		mentions.map(async ([, name = "", uri = ""]) => {
			const server = all.find(({ found }) => found.name === name);
			if (!server) throw new UserError(`There is no MCP server ${name}.`);
			const read = await readOne(server, uri, env, signal);
			if (!read.ok) throw new UserError(read.reason);
			return `<file name="mcp://${name}/${uri.replaceAll('"', "&quot;")}">\n${read.text}\n</file>`;
		}),
	);
	return {
		...expanded,
		text: [...blocks, expanded.text].join("\n\n"),
		invocation: expanded.invocation ?? prompt.text,
	};
}

/** `/server:prompt name=value words`: words fill the arguments in their order, the last one takes the rest. */
async function calledPrompt(
	prompt: Prompt,
	servers: Servers,
	signal: AbortSignal,
): Promise<Prompt | undefined> {
	const [whole, name = "", promptName = "", rest = ""] =
		/^\/([\w.-]+):(\S+)(?:\s+(.*))?$/s.exec(prompt.text.trim()) ?? [];
	if (whole === undefined) return undefined;
	const server = (await servers()).find(({ found }) => found.name === name);
	const definition = server?.prompts.find((one) => one.name === promptName);
	if (!server || !definition) return undefined;
	const names = definition.arguments?.map((one) => one.name) ?? [];
	const args = argumentsOf(rest, names);
	const missing = definition.arguments?.filter((one) => one.required && args[one.name] === undefined) ?? [];
	if (missing.length > 0)
		throw new UserError(
			`/${name}:${promptName} needs ${missing.map((one) => one.name).join(", ")}: /${name}:${promptName} ${names.join(" ")}`,
		);
	try {
		const { messages } = await server.request(
			(client, options) => client.getPrompt({ name: promptName, arguments: args }, options),
			signal,
		);
		const texts = messages.map(({ content }) => {
			if (content.type === "text") return content.text;
			return content.type === "resource" && "text" in content.resource
				? content.resource.text
				: `(${content.type})`;
		});
		return { ...prompt, text: stripControls(texts.join("\n\n")), invocation: prompt.text.trim() };
	} catch (error) {
		throw new UserError(`/${name}:${promptName}: ${describe(error)}`);
	}
}

function argumentsOf(text: string, names: readonly string[]): Record<string, string> {
	const args: Record<string, string> = {};
	const left = text.replaceAll(/(?:^|\s)([\w-]+)=("[^"]*"|\S+)/g, (match, name: string, value: string) => {
		if (!names.includes(name)) return match;
		args[name] = value.replaceAll(/^"|"$/g, "");
		return "";
	});
	const open = names.filter((name) => args[name] === undefined);
	const words = left.trim().split(/\s+/).filter(Boolean);
	for (const [at, name] of open.entries()) {
		const taken = at === open.length - 1 ? words.slice(at).join(" ") : words[at];
		if (taken) args[name] = taken;
	}
	return args;
}

function namesOf(servers: readonly ServerConnection[]): string {
	return servers.map(({ found }) => found.name).join(", ") || "none";
}
