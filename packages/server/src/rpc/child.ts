/** A `tau --mode rpc` of our own: started, listened to, and ended with everything that it has started. */
import { delay } from "@tau/utils";

import type { RpcStreams } from "./connection.ts";
import { limits } from "./limits.ts";

export interface ChildOptions {
	/** The program; `tau` on PATH if absent. */
	cliPath?: string;
	cwd?: string;
	/** Added to the variables of this process. */
	env?: Record<string, string>;
	args: readonly string[];
}

export interface RpcClientOptions extends Partial<ChildOptions> {
	provider?: string;
	model?: string;
	/** The program answers whether the project's code may run: a request of kind `trust`, before all else. */
	askTrust?: boolean;
	/** Connects to a running Tau, instead of starting one. */
	streams?: RpcStreams;
	/** How long a command may go unanswered; what takes a model or a shell is waited for. */
	requestTimeoutMs?: number;
}

export class RpcChild implements RpcStreams, AsyncDisposable {
	readonly #process: Bun.Subprocess<"pipe", "pipe", "pipe">;
	#stderr = "";
	readonly #listening: Promise<void>;

	/** Throws when the program cannot be started. */
	constructor({ cliPath = "tau", cwd, env, args }: ChildOptions) {
		this.#process = Bun.spawn([cliPath, "--mode", "rpc", ...args], {
			...(cwd === undefined ? {} : { cwd }),
			env: { ...process.env, ...env },
			stdin: "pipe",
			stdout: "pipe",
			stderr: "pipe",
		});
		this.#listening = this.#listen();
	}

	get output(): AsyncIterable<Uint8Array> {
		return this.#process.stdout;
	}

	/** The end of the child's standard error. */
	get stderr(): string {
		return this.#stderr;
	}

	async write(line: string): Promise<void> {
		this.#process.stdin.write(line);
		await this.#process.stdin.flush();
	}

	/** Resolves when the child has ended, with one line that describes how. */
	async ending(): Promise<string> {
		const code = await this.#process.exited;
		await this.#listening;
		const stderr = this.#stderr.trim();
		return `tau exited (code ${code})${stderr === "" ? "." : `: ${stderr}`}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#process.kill("SIGTERM");
		const deadline = new AbortController();
		const late = delay(limits.stopMs, deadline.signal).then(
			() => this.#process.kill("SIGKILL"),
			// It ended in time.
			() => {},
		);
		await this.#process.exited;
		deadline.abort();
		await late;
	}

	async #listen(): Promise<void> {
		const decoder = new TextDecoder();
		for await (const chunk of this.#process.stderr) {
			this.#stderr = (this.#stderr + decoder.decode(chunk, { stream: true })).slice(-limits.stderrChars);
		}
	}
}
