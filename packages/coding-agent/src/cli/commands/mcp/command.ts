/** `tau mcp`: lists and changes the MCP servers of Tau, or serves its own tools. */
import { McpSource } from "@tau/extensions/assembly";
import type { McpServerInfo, McpServers } from "@tau/resources/mcp";
import { storedLogins } from "@tau/config/models";
import { UsageError } from "@tau/utils";
import { columns } from "@tau/utils/text-table";

import {
	actionOf,
	serverToAdd,
	timeoutOf,
	type AddRequest,
	stateLabels,
	toolCount,
} from "@tau/session-commands/work";
import { openBrowser } from "@tau/session-commands/shared";
import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { loadRegistry } from "../../launch/load-models.ts";
import { openSettings } from "../../launch/load-settings.ts";
import { limits } from "../../limits.ts";
import { printError } from "../../print-error.ts";
import { onInterrupt } from "../../signals.ts";
import { openCredentials } from "../auth/store.ts";
import { jsonLine, printed } from "../sessions/output.ts";

export async function runMcp(args: Args): Promise<number> {
	const [action = "list", ...words] = args.operands;
	if (action === "serve") return await (await import("./serve.ts")).runMcpServe(args);
	if (args.flags.has("http")) throw new UsageError("--http is for tau mcp serve.");
	using interruption = onInterrupt();
	const { signal } = interruption;
	await using owned = new AsyncDisposableStack();
	const manager = await openManager(args, action, owned);
	try {
		if (action === "list") return await printList(manager, args, signal);
		// Its tools are known once it is connected.
		if (action === "show" && words[0] !== undefined && manager.servers.some(({ name }) => name === words[0]))
			await manager.test(words[0], signal);
		const { lines, isError } =
			action === "add"
				? await add(manager, requestOf(args, words))
				: await actionOf(action)(words, { manager, env: process.env, signal });
		const code = await printed(`${lines.join("\n")}\n`);
		return isError ? exitCodes.failed : code;
	} catch (error) {
		if (signal.aborted) return interruption.exitCode ?? exitCodes.interrupted;
		printError(error instanceof Error ? error.message : String(error));
		return exitCodes.failed;
	}
}

async function openManager(args: Args, action: string, owned: AsyncDisposableStack): Promise<McpServers> {
	const outerEnv = { ...process.env };
	const settings = await openSettings(args);
	const store = owned.use(await openCredentials(settings));
	const registry = await loadRegistry(args, process.env, settings, storedLogins(store), printError);
	const source = owned.use(
		new McpSource({
			cwd: process.cwd(),
			env: process.env,
			serverEnv: () => registry.withoutKeys(outerEnv),
			settings,
			store,
			isTrusted: args.flags.has("trust"),
			staysOpen: false,
			// The other actions change files, or are about one server.
			startsAll: action === "list",
			openUrl: (url) => openBrowser(url, process.env),
			onNotice: printError,
		}),
	);
	return await source.manager();
}

async function printList(manager: McpServers, { flags }: Args, signal: AbortSignal): Promise<number> {
	await manager.settle(() => true, limits.mcpListMs, signal);
	const { servers } = manager;
	if (flags.has("json") || flags.get("mode") === "json")
		return await printed(servers.map(({ log: _, ...server }) => jsonLine(server)).join(""));
	if (servers.length === 0)
		return await printed("No MCP servers. Add one: tau mcp add <name> -- <command>, or --url <url>\n");
	return await printed(`${columns(servers.map(cellsOf)).join("\n")}\n`);
}

function cellsOf(server: McpServerInfo): string[] {
	const { name, state, target, error } = server;
	return [name, stateLabels[state], toolCount(server), error ?? target];
}

async function add(
	manager: McpServers,
	request: AddRequest,
): Promise<{ lines: string[]; isError?: boolean }> {
	const { name, level, config } = serverToAdd(request);
	await manager.add(level, name, config);
	const file = level === "project" ? ".tau/mcp.json" : "your mcp.json";
	return { lines: [`Added ${name} to ${file}. Try it: tau mcp test ${name}`] };
}

function requestOf({ flags, repeated }: Args, [name = "", ...command]: readonly string[]): AddRequest {
	if (name === "") throw new UsageError("Usage: tau mcp add <name> -- <command…>, or --url <url>");
	return {
		name,
		level: flags.has("project") ? "project" : "user",
		command,
		url: flags.get("url"),
		token: flags.get("token"),
		transport: flags.get("transport"),
		headers: repeated?.get("header") ?? [],
		env: repeated?.get("env") ?? [],
		timeoutMs: timeoutOf(flags.get("timeout")),
		alwaysLoad: flags.has("always-load"),
	};
}
