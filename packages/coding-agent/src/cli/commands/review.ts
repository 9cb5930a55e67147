/** `tau review`: an agent reviews changes; the exit code says whether it found something. */
import { openSession } from "@tau/extensions/assembly";
import { UserError } from "@tau/session/run";
import type { ToolEnv } from "@tau/tools/tool";

import { needsTrust, review, reviewLines, type Review } from "@tau/session-commands/work";
import type { Args } from "../args.ts";
import { isGitTrusted, requireGitTrust } from "../git-trust.ts";
import { exitCodes } from "../exit-codes.ts";
import { openSettings } from "../launch/load-settings.ts";
import { loadEnvironment, openParts } from "../launch/session-parts.ts";
import { printError } from "../print-error.ts";
import { onInterrupt } from "../signals.ts";
import { jsonLine, printed } from "./sessions/output.ts";

export async function runReview(args: Args): Promise<number> {
	using interruption = onInterrupt();
	try {
		const found = await reviewed(args, interruption.signal);
		const written = await printed(
			args.flags.has("json") ? jsonLine(found) : `${reviewLines(found).join("\n")}\n`,
		);
		if (written !== exitCodes.answered) return written;
		return found.verdict === "request_changes" ? exitCodes.failed : exitCodes.answered;
	} catch (error) {
		if (interruption.exitCode !== undefined) return interruption.exitCode;
		if (!(error instanceof UserError)) throw error;
		printError(error.message);
		return exitCodes.usage;
	}
}

async function reviewed(args: Args, signal: AbortSignal): Promise<Review> {
	const cwd = process.cwd();
	const outerEnv = { ...process.env };
	loadEnvironment();
	const settings = await openSettings(args);
	await using opened = await openParts({
		args,
		cwd,
		outerEnv,
		settings,
		staysOpen: false,
		isLocal: true,
		onNotice: printError,
	});
	let env: ToolEnv | undefined;
	// A reviewer reads: nothing that it runs can change the project.
	const policy = { ...opened.parts.policy, mode: "plan" as const };
	await using host = openSession({ ...opened.parts, policy, onEnv: (made) => (env = made) });
	if (!env) throw new UserError("The session has no tools.");
	const what = args.operands.join(" ");
	await host.policy?.settle();
	const needsGit = needsTrust(host.policy?.boundary, what);
	if (needsGit) await requireGitTrust(args, "review", signal);
	return await review({
		env,
		gitEnv: process.env,
		isTrusted: needsGit || isGitTrusted(args),
		what,
		signal,
	});
}
