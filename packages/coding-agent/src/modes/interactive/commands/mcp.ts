/** `/mcp`: the MCP servers of this session, and everything that can be done with them while it runs. */
import type { McpManager, McpServerInfo } from "@tau/extensions/mcp";
import { wrapTextWithAnsi } from "@tau/tui";
import { abortable, timer } from "@tau/utils";

import type { Choice, InteractiveHost } from "../host.ts";
import { mcpSelector } from "../selectors/mcp/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { plain } from "../selectors/kit/row.ts";
import { limits } from "../selectors/limits.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";
import usage from "./mcp.md" with { type: "text" };

/** The actions that take the name of a server. */
const aboutOne = ["show", "test", "enable", "disable", "reauth", "unauth", "remove"] as const;
const others = ["add", "search", "reload"] as const;

export const mcp: SlashCommand = {
	name: "mcp",
	group: "Tools",
	argumentHint: "[action] [server]",
	description: "List and manage MCP servers",
	details: usage.trim(),
	async complete(prefix, host) {
		const [action = "", name] = prefix.split(/\s+/);
		if (name === undefined)
			return [...aboutOne, ...others]
				.filter((word) => word.startsWith(action))
				.map((value) => ({ value, label: value }));
		if (!aboutOne.some((word) => word === action)) return [];
		const servers = (await host.mcp?.())?.servers ?? [];
		return servers
			.filter((server) => server.name.startsWith(name))
			.map((server) => ({ value: `${action} ${server.name}`, label: server.name }));
	},
	async run(args, host) {
		const manager = await host.mcp?.();
		if (!manager) throw new Error("MCP servers are switched off in this run (--no-mcp, or mcp.enabled).");
		if (args.trim() === "") return list(host, manager);
		const { parseArguments } = await import("@tau/extensions/prompt-templates");
		const [action = "", ...words] = parseArguments(args).words;
		if (action === "list") return list(host, manager);
		if (action === "add" && words.length === 0) return await addByQuestions(host, manager);
		if (action === "search" && words.length > 0) return await search(host, manager, words.join(" "));
		await act(host, manager, action, words);
	},
};

function list(host: InteractiveHost, manager: McpManager): void {
	if (manager.servers.length === 0)
		return host.notify("No MCP servers are configured. Add one with /mcp add.");
	openSelector(host, (screen, close) => {
		const component = mcpSelector(screen, {
			servers: () => manager.servers,
			choose: ({ name }) => {
				close();
				void choose(host, manager, name);
			},
			close,
		});
		return { component, owns: manager.subscribe(() => component.refresh()) };
	});
}

async function choose(host: InteractiveHost, manager: McpManager, name: string): Promise<void> {
	const server = manager.servers.find((each) => each.name === name);
	if (!server) return;
	const action = await host.ask.select(plain(name), choicesFor(server));
	if (action === undefined) return list(host, manager);
	if (action === "remove" && !(await host.ask.confirm(`Remove ${plain(name)}?`))) return;
	try {
		await act(host, manager, action, [name]);
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}

function choicesFor({ state, isLoggedIn }: McpServerInfo): Choice[] {
	const isOff = state === "disabled";
	return [
		{ value: "show", label: "Show tools, cost and log" },
		...(isOff ? [] : [{ value: "test", label: "Connect again" }]),
		isOff ? { value: "enable", label: "Enable" } : { value: "disable", label: "Disable" },
		...(isLoggedIn === undefined || isOff ? [] : [{ value: "reauth", label: "Log in" }]),
		...(isLoggedIn ? [{ value: "unauth", label: "Log out" }] : []),
		{ value: "remove", label: "Remove" },
	];
}

async function act(
	host: InteractiveHost,
	manager: McpManager,
	action: string,
	words: readonly string[],
): Promise<void> {
	const { actionOf } = await import("../../../session-commands/work/mcp/actions.ts");
	const run = actionOf(action);
	const { lines, isError } = await cancellable(host, `${action} ${words[0] ?? ""}`, (signal) =>
		run(words, { manager, env: process.env, signal }),
	);
	const [line = ""] = lines;
	if (lines.length === 1) return host.notify(line, isError ? "error" : "success");
	host.print(
		report(host.theme, (width, theme) =>
			lines.flatMap((each, at) => {
				const text = each.trimStart();
				const shown = " ".repeat(each.length - text.length) + plain(text);
				return wrapTextWithAnsi(at === 0 ? theme.bold(shown) : shown, width);
			}),
		),
	);
}

/** A login or a server may take long: then there is something to cancel it with. */
async function cancellable<T>(
	host: InteractiveHost,
	what: string,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const stop = new AbortController();
	const over = new AbortController();
	using _slow = timer(limits.slowActionMs, () => {
		const cancel = [{ value: "cancel", label: "Cancel" }];
		void host.ask
			.select(`mcp ${plain(what)} …`, cancel, { signal: over.signal, isRequest: true })
			.then(() => {
				if (!over.signal.aborted) stop.abort(new Error(`mcp ${what} was cancelled.`));
			});
	});
	try {
		return await abortable(work(stop.signal), stop.signal);
	} finally {
		over.abort();
	}
}

const kinds: readonly Choice[] = [
	{ value: "command", label: "A program on this machine", description: "npx -y @scope/server, uvx server" },
	{ value: "url", label: "An address", description: "https://example.org/mcp" },
	{ value: "json", label: "JSON from its documentation" },
];

/** Each question can be cancelled, which adds nothing. */
async function addByQuestions(host: InteractiveHost, manager: McpManager): Promise<void> {
	const { serverInJson, serverToAdd } = await import("../../../session-commands/work/mcp/add-request.ts");
	const { addServer } = await import("../../../session-commands/work/mcp/actions.ts");
	const { parseArguments } = await import("@tau/extensions/prompt-templates");
	const kind = await host.ask.select("Add an MCP server. What is it?", kinds);
	if (kind === undefined) return;
	const text =
		kind === "json"
			? await host.ask.editor("Paste the JSON of the server")
			: await host.ask.input(kind === "url" ? "Its address" : "Its command, with arguments");
	if (!text?.trim()) return;
	const pasted = kind === "json" ? serverInJson(text) : undefined;
	const name = await host.ask.input("A short name for it", { initial: pasted?.name ?? "" });
	if (!name?.trim()) return;
	const level = await host.ask.select("Where should it be available?", [
		{ value: "user", label: "In all projects", description: "~/.tau/agent/mcp.json" },
		{ value: "project", label: "In this project", description: ".tau/mcp.json" },
	]);
	if (level === undefined) return;
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
	await act(host, manager, "test", [server.name]);
}

/** What is found can be added at once. */
async function search(host: InteractiveHost, manager: McpManager, query: string): Promise<void> {
	const { searchRegistry, registryServer } = await import("../../../session-commands/work/mcp/smithery.ts");
	const found = await cancellable(host, "search", (signal) => searchRegistry(query, process.env, signal));
	if (found.length === 0) return host.notify(`Smithery has no server for "${query}".`);
	const id = await host.ask.select(
		"Add one of these servers?",
		found.map(({ id: value, description }) => ({
			value,
			label: plain(value),
			description: plain(description),
		})),
	);
	if (id === undefined) return;
	const config = await cancellable(host, "search", (signal) => registryServer(id, process.env, signal));
	const name = await host.ask.input("A short name for it", { initial: id.split("/").at(-1) ?? id });
	if (!name?.trim()) return;
	await manager.add("user", name.trim(), config);
	await act(host, manager, "test", [name.trim()]);
}
