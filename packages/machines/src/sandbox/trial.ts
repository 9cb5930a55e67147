/** Starts a first shell in a sandbox, as a session does, and says why that fails. */
import { env as readEnv, type Env } from "@tau/utils";

import { ShellSession, standardPath, type ShellLauncher } from "@tau/sys";
import { limits } from "./limits.ts";

/** The complaint of whatever refused, on one line; undefined if a command ran. */
export async function whyNoShell(sandbox: ShellLauncher, cwd: string, env: Env): Promise<string | undefined> {
	await using session = new ShellSession({
		cwd,
		env: { PATH: readEnv("PATH", env) || standardPath },
		launcher: () => sandbox,
	});
	let output = "";
	try {
		const { exitCode, killedBy, stopped } = await session.run({
			command: "exit 0",
			timeoutMs: limits.startMs,
			signal: new AbortController().signal,
			onOutput: (chunk) => {
				if (output.length < limits.complaintBytes) output += new TextDecoder().decode(chunk);
			},
		});
		if (exitCode === 0) return undefined;
		const end = stopped === undefined ? (killedBy ?? `exit code ${exitCode}`) : "it did not end in time";
		return firstLine(output) || `its first shell ended with ${end}`;
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		return firstLine(message.replace(sandbox.help ?? "", ""));
	}
}

function firstLine(text: string): string {
	return (text.trim().split("\n")[0] ?? "").replace(/\.$/, "");
}
