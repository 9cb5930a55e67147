/** Runs a program for an extension and gives what it printed. */
import { killTree, ownedEnvironment } from "@tau/sys";
import { hostProgram, listen, timer } from "@tau/utils";

import { limits } from "../support/limits.ts";

export interface ExecOptions {
	signal?: AbortSignal;
	/** Milliseconds. */
	timeout?: number;
	cwd?: string;
}

export interface ExecResult {
	stdout: string;
	stderr: string;
	code: number;
	/** It was ended by the signal or by the time. */
	killed: boolean;
}

/** Resolves however the program ends. A program that cannot be started has the code 127 and reports the reason. */
export async function execCommand(
	command: string,
	args: readonly string[],
	cwd: string,
	{ signal, timeout = limits.execMs, cwd: own = cwd }: ExecOptions = {},
): Promise<ExecResult> {
	if (signal?.aborted) return { stdout: "", stderr: "", code: 1, killed: true };
	using owned = new DisposableStack();
	let killed = false;
	// By this are found those that it starts while it is being ended; they would keep its output open.
	// By default Bun takes the environment of the start, not what the extension has set since.
	const { env, mark } = ownedEnvironment(process.env);
	try {
		// A program that the system has is not taken from the project, where a command may have put another one.
		const program = command.includes("/") ? command : (hostProgram(command, process.env.PATH) ?? command);
		const child = Bun.spawn([program, ...args], {
			cwd: own,
			env,
			stdin: "ignore",
			stdout: "pipe",
			stderr: "pipe",
		});
		const stop = (): void => {
			killed = true;
			void killTree(child.pid, mark);
		};
		if (signal) owned.use(listen(signal, "abort", stop));
		owned.use(timer(timeout, stop));
		const outputs = [collect(child.stdout), collect(child.stderr)] as const;
		const [stdout, stderr, code] = await Promise.all([...outputs, child.exited]);
		return { stdout, stderr, code, killed };
	} catch (error) {
		return { stdout: "", stderr: error instanceof Error ? error.message : String(error), code: 127, killed };
	}
}

/** All output is read so that the program can end; output beyond the limit is discarded. */
async function collect(stream: ReadableStream<Uint8Array>): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of stream) {
		if (text.length < limits.execBytes) text += decoder.decode(chunk, { stream: true });
	}
	return text + decoder.decode();
}
