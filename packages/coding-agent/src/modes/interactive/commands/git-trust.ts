/** Asks for trust where a command needs git in a project that the user has not trusted yet. */
import { setTrusted, trustAnswer } from "@tau/extensions/trust";
import { findRepository } from "@tau/sys";
import { dirs, shortenHome } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";

const choices = [
	{ value: "once", label: "Yes, run git for this command" },
	{
		value: "always",
		label: "Yes, trust this project",
		description: "its extensions, hooks and MCP servers load too",
	},
	{ value: "no", label: "No" },
] as const;

/** Projects in which git was not allowed for a command that also works without it. */
const declined = new Set<string>();

/** Returns whether git may run for this command. */
export async function mayRunGit(host: InteractiveHost, command: string): Promise<boolean> {
	const { cwd } = host;
	// Without a repository there is nothing to trust, and the command says so.
	if (host.isTrusted || !(await findRepository(cwd))) return true;
	const choice = await host.ask.select(
		`${command} runs git in ${shortenHome(cwd)}, and a repository's git config can run programs. Trust it?`,
		choices,
	);
	if (choice === "always") {
		setTrusted(cwd, dirs().agent, true);
		for (const problem of await host.reload()) host.notify(problem, "warning");
	}
	return choice === "once" || choice === "always";
}

/** The same for a command that works without git: it asks once, and not if the user has answered before. */
export async function mayUseGit(host: InteractiveHost, command: string): Promise<boolean> {
	if (host.isTrusted) return true;
	if (declined.has(host.cwd) || trustAnswer(host.cwd, dirs().agent)) return false;
	const may = await mayRunGit(host, command);
	if (!may) declined.add(host.cwd);
	return may;
}
