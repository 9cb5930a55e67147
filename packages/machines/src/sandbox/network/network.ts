/** The proxy of a sandbox, and the program that leads to it from inside. */
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

import { abortable, log, withTimeout } from "@tau/utils";

import { childProcess } from "@tau/sys/node-library";
import { findOwn, standardPath, withMark, workerCommand, workerVariable } from "@tau/sys";
import { limits } from "../limits.ts";
import type { NetworkRules } from "../profile.ts";
import { listeningPorts, Loopback, type PublishedPort, type SandboxLoopback } from "./loopback.ts";
import { HostProxy, type RefusedHost } from "./proxy.ts";

export interface NetworkOptions {
	rules: NetworkRules;
	/** For the sockets of the proxy and of ports: out of reach from inside. */
	directory: string;
	/** Of all processes of the sandbox. */
	mark: string;
}

export class ProxiedNetwork implements SandboxLoopback, AsyncDisposable {
	readonly #options: NetworkOptions;
	readonly #loopback: Loopback;
	#proxy: Promise<HostProxy> | undefined;
	#opened: HostProxy | undefined;
	#forwarder: ChildProcess | undefined;
	/** The forwarder, once it is in the network of the sandbox. */
	#ready: ChildProcess | undefined;
	/** What the forwarder answers next, by the port that it was ordered to reach. */
	readonly #answers = new Map<string, (line: string) => void>();

	constructor(options: NetworkOptions) {
		this.#options = options;
		this.#loopback = new Loopback({ directory: options.directory, order: (words) => this.#order(words) });
	}

	listening(): number[] {
		const child = this.#ready;
		if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return [];
		const own = new Set([limits.proxyPort, ...this.#loopback.reached]);
		return listeningPorts(child.pid).filter((port) => !own.has(port));
	}

	get published(): readonly PublishedPort[] {
		return this.#loopback.published;
	}

	get reached(): readonly number[] {
		return this.#loopback.reached;
	}

	publish(port: number): Promise<PublishedPort> {
		return this.#loopback.publish(port);
	}

	unpublish(port: number): void {
		this.#loopback.unpublish(port);
	}

	reach(port: number): Promise<void> {
		return this.#loopback.reach(port);
	}

	refusedSince(at: number): readonly RefusedHost[] {
		return this.#opened?.refusedSince(at) ?? [];
	}

	/** Resolves when programs in the network of process `pid` can connect. */
	async enter(nsenter: string, pid: number): Promise<void> {
		const { rules, directory, mark } = this.#options;
		const socket = join(directory, "proxy");
		this.#opened = await (this.#proxy ??= HostProxy.listen(socket, rules));
		const command = workerCommand({ name: role, entry: "@tau/machines/forward" });
		// An executable that others have compiled cannot start it: then there is no way out.
		if (!command) return;
		const [program = "", ...args] = command;
		// The programs on the way have another /proc/self, and may not look at ours: they inherit the open file.
		const executable = program === "/proc/self/exe" ? openSync(program, "r") : undefined;
		const own = executable === undefined ? program : "/proc/self/fd/3";
		const enter = ["--target", `${pid}`, "--user", "--net", "--preserve-credentials", "--"];
		const variables = {
			PATH: standardPath,
			[workerVariable]: role,
			TAU_FORWARD_SOCKET: socket,
			TAU_FORWARD_PORT: `${limits.proxyPort}`,
			TAU_FORWARD_INWARD: this.#loopback.inward,
		};
		this.#forwarder?.kill("SIGKILL");
		rmSync(this.#loopback.inward, { force: true });
		this.#ready = undefined;
		try {
			this.#forwarder = childProcess().spawn(nsenter, [...enter, ...listenFirst(), own, ...args], {
				cwd: "/",
				env: withMark(variables, mark),
				stdio: ["pipe", "pipe", "ignore", executable ?? "ignore"],
				detached: true,
			});
		} finally {
			if (executable !== undefined) closeSync(executable);
		}
		await untilReady(this.#forwarder, (line) => this.#answered(line));
		this.#ready = this.#forwarder;
		await this.#loopback.restore();
		const named = (await rules.localPorts?.()) ?? [];
		const outcomes = await Promise.allSettled(named.map((port) => this.reach(port)));
		for (const outcome of outcomes)
			if (outcome.status === "rejected")
				log.warn("a service of this machine is not reachable", { reason: String(outcome.reason) });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#loopback[Symbol.dispose]();
		this.#forwarder?.kill("SIGKILL");
		const proxy = await this.#proxy?.catch(() => undefined);
		await proxy?.[Symbol.asyncDispose]();
	}

	async #order(words: readonly string[]): Promise<string> {
		const [, port = ""] = words;
		const { stdin } = this.#ready ?? {};
		if (!stdin?.writable) throw new Error("The network of the sandbox has ended.");
		const answer = Promise.withResolvers<string>();
		this.#answers.set(port, answer.resolve);
		stdin.write(`${words.join("\t")}\n`);
		using deadline = withTimeout(undefined, limits.startMs, "The network of the sandbox did not answer.");
		return await abortable(answer.promise, deadline.signal).finally(() => this.#answers.delete(port));
	}

	#answered(line: string): void {
		const [, port = ""] = line.split(" ");
		this.#answers.get(port)?.(line);
	}
}

const role = "forward";

/**
 * Our own program takes longer to start than a command: where there is perl, that listens meanwhile and passes the socket on.
 * Only a command that connects waits then.
 */
function listenFirst(): string[] {
	const perl = findOwn("perl");
	return perl === undefined ? [] : [perl, "-e", listener];
}

/** Without its module for sockets, the program listens itself. */
const listener = `
	$^F = 9;
	if (eval { require Socket; 1 } && socket(my $server, Socket::PF_INET(), Socket::SOCK_STREAM(), 0)) {
		my $address = Socket::pack_sockaddr_in($ENV{TAU_FORWARD_PORT}, Socket::inet_aton("127.0.0.1"));
		setsockopt($server, Socket::SOL_SOCKET(), Socket::SO_REUSEADDR(), 1);
		if (bind($server, $address) && listen($server, ${limits.proxyConnections})) {
			$ENV{TAU_FORWARD_FD} = fileno($server);
			syswrite(STDOUT, "ready\\n");
		}
		exec @ARGV;
	}
	exec @ARGV;
`;

async function untilReady(child: ChildProcess, onLine: (line: string) => void): Promise<void> {
	const ready = Promise.withResolvers<void>();
	let text = "";
	child.stdout?.on("data", (chunk: Buffer) => {
		ready.resolve();
		const lines = (text + chunk.toString("latin1")).split("\n");
		text = lines.pop() ?? "";
		for (const line of lines) onLine(line);
	});
	child.stdin?.on("error", () => {});
	child.once("error", ready.reject);
	child.once("exit", () => ready.reject(new Error("The network of the sandbox could not be started.")));
	using deadline = withTimeout(undefined, limits.startMs, "The network of the sandbox did not start.");
	await abortable(ready.promise, deadline.signal);
	child.unref();
	for (const stream of [child.stdin, child.stdout])
		if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref();
}
