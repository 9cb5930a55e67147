/** A real Redis for tests, in a directory of its own. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { RedisClient, type RedisOptions, type Subprocess } from "bun";

export interface RedisSetup {
	/** What was written survives a kill. */
	readonly isKept?: boolean;
	/** Over TLS alone, with a certificate of its own and a password. */
	readonly isTls?: boolean;
	/** At a path: while it is away for long, no other program gets its port. */
	readonly isUnix?: boolean;
}

const password = "of-the-test";

export class TestRedis implements AsyncDisposable {
	readonly port: number;
	readonly #owned = new DisposableStack();
	readonly #setup: RedisSetup;
	#directory = "";
	#process?: Subprocess;

	private constructor(port: number, setup: RedisSetup) {
		this.port = port;
		this.#setup = setup;
	}

	static async start(setup: RedisSetup = {}): Promise<TestRedis> {
		const redis = new TestRedis(freePort(), setup);
		const directory = mkdtempSync(join(tmpdir(), "tau-relay-redis-"));
		redis.#owned.defer(() => rmSync(directory, { recursive: true, force: true }));
		redis.#directory = directory;
		if (setup.isTls) redis.#certify();
		await redis.run();
		return redis;
	}

	get url(): string {
		if (this.#setup.isUnix) return `redis+unix://${join(this.#directory, "socket")}`;
		return this.#setup.isTls
			? `rediss://:${password}@127.0.0.1:${this.port}`
			: `redis://127.0.0.1:${this.port}`;
	}

	get pid(): number {
		return this.#process?.pid ?? 0;
	}

	/** Who trusts this file trusts its certificate. */
	get certificate(): string {
		return join(this.#directory, "redis.crt");
	}

	/** Starts it, also again after a kill. */
	async run(): Promise<void> {
		const { isKept, isTls, isUnix } = this.#setup;
		const port = String(this.port);
		const options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", isKept ? "yes" : "no"];
		if (isKept) options.push("--appendfsync", "always");
		if (isTls) {
			const files = { cert: this.certificate, key: this.#key, "ca-cert": this.certificate };
			options.push("--port", "0", "--tls-port", port, "--tls-auth-clients", "no", "--requirepass", password);
			for (const [name, path] of Object.entries(files)) options.push(`--tls-${name}-file`, path);
		} else if (isUnix) options.push("--port", "0", "--unixsocket", join(this.#directory, "socket"));
		else options.push("--port", port);
		this.#process = Bun.spawn(["redis-server", ...options, "--dir", this.#directory], {
			stdio: ["ignore", "ignore", "inherit"],
		});
		const deadline = Date.now() + 60_000;
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
		const client = this.#client();
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

	get #key(): string {
		return join(this.#directory, "redis.key");
	}

	#certify(): void {
		const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
		const files = ["-keyout", this.#key, "-out", this.certificate];
		const made = Bun.spawnSync(
			["openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", ...subject, ...files],
			{ stdin: "ignore", stdout: "ignore", stderr: "pipe" },
		);
		if (!made.success) throw new Error(made.stderr.toString());
	}

	#client(options: RedisOptions = {}): RedisClient {
		const tls = this.#setup.isTls ? { tls: { ca: readFileSync(this.certificate) } } : {};
		return new RedisClient(this.url, { ...options, ...tls });
	}

	async #answers(): Promise<boolean> {
		const client = this.#client({ autoReconnect: false, enableOfflineQueue: false });
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
