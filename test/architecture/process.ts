/** Runs a program to its end, with a timeout, and returns its output. */
import { limits } from "./limits.ts";

export type Ran = { code: number; stdout: string; stderr: string };

export async function run(command: string[], cwd: string): Promise<Ran> {
	const [program = ""] = command;
	if (Bun.which(program) === null) return { code: 127, stdout: "", stderr: `${program}: not found` };
	await using child = Bun.spawn(command, {
		cwd,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		env: quietEnv(),
		timeout: limits.processMs,
		killSignal: "SIGKILL",
	});
	const [stdout, stderr, code] = await Promise.all([
		Bun.readableStreamToText(child.stdout),
		Bun.readableStreamToText(child.stderr),
		child.exited,
	]);
	if (child.signalCode === null) return { code, stdout, stderr };
	const ended = `${program} was ended by ${child.signalCode}; the limit is ${limits.processMs} ms`;
	return { code, stdout, stderr: `${stderr}${ended}\n` };
}

/** Without variables that would color or annotate the output, and without the repository that a git hook sets. */
function quietEnv(): Record<string, string | undefined> {
	const kept = Object.entries(process.env).filter(([name]) => !/^(?:GIT_|GITHUB_|FORCE_COLOR$)/.test(name));
	return { ...Object.fromEntries(kept), NO_COLOR: "1" };
}
