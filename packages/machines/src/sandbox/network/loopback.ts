/** Leads from the loopback of this machine to servers inside a sandbox, and from inside to services of the user. */
import { chmodSync, closeSync, openSync, readSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { join } from "node:path";

import { timer } from "@tau/utils";

import { net } from "@tau/sys/node-library";
import { limits } from "../limits.ts";

/** A port of the sandbox that the user can reach. */
export interface PublishedPort {
	/** Inside. */
	readonly port: number;
	/** On 127.0.0.1 of this machine: the same one unless that is taken. */
	readonly hostPort: number;
}

/** How programs inside reach services of the user, and the other way round. */
export interface SandboxLoopback {
	/** Ports that programs inside listen on, without Tau's own. */
	listening(): number[];
	/** Makes a port reachable on 127.0.0.1 of this machine. */
	publish(port: number): Promise<PublishedPort>;
	unpublish(port: number): void;
	readonly published: readonly PublishedPort[];
	/** Lets programs inside connect to a port of this machine's loopback. */
	reach(port: number): Promise<void>;
	readonly reached: readonly number[];
}

export interface LoopbackOptions {
	/** Out of reach from inside. */
	directory: string;
	/** Sends an order to the program inside; resolves with its answer. */
	order(words: readonly string[]): Promise<string>;
}

interface Service {
	readonly server: Server;
	readonly sockets: Set<Socket>;
}

export class Loopback implements Disposable {
	readonly #options: LoopbackOptions;
	readonly #published = new Map<number, Service & PublishedPort>();
	readonly #reached = new Map<number, Service>();
	#isClosed = false;

	constructor(options: LoopbackOptions) {
		this.#options = options;
	}

	/** Where the program inside accepts connections for servers there. */
	get inward(): string {
		return join(this.#options.directory, "inward");
	}

	get published(): readonly PublishedPort[] {
		return [...this.#published.values()].map(({ port, hostPort }) => ({ port, hostPort }));
	}

	get reached(): readonly number[] {
		return [...this.#reached.keys()];
	}

	async publish(port: number): Promise<PublishedPort> {
		const known = this.#published.get(port);
		if (known) return { port, hostPort: known.hostPort };
		if (this.#published.size >= limits.publishedPorts)
			throw new Error(`${limits.publishedPorts} ports are reachable already.`);
		const service = serve(limits.publishedConnections, () => {
			const inside = net().connect({ path: this.inward, allowHalfOpen: true });
			inside.write(`${port}\n`);
			return inside;
		});
		try {
			// The ports below belong to services of the system.
			const wanted = port < limits.firstOwnPort ? 0 : port;
			await listen(service.server, { host: "127.0.0.1", port: wanted }).catch((error: unknown) => {
				if (wanted === 0) throw error;
				return listen(service.server, { host: "127.0.0.1", port: 0 });
			});
			if (this.#isClosed) throw new Error("The sandbox has ended.");
		} catch (error) {
			end(service);
			throw error;
		}
		const address = service.server.address();
		const hostPort = typeof address === "object" && address ? address.port : port;
		this.#published.set(port, { ...service, port, hostPort });
		return { port, hostPort };
	}

	unpublish(port: number): void {
		const known = this.#published.get(port);
		this.#published.delete(port);
		if (known) end(known);
	}

	/** Rejects if a program inside listens on the port already. */
	async reach(port: number): Promise<void> {
		if (this.#reached.has(port)) return;
		if (this.#reached.size >= limits.localPorts)
			throw new Error(`${limits.localPorts} services are reachable already.`);
		const service = serve(limits.localConnections, () => connectHost(port));
		this.#reached.set(port, service);
		try {
			const path = this.#pathOf(port);
			await listen(service.server, { path });
			chmodSync(path, 0o600);
			await this.#order(port);
		} catch (error) {
			this.#reached.delete(port);
			end(service);
			throw error;
		}
	}

	/** The program inside was started anew, and knows nothing. */
	async restore(): Promise<void> {
		await Promise.allSettled(this.reached.map((port) => this.#order(port)));
	}

	[Symbol.dispose](): void {
		this.#isClosed = true;
		for (const service of [...this.#published.values(), ...this.#reached.values()]) end(service);
		this.#published.clear();
		this.#reached.clear();
	}

	async #order(port: number): Promise<void> {
		const answer = await this.#options.order(["reach", `${port}`, this.#pathOf(port)]);
		const [word, , reason] = answer.split(" ");
		if (word === "reached") return;
		throw new Error(
			reason === "EADDRINUSE"
				? `A program in the sandbox listens on port ${port} itself.`
				: `Port ${port} cannot be reached from the sandbox: ${reason}.`,
		);
	}

	#pathOf(port: number): string {
		return join(this.#options.directory, `local-${port}`);
	}
}

/** Each connection leads to one that `open` makes. */
function serve(most: number, open: () => Socket): Service {
	const sockets = new Set<Socket>();
	const own = (socket: Socket, other: Socket): void => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
		// The other end sees the closed connection.
		socket.on("error", () => other.destroy());
	};
	const server = net().createServer({ allowHalfOpen: true }, (socket) => {
		// Each connection has two ends.
		if (sockets.size >= 2 * most) return void socket.destroy();
		const other = open();
		own(socket, other);
		own(other, socket);
		socket.pipe(other);
		other.pipe(socket);
	});
	server.unref();
	return { server, sockets };
}

function end({ server, sockets }: Service): void {
	server.close();
	for (const socket of sockets) socket.destroy();
}

async function listen(
	server: Server,
	place: { path: string } | { host: string; port: number },
): Promise<void> {
	const listening = Promise.withResolvers<void>();
	server.once("error", listening.reject);
	server.listen(place, listening.resolve);
	await listening.promise.finally(() => server.off("error", listening.reject));
	server.unref();
}

/** `localhost` means either address. */
function connectHost(port: number): Socket {
	return net().connect({ host: "localhost", port, autoSelectFamily: true, allowHalfOpen: true });
}

/** Whether a service of this machine accepts connections on its loopback. */
export async function isOpenHere(port: number): Promise<boolean> {
	const open = await Promise.all(["127.0.0.1", "::1"].map((host) => accepts(host, port)));
	return open.includes(true);
}

async function accepts(host: string, port: number): Promise<boolean> {
	const answer = Promise.withResolvers<boolean>();
	const socket = net().connect({ host, port });
	using _late = timer(limits.probeMs, () => answer.resolve(false));
	socket.once("connect", () => answer.resolve(true));
	socket.once("error", () => answer.resolve(false));
	return await answer.promise.finally(() => socket.destroy());
}

/** The TCP ports that programs in the network of a process listen on; empty if it has ended. */
export function listeningPorts(pid: number): number[] {
	const tables = ["tcp", "tcp6"].flatMap((name) => readTable(`/proc/${pid}/net/${name}`));
	return [...new Set(tables.flatMap((line) => portOf(line) ?? []))].toSorted((one, other) => one - other);
}

/** A program may have opened thousands of connections; the kernel lists what listens first. */
function readTable(path: string): string[] {
	let file: number | undefined;
	try {
		file = openSync(path, "r");
		const bytes = Buffer.alloc(limits.portTableBytes);
		let length = 0;
		for (let read = -1; read !== 0 && length < bytes.length; length += read)
			read = readSync(file, bytes, length, bytes.length - length, null);
		return bytes.toString("latin1", 0, length).split("\n");
	} catch {
		// The process is gone, or there is no IPv6.
		return [];
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

const listens = "0A";

/** `0: 0100007F:22C3 00000000:0000 0A …`: the local address, the remote one and the state, in hexadecimal digits. */
function portOf(line: string): number | undefined {
	const [, port = "", state] =
		/^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{2}) /.exec(line) ?? [];
	return state === listens ? Number.parseInt(port, 16) : undefined;
}
