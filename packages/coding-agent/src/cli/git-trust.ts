/** Whether git may run for a command of the command line: trusted before, by `--trust`, or by an answer in the terminal. */
import { isTrusted } from "@tau/extensions/trust";
import { UserError } from "@tau/session/run";
import { findRepository } from "@tau/sys";
import { dirs } from "@tau/utils";

import type { Args } from "./args.ts";
import { confirm } from "./confirm.ts";

const why = "runs git, and a repository's git config can run programs.";

/** Throws a `UserError` if the user declines, or without a terminal to ask in. */
export async function requireGitTrust(args: Args, command: string, signal: AbortSignal): Promise<void> {
	// Without a repository there is nothing to trust, and the command says so.
	if (isGitTrusted(args) || !(await findRepository(process.cwd()))) return;
	if (!process.stdin.isTTY || !process.stdout.isTTY)
		throw new UserError(
			`tau ${command} ${why} This project is not trusted: add --trust to allow it for this run.`,
		);
	if (await confirm(`tau ${command} ${why}\nTrust this project for this run?`, signal)) return;
	throw new UserError("Git was not run: the project is not trusted.");
}

export function isGitTrusted(args: Args): boolean {
	return args.flags.has("trust") || isTrusted(process.cwd(), dirs().agent);
}
