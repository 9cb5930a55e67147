/** Credentials from a program that the user named in a profile. */
import { credentialsFromJson } from "./answer.ts";
import { limits } from "./limits.ts";
import type { AwsCredentials } from "./sigv4.ts";
import { Unusable } from "./unusable.ts";

export async function fromProcess(command: string, profile: string): Promise<AwsCredentials> {
	const name = `The credential_process of profile "${profile}"`;
	// A group of its own, so that the time limit also ends what the command started.
	const child = Bun.spawn(["sh", "-c", command], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		detached: true,
		maxBuffer: limits.answerBytes,
	});
	const timer = setTimeout(() => killGroup(child.pid), limits.processMs);
	try {
		const [stdout, stderr, code] = await Promise.all([
			child.stdout.text(),
			child.stderr.text(),
			child.exited,
		]);
		if (code === 0) return credentialsFromJson(stdout, name);
		const reason = stderr.trim().split("\n")[0] ?? "";
		throw new Unusable(`${name} failed (${code})${reason === "" ? "" : `: ${reason}`}`);
	} finally {
		clearTimeout(timer);
	}
}

function killGroup(pid: number): void {
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// It ended in the same moment.
	}
}
