/** One connection of a room: what it still has to read, what it has sent, and how fast. */
import type { ServerWebSocket } from "bun";

import { Bucket } from "./buckets.ts";
import { codes, type Closing } from "./codes.ts";
import { allowances, limits } from "./limits.ts";
import type { Entry, LogReader } from "./room-log.ts";

/** What a relay tells its clients; `t` is the name, as on the wire. */
export type Control =
	| { t: "peer-joined"; peer: string; link: string }
	| { t: "peer-left"; peer: string }
	| { t: "host"; present: boolean; stream: number }
	| { t: "room-closed" }
	| { t: "partition"; on: boolean }
	| { t: "move"; ms: number }
	| { t: "ack"; n: number }
	| { t: "slow"; ms: number }
	| { t: "pushed"; endpoint: string; status: number }
	| { t: "resync"; all?: number; own?: number; up?: Record<string, number> };

/** How a connection's messages look: Tau's own (v1), or omp's. */
export interface Dialect {
	readonly name: "v1" | "omp";
	/** The bytes of a message for a member. */
	encode(entry: Entry, member: Member): Uint8Array;
	/** Undefined if the dialect has no such message. */
	control(control: Control): string | undefined;
}

/** What Bun keeps for a socket: who handles its messages at the moment. */
export interface SocketData {
	readonly address: string;
	readonly role: "host" | "guest";
	readonly dialect: Dialect["name"];
	readonly room: string;
	handler?: SocketHandler;
}
export type Socket = ServerWebSocket<SocketData>;

export interface SocketHandler {
	onText(text: string): void;
	onBinary(bytes: Uint8Array): void;
	onDrain(): void;
	/** The node drains; the client is to connect elsewhere within this time. */
	onMove(ms: number): void;
	onClose(): void;
}

export class Member {
	readonly socket: Socket;
	readonly dialect: Dialect;
	/** The guest's id; "" for the host. */
	readonly peer: string;
	readonly link: string;
	/** Made with the first message: most guests only read. */
	#used: { readonly bytes: Bucket; readonly messages: Bucket } | undefined;
	readonly #reader: LogReader;
	#pausedUntil = 0;
	#acked = 0;
	/** Binary messages of this connection that have arrived. */
	received = 0;
	/** Of these, the ones that are safe: in the log, and in Redis if there is one. */
	safe = 0;

	constructor(socket: Socket, dialect: Dialect, who: { peer: string; link: string; reader: LogReader }) {
		this.socket = socket;
		this.dialect = dialect;
		this.peer = who.peer;
		this.link = who.link;
		this.#reader = who.reader;
	}

	/** Sends what is there to read, until the client cannot take more at the moment. Returns the number of messages. */
	pump(): number {
		if (this.#reader.isAtEnd) return 0;
		let count = 0;
		this.socket.cork(() => {
			while (this.#canTake()) {
				if (this.#reader.skipDropped()) {
					this.#resync();
					break;
				}
				const entry = this.#reader.next();
				if (!entry) break;
				this.socket.sendBinary(this.dialect.encode(entry, this));
				count++;
			}
		});
		return count;
	}

	notify(control: Control): void {
		const text = this.dialect.control(control);
		// Whoever reads nothing would let small messages pile up as well.
		if (text !== undefined && this.socket.getBufferedAmount() < 2 * limits.pendingBytes)
			this.socket.sendText(text);
	}

	close({ code, reason }: Closing): void {
		this.socket.close(code, reason);
	}

	/** False if it sends too much; it was told to pause before, and is closed now. */
	accepts(bytes: number): boolean {
		const used = (this.#used ??= {
			bytes: new Bucket(this.peer === "" ? allowances.hostBytes : allowances.guestBytes),
			messages: new Bucket(allowances.messages),
		});
		if (!used.bytes.take(bytes) || !used.messages.take()) {
			this.close(codes.tooFast);
			return false;
		}
		const ms = Math.max(used.bytes.pauseMs, used.messages.pauseMs);
		const now = Date.now();
		if (ms > 0 && now >= this.#pausedUntil) {
			this.#pausedUntil = now + ms;
			this.notify({ t: "slow", ms });
		}
		return true;
	}

	acknowledge(): void {
		if (this.safe === this.#acked) return;
		this.#acked = this.safe;
		this.notify({ t: "ack", n: this.safe });
	}

	#canTake(): boolean {
		return this.socket.readyState === 1 && this.socket.getBufferedAmount() < limits.pendingBytes;
	}

	/** omp's guests ask for everything again when they connect again, and know no other way. */
	#resync(): void {
		if (this.dialect.name === "omp") return this.close(codes.tryLater);
		const { seen } = this.#reader;
		if (this.peer === "") this.notify({ t: "resync", up: Object.fromEntries(seen) });
		else this.notify({ t: "resync", all: seen.get("") ?? 0, own: seen.get(this.peer) ?? 0 });
	}
}
