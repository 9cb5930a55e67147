/** The worker of the fleet that the daemon runs: started again when it was killed, until it ends by itself. */
import { closeSync } from "node:fs";

import { log, timer } from "@tau/utils";

import { limits } from "../local/limits.ts";
import { ownProgram } from "../local/own-program.ts";
import type { OpenRequest } from "../local/protocol.ts";
import { openDaemonLog } from "./session-process.ts";

export class WorkerProcess implements AsyncDisposable {
	readonly #request: OpenRequest;
	readonly #onEnd: () => void;
	#child: Bun.Subprocess;
	#restarts = 0;
	#restart: Disposable | undefined;
	#isEnding = false;

	constructor(request: OpenRequest, onEnd: () => void) {
		this.#request = request;
		this.#onEnd = onEnd;
		this.#child = this.#start();
	}

	get pid(): number {
		return this.#child.pid;
	}

	get isRunning(): boolean {
		return this.#restart !== undefined || (this.#child.exitCode === null && this.#child.signalCode === null);
	}

	/** Its tasks end, or continue on another worker. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#isEnding = true;
		this.#restart?.[Symbol.dispose]();
		this.#child.kill("SIGTERM");
		using _late = timer(limits.workerEndMs, () => this.#child.kill("SIGKILL"));
		await this.#child.exited;
	}

	#start(): Bun.Subprocess {
		const { argv, cwd, env } = this.#request;
		const file = openDaemonLog();
		try {
			const options = { cwd, env: { ...env }, stdin: "ignore", stdout: "ignore", stderr: file } as const;
			const child = Bun.spawn([...ownProgram(), "worker", ...argv], options);
			void child.exited.then((code) => this.#ended(code));
			return child;
		} finally {
			closeSync(file);
		}
	}

	#ended(code: number): void {
		if (code === 0 || this.#isEnding || this.#restarts >= limits.workerRestarts) return this.#onEnd();
		log.warn("a worker of the fleet was killed and is started again", { code });
		this.#restarts++;
		this.#restart = timer(limits.workerRestartMs, () => {
			this.#restart = undefined;
			this.#child = this.#start();
		});
	}
}
