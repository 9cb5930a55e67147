/** `/mcp`: the MCP servers of this session, and everything that can be done with them while it runs. */
import type { McpManager, McpServerInfo } from "@tau/resources/mcp";
import { UserError } from "@tau/session/run";
import { abortable, timer } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { limits } from "../limits.ts";
import { stateLabels, toolCount } from "../work/mcp/describe.ts";
import usage from "./mcp.md" with { type: "text" };

/** The actions that take the name of a server. */
const aboutOne = ["show", "test", "enable", "disable", "reauth", "unauth", "remove"] as const;
const others = ["list", "add", "search", "reload"] as const;

export const mcp: SessionCommand = {
	name: "mcp",
	group: "Tools",
	argumentHint: "[action] [server]",
	description: "List and manage MCP servers",
	details: usage.trim(),
	// Addresses and commands of servers may have secrets in them.
	right: "control",
	async complete(prefix, target) {
		const [action = "", name] = prefix.split(/\s+/);
		if (name === undefined)
			return [...aboutOne, ...others.slice(1)]
				.filter((word) => word.startsWith(action))
				.map((value) => ({ value, label: value }));
		if (!aboutOne.some((word) => word === action)) return [];
		const servers = (await target.mcp?.())?.servers ?? [];
		return servers
			.filter((server) => server.name.startsWith(name))
			.map((server) => ({ value: `${action} ${server.name}`, label: server.name }));
	},
	async run(args, target) {
		const manager = await managerOf(target);
		const { parseArguments } = await import("@tau/resources/prompt-templates/arguments");
		const [action = "list", ...words] = parseArguments(args).words;
		if (action === "list") return serverList(manager);
		if (action === "add" && words.length === 0) return await addByQuestions(target, manager);
		if (action === "search" && words.length > 0) return await search(target, manager, words.join(" "));
		return await act(target, manager, action, words);
	},
};

async function managerOf({ mcp: find }: Pick<CommandTarget, "mcp">): Promise<McpManager> {
	const manager = await find?.();
	if (!manager) throw new UserError("MCP servers are switched off in this run (--no-mcp, or mcp.enabled).");
	return manager;
}

function serverList({ servers }: McpManager): CommandReply {
	const lines = servers.map((server) => {
		const { name, state, error, target: address } = server;
		const cells = [plain(name), stateLabels[state], toolCount(server), plain(error ?? address)];
		return cells.filter((cell) => cell !== "").join("  ");
	});
	const data: McpData = { servers: servers.map((server) => ({ ...server })) };
	return {
		...reply(lines.length === 0 ? "No MCP servers are configured. Add one with /mcp add." : lines.join("\n")),
		data,
	};
}

export interface McpData {
	servers: readonly McpServerInfo[];
}

/** What `data` has of an action. */
export interface McpActionData {
	lines: readonly string[];
}

async function act(
	target: CommandTarget,
	manager: McpManager,
	action: string,
	words: readonly string[],
): Promise<CommandReply> {
	const { actionOf } = await import("../work/mcp/actions.ts");
	const run = actionOf(action);
	const { lines, isError } = await cancellable(target, `${action} ${words[0] ?? ""}`, (signal) =>
		run(words, { manager, env: process.env, signal }),
	);
	if (isError) throw new UserError(lines.join("\n"));
	const data: McpActionData = { lines };
	return { ...reply(lines.join("\n"), lines.length === 1 ? "success" : "info"), data };
}

/** A login or a server may take long: then there is something to cancel it with. */
async function cancellable<T>(
	target: CommandTarget,
	what: string,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const stop = new AbortController();
	const over = new AbortController();
	const stops = AbortSignal.any([stop.signal, target.signal]);
	using _slow = timer(limits.slowActionMs, () => {
		if (!target.host.requests.canAsk("dialog")) return;
		const cancel = [{ value: "cancel", label: "Cancel" }];
		void target.ask
			.select(`mcp ${plain(what)} …`, cancel, { signal: over.signal, isUnexpected: true })
			.then(() => {
				if (!over.signal.aborted) stop.abort(new UserError(`mcp ${what} was cancelled.`));
			});
	});
	try {
		return await abortable(work(stops), stops);
	} finally {
		over.abort();
	}
}

const kinds = [
	{ value: "command", label: "A program on this machine", description: "npx -y @scope/server, uvx server" },
	{ value: "url", label: "An address", description: "https://example.org/mcp" },
	{ value: "json", label: "JSON from its documentation" },
] as const;

/** Each question can be cancelled, which adds nothing. */
async function addByQuestions(target: CommandTarget, manager: McpManager): Promise<CommandReply> {
	const { serverInJson, serverToAdd } = await import("../work/mcp/add-request.ts");
	const { addServer } = await import("../work/mcp/actions.ts");
	const { parseArguments } = await import("@tau/resources/prompt-templates/arguments");
	const { ask } = target;
	const kind = await ask.select("Add an MCP server. What is it?", kinds);
	if (kind === undefined) return {};
	const text =
		kind === "json"
			? await ask.editor("Paste the JSON of the server")
			: await ask.input(kind === "url" ? "Its address" : "Its command, with arguments");
	if (!text?.trim()) return {};
	const pasted = kind === "json" ? serverInJson(text) : undefined;
	const name = await ask.input("A short name for it", { initial: pasted?.name ?? "" });
	if (!name?.trim()) return {};
	const level = await ask.select("Where should it be available?", [
		{ value: "user", label: "In all projects", description: "~/.tau/agent/mcp.json" },
		{ value: "project", label: "In this project", description: ".tau/mcp.json" },
	]);
	if (level === undefined) return {};
	const request = {
		name: name.trim(),
		level: level === "project" ? ("project" as const) : ("user" as const),
		command: kind === "command" ? parseArguments(text).words : [],
		url: kind === "url" ? text.trim() : undefined,
		headers: [],
		env: [],
	};
	const server = pasted ? { ...request, config: pasted.config } : serverToAdd(request);
	await addServer(server, manager);
	return await act(target, manager, "test", [server.name]);
}

/** What is found can be added at once. */
async function search(target: CommandTarget, manager: McpManager, query: string): Promise<CommandReply> {
	const { searchRegistry, registryServer } = await import("../work/mcp/smithery.ts");
	const found = await cancellable(target, "search", (signal) => searchRegistry(query, process.env, signal));
	if (found.length === 0) return reply(`Smithery has no server for "${query}".`);
	const id = await target.ask.select(
		"Add one of these servers?",
		found.map(({ id: value, description }) => ({
			value,
			label: plain(value),
			description: plain(description),
		})),
	);
	if (id === undefined) return { data: { found } };
	const config = await cancellable(target, "search", (signal) => registryServer(id, process.env, signal));
	const name = await target.ask.input("A short name for it", { initial: id.split("/").at(-1) ?? id });
	if (!name?.trim()) return {};
	await manager.add("user", name.trim(), config);
	return await act(target, manager, "test", [name.trim()]);
}
