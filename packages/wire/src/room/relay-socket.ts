/** The connection of a host or a guest to a relay: binary messages of the room, and control messages as JSON. */
import { delay, isRecord } from "@tau/utils/portable";

import type { Bytes } from "./bytes.ts";
import { roomLimits as limits } from "./limits.ts";

export interface RelayEvents {
	onOpen(): void;
	onMessage(bytes: Bytes): void;
	onControl(control: Readonly<Record<string, unknown>>): void;
	/** Called once. */
	onEnd(end: RelayEnd): void;
}

export interface RelayEnd {
	readonly code: number;
	readonly reason: string;
}

export interface RelayConnection extends Disposable {
	/** A promise while the network does not take more. */
	send(bytes: Bytes): void | Promise<void>;
	control(control: object): void;
}

/** Opens a connection; the first message of the relay says that it is there. */
export type ConnectRelay = (
	relay: string,
	room: string,
	role: "host" | "guest",
	events: RelayEvents,
) => RelayConnection;

export const closeCodes = {
	roomClosed: 4001,
	refused: 4003,
	noRoom: 4004,
	notOurs: 4009,
	full: 4029,
} as const;

/** How long a relay may be silent before it is asked whether it is there, and before it is given up. */
export interface Silence {
	readonly pingMs: number;
	readonly silenceMs: number;
}

export function webSocketRelays(silence: Silence): ConnectRelay {
	return (relay, room, role, events) =>
		new RelaySocket(`${relay}/r/${room}?role=${role}&v=1`, events, silence);
}

export const webSocketRelay: ConnectRelay = webSocketRelays(limits);

/** omp's relays send nothing before another member does, and have no ping. */
export const ompRelay: ConnectRelay = (relay, room, role, events) =>
	new RelaySocket(`${relay}/r/${room}?role=${role}`, events, undefined);

/** More than that is not handed to the socket before it has sent some. */
const unsentBytes = 1024 * 1024;
const unsentPollMs = 5;

class RelaySocket implements RelayConnection {
	readonly #socket: WebSocket;
	readonly #events: RelayEvents;
	readonly #owned = new DisposableStack();
	#heardAt = performance.now();
	#isEnded = false;

	constructor(url: string, events: RelayEvents, silence: Silence | undefined) {
		this.#events = events;
		this.#socket = new WebSocket(url);
		this.#socket.binaryType = "arraybuffer";
		const late = setTimeout(() => this.#end(0, "The relay does not answer."), limits.connectMs);
		this.#owned.defer(() => clearTimeout(late));
		this.#socket.addEventListener(silence ? "message" : "open", () => clearTimeout(late), { once: true });
		this.#socket.addEventListener("open", () => {
			events.onOpen();
			if (silence) this.#watch(silence);
		});
		this.#socket.addEventListener("message", ({ data }) => this.#receive(data));
		// An error says nothing that the close after it does not say.
		this.#socket.addEventListener("close", ({ code, reason }) =>
			this.#end(code, reason || "The relay closed the connection."),
		);
	}

	send(bytes: Bytes): void | Promise<void> {
		if (this.#socket.readyState !== WebSocket.OPEN) return;
		this.#socket.send(bytes);
		if (this.#socket.bufferedAmount > unsentBytes) return this.#drained();
	}

	control(control: object): void {
		if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(control));
	}

	[Symbol.dispose](): void {
		this.#end(1000, "");
	}

	/** A network that has changed, such as by a VPN, ends no connection: nothing arrives any more, and nobody says so. */
	#watch({ pingMs, silenceMs }: Silence): void {
		const asking = setInterval(() => {
			const silentMs = performance.now() - this.#heardAt;
			if (silentMs > silenceMs) this.#end(0, "The relay does not answer any more.");
			else if (silentMs > pingMs / 2) this.control({ t: "ping" });
		}, pingMs);
		this.#owned.defer(() => clearInterval(asking));
	}

	/** WebSockets do not say when they have sent something. */
	async #drained(): Promise<void> {
		while (this.#socket.readyState === WebSocket.OPEN && this.#socket.bufferedAmount > unsentBytes)
			await delay(unsentPollMs);
	}

	#receive(data: unknown): void {
		if (this.#isEnded) return;
		this.#heardAt = performance.now();
		if (data instanceof ArrayBuffer) return this.#events.onMessage(new Uint8Array(data));
		if (typeof data !== "string") return;
		let control: unknown;
		try {
			control = JSON.parse(data);
		} catch {
			return this.#end(0, "What answers there is not a relay.");
		}
		if (isRecord(control)) this.#events.onControl(control);
	}

	#end(code: number, reason: string): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		this.#owned.dispose();
		this.#socket.close();
		this.#events.onEnd({ code, reason });
	}
}

/** Doubled each time, and different for everybody, so that not all of them come back at once. */
export function retryMs(attempt: number): number {
	const most = attempt < limits.hurriedRetries ? limits.hurriedRetryMs : limits.retryMostMs;
	const ms = Math.min(limits.retryMs * 2 ** attempt, most);
	return ms * (0.75 + Math.random() / 2);
}
