/** What `/mcp <action>` and `tau mcp <action>` do: the same words, the same answers. */
import type { McpManager, McpServerInfo, McpTestOutcome } from "@tau/resources/mcp";
import { nearest, type Env } from "@tau/utils";

import { readAddRequest, serverToAdd, type ServerToAdd } from "./add-request.ts";
import { serverLines } from "./describe.ts";
import { searchRegistry } from "./smithery.ts";

export interface ActionContext {
	manager: McpManager;
	env: Env;
	signal: AbortSignal;
}

export interface ActionResult {
	lines: string[];
	isError?: boolean;
}

type Action = (words: readonly string[], context: ActionContext) => Promise<ActionResult>;

const done = (...lines: string[]): ActionResult => ({ lines });

/** Throws what is wrong, for the user. */
const mcpActions: Readonly<Record<string, Action>> = {
	async show([name], { manager }) {
		return done(...serverLines(named(name, manager)));
	},
	async add(words, { manager }) {
		return await addServer(serverToAdd(readAddRequest(words)), manager);
	},
	async remove([name], { manager }) {
		await manager.remove(named(name, manager).name);
		return done(`Removed ${name}.`);
	},
	async enable([name], { manager }) {
		await manager.setEnabled(named(name, manager).name, true);
		return done(`Enabled ${name}.`);
	},
	async disable([name], { manager }) {
		await manager.setEnabled(named(name, manager).name, false);
		return done(`Disabled ${name}.`);
	},
	async test([name], { manager, signal }) {
		return outcomeOf(name, await manager.test(named(name, manager).name, signal));
	},
	async reauth([name], { manager, signal }) {
		return outcomeOf(name, await manager.reauth(named(name, manager).name, signal));
	},
	async unauth([name], { manager }) {
		await manager.unauth(named(name, manager).name);
		return done(`Logged out of ${name}.`);
	},
	async reload(_, { manager }) {
		await manager.reload();
		const { length } = manager.servers;
		return done(`Read the files again: ${length} ${length === 1 ? "server" : "servers"}.`);
	},
	async search(words, { env, signal }) {
		if (words.length === 0) throw new Error("What should be searched for?");
		const found = await searchRegistry(words.join(" "), env, signal);
		if (found.length === 0) return done("No server matches.");
		return done(...found.flatMap(({ id, description }) => [id, `  ${description}`]));
	},
};

/** omp's short names. */
const aliases: Readonly<Record<string, string>> = {
	rm: "remove",
	get: "show",
	login: "reauth",
	logout: "unauth",
};

const actionNames: readonly string[] = Object.keys(mcpActions);

export function actionOf(word: string): Action {
	const action = mcpActions[aliases[word] ?? word];
	if (action) return action;
	const [near] = nearest(word, actionNames, 1);
	throw new Error(
		`There is no /mcp ${word}. ${near === undefined ? `Use one of: ${actionNames.join(", ")}.` : `Did you mean ${near}?`}`,
	);
}

export async function addServer(
	{ name, level, config }: ServerToAdd,
	manager: McpManager,
): Promise<ActionResult> {
	await manager.add(level, name, config);
	return done(`Added ${name}.`);
}

function named(name: string | undefined, { servers }: McpManager): McpServerInfo {
	if (name === undefined) throw new Error("Which server? Give its name.");
	const server = servers.find((each) => each.name === name);
	if (server) return server;
	const names = servers.map((each) => each.name);
	const [near] = nearest(name, names, 1);
	const hint =
		near === undefined
			? names.length > 0
				? ` There are: ${names.join(", ")}.`
				: ""
			: ` Did you mean ${near}?`;
	throw new Error(`There is no MCP server "${name}".${hint}`);
}

function outcomeOf(name: string | undefined, outcome: McpTestOutcome): ActionResult {
	if (!outcome.ok) return { lines: [outcome.message], isError: true };
	const { tools, protocol, ms } = outcome;
	return done(
		`${name} is ready: ${tools} ${tools === 1 ? "tool" : "tools"}, protocol ${protocol}, ${ms} ms.`,
	);
}
