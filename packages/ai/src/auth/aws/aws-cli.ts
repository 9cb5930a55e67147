/** Runs the AWS CLI, which knows profiles, SSO logins, roles and credential programs better than we do. */
import { abortable, type Env, hostProgram, isTimeout, withTimeout } from "@tau/utils";

import { limits } from "./limits.ts";
import { Unusable } from "./unusable.ts";

export interface CliResult {
	code: number;
	stdout: string;
	/** The last line of stderr: the CLI puts the reason there. */
	reason: string;
}

export function hasAwsCli(env: Env): boolean {
	return findAwsCli(env) !== undefined;
}

/** Runs `aws configure …`. Undefined without `aws` on PATH; rejects with the signal's reason when it aborts. */
export async function awsConfigure(
	args: readonly string[],
	env: Env,
	signal: AbortSignal,
	timeoutMs: number = limits.cliMs,
): Promise<CliResult | undefined> {
	const program = findAwsCli(env);
	if (program === undefined) return undefined;
	const tooSlow = `\`aws configure ${args.join(" ")}\` did not finish within ${timeoutMs / 1000} seconds`;
	using deadline = withTimeout(signal, timeoutMs, tooSlow);
	deadline.signal.throwIfAborted();
	// A session of its own: aborting also ends the CLI's children, and nothing can prompt at the terminal.
	const child = Bun.spawn([program, "configure", ...args], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		detached: true,
		maxBuffer: limits.answerBytes,
		env: { ...env, AWS_PAGER: "", AWS_CLI_AUTO_PROMPT: "off" },
	});
	deadline.signal.addEventListener("abort", () => killGroup(child.pid), { once: true });
	const outcome = Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	try {
		const [stdout, stderr, code] = await abortable(outcome, deadline.signal);
		return { code, stdout, reason: lastLine(stderr) };
	} catch (error) {
		throw isTimeout(error) ? new Unusable(tooSlow) : error;
	}
}

function findAwsCli(env: Env): string | undefined {
	return hostProgram("aws", env["PATH"] ?? "");
}

function lastLine(text: string): string {
	const line = text.trimEnd().split("\n").at(-1) ?? "";
	return line.trim().slice(0, limits.reasonChars);
}

function killGroup(pid: number): void {
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// The process has just ended.
	}
}
