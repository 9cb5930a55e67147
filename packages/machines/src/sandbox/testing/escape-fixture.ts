/** Everything that attempts to leave a sandbox aim at, and what shows whether one has succeeded. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";

import type { Targets } from "./escapes.ts";
import { sandboxFixture, type SandboxFixture } from "./sandbox-fixture.ts";

export interface EscapeFixture extends AsyncDisposable {
	readonly box: SandboxFixture;
	readonly targets: Targets;
	/** In files that are hidden, in the environment of another process, and sent by all servers. */
	readonly secret: string;
	/** Everything that an attempt may change. */
	state(): unknown;
}

export async function escapeFixture(landlock = false): Promise<EscapeFixture> {
	const secret = `secret-${crypto.randomUUID()}`;
	const box = await sandboxFixture({
		landlock,
		files: {
			"home/.ssh/id": secret,
			"home/.aws/credentials": secret,
			"home/.netrc": secret,
			"home/.bashrc": "untouched",
			"outside/canary": "untouched",
			"project/.tau/config.yml": "untouched",
		},
		prepare(cwd) {
			Bun.spawnSync(["git", "init", "-q"], { cwd });
		},
	});
	const bystander = Bun.spawn(["sleep", "1000"], { env: { SECRET: secret } });
	const abstractSocket = `tau-${crypto.randomUUID()}`;
	const servers = new Servers(secret);
	const port = await servers.listen(0);
	const outer = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	const targets: Targets = {
		outside: join(box.root, "outside"),
		home: box.home,
		project: box.cwd,
		pid: bystander.pid,
		port,
		address: outer.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.2",
		homeSocket: join(box.home, "service"),
		projectSocket: join(box.cwd, "service"),
		abstractSocket,
		pidNamespace: readlinkSync("/proc/self/ns/pid"),
	};
	for (const path of [targets.homeSocket, targets.projectSocket, `\0${abstractSocket}`])
		await servers.listen(path);
	return {
		box,
		targets,
		secret,
		state: () => ({
			...filesOf(box.root),
			connections: servers.connections,
			isRunning: bystander.exitCode === null && bystander.signalCode === null,
		}),
		async [Symbol.asyncDispose]() {
			servers[Symbol.dispose]();
			bystander.kill();
			await box[Symbol.asyncDispose]();
		},
	};
}

class Servers implements Disposable {
	connections = 0;
	readonly #secret: string;
	readonly #servers: Server[] = [];

	constructor(secret: string) {
		this.#secret = secret;
	}

	async listen(at: number | string): Promise<number> {
		const server = createServer((socket) => {
			this.connections++;
			socket.end(this.#secret);
		});
		this.#servers.push(server);
		const listening = Promise.withResolvers<void>();
		server.once("error", listening.reject);
		if (typeof at === "string") server.listen(at, listening.resolve);
		else server.listen(at, "0.0.0.0", listening.resolve);
		await listening.promise;
		return typeof at === "string" ? 0 : (server.address() as AddressInfo).port;
	}

	[Symbol.dispose](): void {
		for (const server of this.#servers) server.close();
	}
}

function filesOf(root: string): object {
	const read = (path: string): string | undefined =>
		existsSync(path) ? readFileSync(path, "utf8") : undefined;
	return {
		files: [
			"outside/canary",
			"home/.bashrc",
			"home/.ssh/id",
			"project/.git/config",
			"project/.tau/config.yml",
		].map((path) => read(join(root, path))),
		lists: ["outside", "home", "home/.ssh", "project/.git/hooks"].map((path) =>
			readdirSync(join(root, path)).toSorted(),
		),
		kernel: ["core_pattern", "hostname", "modprobe"].map((name) => read(`/proc/sys/kernel/${name}`)),
		system: ["/tau-evil", "/etc/ld.so.preload", "/etc/profile.d/tau-evil.sh", "/usr/local/bin/tau-evil"].map(
			(path) => existsSync(path),
		),
		host: hostname(),
	};
}

/** For the names of attempts, which are needed before the canaries exist. */
export const noTargets: Targets = {
	outside: "",
	home: "",
	project: "",
	pid: 0,
	port: 0,
	address: "",
	homeSocket: "",
	projectSocket: "",
	abstractSocket: "",
	pidNamespace: "",
};
