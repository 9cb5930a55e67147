/** A real Redis for tests, in a directory of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { RedisClient, type Subprocess } from "bun";

export class TestRedis implements AsyncDisposable {
	readonly port: number;
	readonly #owned = new DisposableStack();
	#directory = "";
	#process?: Subprocess;

	readonly #isKept: boolean;

	private constructor(port: number, isKept: boolean) {
		this.port = port;
		this.#isKept = isKept;
	}

	/** `isKept`: what was written survives a kill. */
	static async start({ isKept = false } = {}): Promise<TestRedis> {
		const redis = new TestRedis(freePort(), isKept);
		const directory = mkdtempSync(join(tmpdir(), "tau-relay-redis-"));
		redis.#owned.defer(() => rmSync(directory, { recursive: true, force: true }));
		redis.#directory = directory;
		await redis.run();
		return redis;
	}

	get url(): string {
		return `redis://127.0.0.1:${this.port}`;
	}

	/** Starts it, also again after a kill. */
	async run(): Promise<void> {
		const options = [
			"--port",
			String(this.port),
			"--bind",
			"127.0.0.1",
			"--save",
			"",
			"--appendonly",
			this.#isKept ? "yes" : "no",
		];
		if (this.#isKept) options.push("--appendfsync", "always");
		this.#process = Bun.spawn(["redis-server", ...options, "--dir", this.#directory], {
			stdio: ["ignore", "ignore", "inherit"],
		});
		const deadline = Date.now() + 20_000;
		while (!(await this.#answers())) {
			if (Date.now() > deadline) throw new Error("redis-server does not answer");
			await Bun.sleep(20);
		}
	}

	async kill(): Promise<void> {
		this.#process?.kill("SIGKILL");
		await this.#process?.exited;
	}

	/** It neither answers nor closes its connections, as behind a cut cable. */
	pause(): void {
		this.#process?.kill("SIGSTOP");
	}

	resume(): void {
		this.#process?.kill("SIGCONT");
	}

	async command(name: string, ...args: string[]): Promise<unknown> {
		const client = new RedisClient(this.url);
		try {
			return await client.send(name, args);
		} finally {
			client.close();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.resume();
		await this.kill();
		this.#owned.dispose();
	}

	async #answers(): Promise<boolean> {
		const client = new RedisClient(this.url, { autoReconnect: false, enableOfflineQueue: false });
		try {
			await client.connect();
			return (await client.send("PING", [])) === "PONG";
		} catch {
			return false;
		} finally {
			client.close();
		}
	}
}

/** The system gives one that nobody uses; it stays free for a while. */
function freePort(): number {
	using listening = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
	return listening.port;
}
