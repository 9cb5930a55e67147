/** One connection of a room, of either dialect: what it still has to read, what it has sent, and how fast. */
import type { ServerWebSocket } from "bun";

import { Bucket } from "./buckets.ts";
import { codes, type Closing } from "./codes.ts";
import { allowances, limits } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import type { PushForwarder } from "./push.ts";
import type { Cursors, Entry, LogReader } from "./room-log.ts";
import type { Room } from "./room.ts";
import type { Rooms } from "./rooms.ts";

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

/** What members share with their node. */
export interface NodeParts {
	readonly rooms: Rooms;
	readonly metrics: Metrics;
	readonly push?: PushForwarder;
}

/** Of ten thousand guests most only read: what they hold for good counts. */
export abstract class Member {
	protected readonly parts: NodeParts;
	/** The room that it asks for. */
	protected key: string;
	protected socket!: ServerWebSocket<Member>;
	/** Set when it has joined. */
	room: Room | undefined;
	/** The guest's id; "" for the host. */
	peer = "";
	link = "";
	/** What it may send, made with its first message. */
	#allowance: Bucket | undefined;
	#pausedUntil = 0;
	#reader: LogReader | undefined;
	#acked = 0;
	/** Binary messages of this connection that have arrived. */
	received = 0;
	/** Of these, the ones that are safe: in the log, and in Redis if there is one. */
	safe = 0;

	constructor(parts: NodeParts, key: string) {
		this.parts = parts;
		this.key = key;
	}

	/** The socket is there. */
	open(socket: ServerWebSocket<Member>): void {
		this.socket = socket;
	}

	abstract onText(text: string): void;
	abstract onBinary(bytes: Uint8Array): void;

	onDrain(): void {
		this.parts.metrics.add("deliveries", this.pump());
	}

	onClose(): void {
		this.room?.drop(this);
	}

	/** The bytes of a message in this member's dialect. */
	protected abstract encode(entry: Entry): Uint8Array;
	/** Undefined if the dialect has no such message. */
	protected abstract control(control: Control): string | undefined;
	/** Messages were dropped before it read them; it reads on after these. */
	protected abstract onMissed(seen: Cursors): void;

	/** Sends what is there to read, until the client cannot take more at the moment. Returns the number of messages. */
	pump(): number {
		const reader = this.#reader;
		if (!reader || reader.isAtEnd) return 0;
		let count = 0;
		this.socket.cork(() => {
			while (this.#canTake()) {
				if (reader.skipDropped()) {
					this.onMissed(reader.seen);
					break;
				}
				const entry = reader.next();
				if (!entry) break;
				this.socket.sendBinary(this.encode(entry));
				count++;
			}
		});
		return count;
	}

	notify(control: Control): void {
		const text = this.control(control);
		// Whoever reads nothing would let small messages pile up as well.
		if (text !== undefined && this.socket.getBufferedAmount() < 2 * limits.pendingBytes)
			this.socket.sendText(text);
	}

	close({ code, reason }: Closing): void {
		this.socket.close(code, reason);
	}

	acknowledge(): void {
		if (this.safe === this.#acked) return;
		this.#acked = this.safe;
		this.notify({ t: "ack", n: this.safe });
	}

	protected get isGone(): boolean {
		return this.socket.readyState !== 1;
	}

	/** Its own doing ends it. */
	protected refuse(why: Closing): void {
		this.parts.metrics.add("closed_by_relay");
		this.close(why);
	}

	protected enter(room: Room, reader: LogReader): void {
		this.room = room;
		// One text for all members of the room.
		this.key = room.key;
		this.#reader = reader;
	}

	/** False if it sends too much; it was told to pause before, and is closed now. */
	protected accepts(bytes: number): boolean {
		this.#allowance ??= new Bucket(this.peer === "" ? allowances.host : allowances.guest);
		if (!this.#allowance.take(bytes + limits.messageBytes)) {
			this.refuse(codes.tooFast);
			return false;
		}
		const ms = this.#allowance.pauseMs;
		const now = Date.now();
		if (ms > 0 && now >= this.#pausedUntil) {
			this.#pausedUntil = now + ms;
			this.notify({ t: "slow", ms });
		}
		return true;
	}

	#canTake(): boolean {
		return !this.isGone && this.socket.getBufferedAmount() < limits.pendingBytes;
	}
}
