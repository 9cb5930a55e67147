/** Asks the user whether a project's own code may run, as a request that any client may answer. */
import { join } from "node:path";

import { stripControls } from "@tau/utils";
import type { UserRequests } from "@tau/session/host";

import { namedCommands } from "./project-code.ts";
import { changesSinceTrust, decideForRun, setTrusted, trustOf, watchCode } from "./trust.ts";

export interface TrustQuestion {
	cwd: string;
	agentDir: string;
	/** What would run, or the `.env` that would be read. */
	paths: readonly string[];
	signal?: AbortSignal;
	/** Receives notices, such as that a decision could not be stored and applies to this run. */
	onNotice(message: string): void;
}

/** A user who answered no is not asked again; one who dismisses the question is asked the next time. */
export async function askTrust(requests: UserRequests, question: TrustQuestion): Promise<boolean> {
	const { cwd, agentDir, paths, signal } = question;
	if (trustOf(cwd, agentDir) !== undefined) return false;
	const changes = changesSinceTrust(cwd, agentDir);
	const all: { path: string; kind?: string }[] =
		changes.length === 0
			? paths.map((path) => ({ path }))
			: changes.map(({ path, kind }) => ({ path: join(cwd, path), kind }));
	const runs = all.map((run) => {
		const commands = namedCommands(run.path);
		return commands.length === 0 ? run : { ...run, commands };
	});
	const changesMeanwhile = watchCode(cwd);
	const answer = await requests.ask("trust", { project: cwd, runs }, signal ? { signal } : {});
	if (!answer) return false;
	const { trusted, remember } = answer;
	const [changed] = trusted ? changesMeanwhile() : [];
	if (changed) {
		// File names come from the project.
		const path = stripControls(changed.path, { newline: false, tab: false });
		question.onNotice(
			`The project's code changed while you were asked (${path}), so it was not loaded. Review it, then run /trust.`,
		);
		return false;
	}
	if (!remember || !store(question, trusted)) decideForRun(cwd, trusted);
	return trusted;
}

function store({ cwd, agentDir, onNotice }: TrustQuestion, trusted: boolean): boolean {
	try {
		setTrusted(cwd, agentDir, trusted);
		return true;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		onNotice(`Your answer applies to this run only, because it could not be saved: ${reason}`);
		return false;
	}
}
