/** Asks for trust where a command needs git in a project that the user has not trusted yet. */
import { forgetTrust, setTrusted, trustAnswer } from "@tau/extensions/trust";
import { findRepository } from "@tau/sys";
import { shortenHome } from "@tau/utils";

import type { CommandTarget } from "../command.ts";

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
export async function mayRunGit(target: CommandTarget, command: string): Promise<boolean> {
	const { cwd } = target;
	// Without a repository there is nothing to trust, and the command says so.
	if (target.isTrusted || !(await findRepository(cwd))) return true;
	const choice = await target.ask.select(
		`${command} runs git in ${shortenHome(cwd)}, and a repository's git config can run programs. Trust it?`,
		choices,
	);
	if (choice === "always") await changeTrust(target, true);
	return choice === "once" || choice === "always";
}

/** Undefined forgets the answer. What the project brings is loaded or leaves, and every client learns of it. */
export async function changeTrust(target: CommandTarget, trusted: boolean | undefined): Promise<void> {
	const { cwd, agentDir, host } = target;
	if (trusted === undefined) forgetTrust(cwd, agentDir);
	else setTrusted(cwd, agentDir, trusted);
	for (const problem of await target.reload()) await target.notice(problem, "warning");
	await host.emit({ type: "trust_changed", project: cwd, trusted: trusted ?? false });
}

/** The same for a command that works without git: it asks once, and not if the user has answered before. */
export async function mayUseGit(target: CommandTarget, command: string): Promise<boolean> {
	const { cwd } = target;
	if (target.isTrusted) return true;
	if (declined.has(cwd) || trustAnswer(cwd, target.agentDir)) return false;
	const may = await mayRunGit(target, command);
	if (!may) declined.add(cwd);
	return may;
}
