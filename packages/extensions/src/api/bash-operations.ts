/** Runs the commands of the user or of the bash tool: locally, or wherever an extension redirects them. */
import { commandEnvironment, runShell } from "@tau/sys";
import { withoutDotenv, type Env } from "@tau/utils";

import { limits } from "../support/limits.ts";

export interface BashRunOptions {
	onData(data: Buffer): void;
	signal?: AbortSignal;
	/** Seconds. */
	timeout?: number;
	env?: Env;
}

/** The names are pi's. `exitCode` is null where the command was killed. */
export interface BashOperations {
	exec(command: string, cwd: string, options: BashRunOptions): Promise<{ exitCode: number | null }>;
}

/** The local shell, for extensions that only change the command. */
export function createLocalBashOperations(): BashOperations {
	return {
		async exec(command, cwd, { onData, signal, timeout, env = withoutDotenv() }) {
			const { exitCode } = await runShell({
				command,
				cwd,
				env: commandEnvironment(env),
				timeoutMs: timeout === undefined ? limits.execMs : timeout * 1000,
				signal: signal ?? new AbortController().signal,
				onOutput: (chunk) => onData(Buffer.from(chunk)),
			});
			return { exitCode: exitCode ?? null };
		},
	};
}
