/** `tau --detach "…"`: starts a session in the background, sends it the prompt, and returns. */
import { UsageError } from "@tau/utils";

import { openDetached, openRequest } from "@tau/server/daemon/daemon-client";
import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { pipedInput } from "../piped-input.ts";
import { readPrompts } from "../prompt.ts";
import { onInterrupt } from "../signals.ts";
import { argvOf } from "./attach/argv-of.ts";
import { comeBack } from "./attach/come-back.ts";
import { printed } from "./sessions/output.ts";

const notInBackground = ["print", "mode", "output-schema"] as const;

export async function runDetach(args: Args): Promise<number> {
	const other = notInBackground.find((flag) => args.flags.has(flag));
	if (other !== undefined) throw new UsageError(`--detach and --${other} cannot be combined.`);
	if (args.flags.has("no-session"))
		throw new UsageError("--detach needs a saved session and cannot be combined with --no-session.");
	if (args.flags.get("resume") === "")
		throw new UsageError("--detach cannot ask which session to resume. Use --session <id> or -c.");
	using interruption = onInterrupt();
	const { signal } = interruption;
	const prompts = await readPrompts(args, process.cwd(), pipedInput());
	if (prompts.length === 0)
		throw new UsageError('--detach needs a prompt. Example: tau --detach "fix the failing tests".');
	const request = openRequest(argvOf(args), process.cwd(), process.env, prompts);
	const opened = await openDetached(request, signal);
	await printed(comeBack(opened.sessionId));
	return exitCodes.answered;
}
