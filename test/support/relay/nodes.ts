/** Nodes of a relay as processes that can be killed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Subprocess } from "bun";

type NodeProcess = Subprocess<"pipe", "pipe", "pipe">;

export class TestNode implements AsyncDisposable {
	readonly url: string;
	readonly #environment: Record<string, string>;
	readonly #owned: DisposableStack;
	#process: NodeProcess;
	/** What it has written to its log. */
	log = "";

	private constructor(
		running: NodeProcess,
		url: string,
		environment: Record<string, string>,
		owned: DisposableStack,
	) {
		this.#process = running;
		this.url = url;
		this.#environment = environment;
		this.#owned = owned;
		void this.#readLog();
	}

	static async start(environment: Record<string, string> = {}): Promise<TestNode> {
		const directory = mkdtempSync(join(tmpdir(), "tau-relay-node-"));
		const owned = new DisposableStack();
		owned.defer(() => rmSync(directory, { recursive: true, force: true }));
		const all = { TAU_RELAY_SHARES: directory, ...environment };
		const running = launch({ TAU_RELAY_BIND: "127.0.0.1:0", ...all });
		return new TestNode(running, await addressOf(running), all, owned);
	}

	get pid(): number {
		return this.#process.pid;
	}

	/** Starts again under the same address. */
	async restart(): Promise<void> {
		this.#process = launch({ ...this.#environment, TAU_RELAY_BIND: new URL(this.url).host });
		void this.#readLog();
		await addressOf(this.#process);
	}

	async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
		this.#process.kill(signal);
		await this.#process.exited;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.kill();
		this.#owned.dispose();
	}

	async #readLog(): Promise<void> {
		for await (const part of this.#process.stderr) this.log += new TextDecoder().decode(part);
	}
}

function launch(environment: Record<string, string>): NodeProcess {
	const env = { PATH: process.env.PATH ?? "", HOME: tmpdir(), ...environment };
	return Bun.spawn([process.execPath, join(import.meta.dir, "node-main.ts")], {
		env,
		stdio: ["pipe", "pipe", "pipe"],
	});
}

async function addressOf(running: NodeProcess): Promise<string> {
	for await (const part of running.stdout) return new TextDecoder().decode(part).trim();
	throw new Error(`the node has ended: ${await running.stderr.text()}`);
}
