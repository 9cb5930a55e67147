/**
 * How a session reaches a language server: it starts one, or uses the one that another Tau has started for the same
 * project. Whoever holds the lock owns the server and listens on a socket beside it; when it ends, the next one that
 * needs the server takes over.
 */
import type { Duplex } from "node:stream";

import { connectLocally, listenLocally, sweepSockets, type Machine, type RunningProgram } from "@tau/sys";
import { delay, isRecord, log, privateDirectory, takeLock, timer, type Lock } from "@tau/utils";

import {
	programChannel,
	socketChannel,
	type ChannelListener,
	type MessageChannel,
} from "../client/channel.ts";
import { limits } from "../limits.ts";
import { ServerHub } from "./hub.ts";
import { messageOf, notification, own } from "./messages.ts";
import type { MeetingPoint } from "./meeting-point.ts";

export interface ServerProgram {
	command: readonly [string, ...string[]];
	root: string;
	machine: Machine;
	env: Record<string, string>;
}

/** Disposal ends the server, or leaves it to the one that owns it. */
export interface ServerLink extends AsyncDisposable {
	readonly channel: MessageChannel;
	/** Of the server. */
	readonly pid: number;
	/** Another Tau owns the server: when that one ends, the server is gone without having failed. */
	readonly isGuest: boolean;
	/** How many others use it. */
	readonly guests: number;
	/** What the server prints beside the protocol; nothing for a guest. */
	onPrinted(print: (text: string) => void): void;
	/** Closes the channel if the Tau that owns the server does not respond at all. */
	check(): void;
}

/** Without a meeting point the server is not shared. Rejects with a readable reason. */
export async function openLink(
	program: ServerProgram,
	meeting: MeetingPoint | undefined,
	signal: AbortSignal,
): Promise<ServerLink> {
	const shared = meeting ? await meet(program, meeting, signal).catch(unshared) : undefined;
	return shared ?? directLink(await startProgram(program));
}

/** Sharing saves memory, and is never the reason that a server does not start. */
function unshared(error: unknown): undefined {
	log.warn("a language server is not shared", { reason: String(error) });
}

async function meet(
	program: ServerProgram,
	{ directory, path }: MeetingPoint,
	signal: AbortSignal,
): Promise<ServerLink | undefined> {
	privateDirectory(directory);
	sweepSockets(directory);
	const until = performance.now() + limits.joinMs;
	while (performance.now() < until) {
		const socket = await connectLocally(`${path}.sock`);
		const link = socket ? await guestLink(socket) : undefined;
		if (link) return link;
		const outcome = socket ? undefined : takeLock(path);
		if (outcome?.ok) return await ownerLink(program, `${path}.sock`, outcome.lock);
		// Somebody is about to listen, or to end.
		await delay(limits.joinPauseMs, signal);
	}
	return undefined;
}

function startProgram({ command, root, machine, env }: ServerProgram): Promise<RunningProgram> {
	return machine.shell.start({ command, cwd: root, env });
}

function directLink(program: RunningProgram): ServerLink {
	return {
		channel: programChannel(program),
		pid: program.pid,
		isGuest: false,
		guests: 0,
		onPrinted: (print) => void program.errors.on("data", (chunk: Buffer) => print(chunk.toString())),
		check() {},
		[Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
	};
}

/** Listens before the program starts: those that come meanwhile wait for it. */
async function ownerLink(program: ServerProgram, socketPath: string, lock: Lock): Promise<ServerLink> {
	await using owned = new AsyncDisposableStack();
	owned.use(lock);
	const early: Duplex[] = [];
	let onGuest = (socket: Duplex): void => void early.push(socket);
	// The lock is ours: a socket that is there belonged to an owner that was killed.
	owned.use(await listenLocally(socketPath, (socket) => onGuest(socket)));
	owned.defer(() => {
		for (const socket of early) socket.destroy();
	});
	const running = owned.use(await startProgram(program));
	const hub = owned.use(new ServerHub(programChannel(running)));
	onGuest = (socket) => hub.join(socketChannel(socket, "the other Tau has ended"), running.pid);
	for (const socket of early.splice(0)) onGuest(socket);
	const resources = owned.move();
	const { pid, errors } = running;
	return {
		channel: hub.channel,
		pid,
		isGuest: false,
		get guests() {
			return hub.guests;
		},
		onPrinted: (print) => void errors.on("data", (chunk: Buffer) => print(chunk.toString())),
		check() {},
		[Symbol.asyncDispose]: () => resources.disposeAsync(),
	};
}

/** Undefined if the owner is just ending, or does not respond: it is suspended, or hangs. */
async function guestLink(socket: Duplex): Promise<ServerLink | undefined> {
	const channel = new GuestChannel(socketChannel(socket, "the Tau that started it has ended"));
	using _late = timer(limits.joinMs, () => channel.close());
	const pid = await channel.hello;
	if (pid === undefined) return undefined;
	return {
		channel,
		pid,
		isGuest: true,
		guests: 0,
		onPrinted() {},
		check: () => channel.check(),
		async [Symbol.asyncDispose]() {
			channel.close();
		},
	};
}

/** Handles what the owner says for itself, and passes on what the server says. */
class GuestChannel implements MessageChannel {
	readonly #channel: MessageChannel;
	readonly #hello = Promise.withResolvers<number | undefined>();
	#listener: ChannelListener | undefined;
	#closed: string | undefined;
	#checking: Disposable | undefined;

	constructor(channel: MessageChannel) {
		this.#channel = channel;
		channel.listen({
			onMessage: (value) => this.#onMessage(value),
			onClosed: (reason) => this.close(reason),
		});
	}

	/** The process of the server; undefined if the channel was closed before the owner said it. */
	get hello(): Promise<number | undefined> {
		return this.#hello.promise;
	}

	send(message: object): void {
		this.#channel.send(message);
	}

	listen(listener: ChannelListener): void {
		this.#listener = listener;
		if (this.#closed !== undefined) listener.onClosed(this.#closed);
	}

	close(reason = "it was stopped"): void {
		if (this.#closed !== undefined) return;
		this.#closed = reason;
		this.#checking?.[Symbol.dispose]();
		this.#hello.resolve(undefined);
		this.#channel.close();
		this.#listener?.onClosed(reason);
	}

	check(): void {
		if (this.#checking || this.#closed !== undefined) return;
		this.#checking = timer(limits.joinMs, () => this.close("the Tau that started it does not respond"));
		this.send(notification(own.ping, {}));
	}

	#onMessage(value: unknown): void {
		const message = messageOf(value);
		if (message?.method === own.pong) {
			this.#checking?.[Symbol.dispose]();
			this.#checking = undefined;
		} else if (message?.method === own.hello) {
			const { pid } = isRecord(message.params) ? message.params : {};
			this.#hello.resolve(typeof pid === "number" ? pid : undefined);
		} else if (message) this.#listener?.onMessage(message);
	}
}
