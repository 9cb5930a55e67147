/** The proxy of a sandbox, and the program that leads to it from inside. */
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";

import { abortable, withTimeout } from "@tau/utils";

import { childProcess, streams } from "../../node-library.ts";
import { findOwn, standardPath } from "../../shell/index.ts";
import { withMark } from "../../shell/owned.ts";
import { workerCommand, workerVariable } from "../../worker/index.ts";
import { limits } from "../limits.ts";
import type { NetworkRules } from "../profile.ts";
import { HostProxy, type RefusedHost } from "./proxy.ts";

export interface NetworkOptions {
	rules: NetworkRules;
	/** Where the proxy listens: out of reach from inside. */
	socket: string;
	/** Of all processes of the sandbox. */
	mark: string;
}

export class ProxiedNetwork implements AsyncDisposable {
	readonly #options: NetworkOptions;
	#proxy: Promise<HostProxy> | undefined;
	#opened: HostProxy | undefined;
	#forwarder: ChildProcess | undefined;

	constructor(options: NetworkOptions) {
		this.#options = options;
	}

	refusedSince(at: number): readonly RefusedHost[] {
		return this.#opened?.refusedSince(at) ?? [];
	}

	/** Resolves when programs in the network of process `pid` can connect. */
	async enter(nsenter: string, pid: number): Promise<void> {
		const { rules, socket, mark } = this.#options;
		this.#opened = await (this.#proxy ??= HostProxy.listen(socket, rules));
		const command = workerCommand({ name: role, entry: "@tau/sys/forward" });
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
		};
		this.#forwarder?.kill("SIGKILL");
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
		await untilReady(this.#forwarder);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#forwarder?.kill("SIGKILL");
		const proxy = await this.#proxy?.catch(() => undefined);
		await proxy?.[Symbol.asyncDispose]();
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

async function untilReady(child: ChildProcess): Promise<void> {
	const ready = Promise.withResolvers<void>();
	child.stdout?.once("data", () => ready.resolve());
	child.once("error", ready.reject);
	child.once("exit", () => ready.reject(new Error("The network of the sandbox could not be started.")));
	using deadline = withTimeout(undefined, limits.startMs, "The network of the sandbox did not start.");
	await abortable(ready.promise, deadline.signal);
	child.unref();
	for (const stream of [child.stdin, child.stdout])
		if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref();
	if (child.stdout instanceof streams().Readable) child.stdout.resume();
}
