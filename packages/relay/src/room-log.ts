/** The last messages of one direction of a room, which every member reads at its own pace. */
import type { Envelope } from "@tau/wire/envelope";

import { limits } from "./limits.ts";

export interface Entry {
	readonly bytes: Uint8Array;
	/** The channel within the direction: a guest, or "" for all of them. */
	readonly peer: string;
	readonly seq: number;
	readonly at: number;
	/** The sender is connected to this node, so this node hands it on to the others. */
	readonly isLocal: boolean;
}

/** The last number of each channel that was sent or read. */
export type Cursors = ReadonlyMap<string, number>;

export class RoomLog {
	readonly #limit: number;
	#entries: Entry[] = [];
	/** The position of `#entries[0]`; positions only grow. */
	#start = 0;
	/** Entries before this one are dropped; the array is cut now and then. */
	#head = 0;
	readonly #last = new Map<string, number>();
	bytes = 0;
	/** Counts the lives of the host: in each of them the numbers begin anew. */
	life = 0;

	constructor(limit: number) {
		this.#limit = limit;
	}

	get start(): number {
		return this.#start + this.#head;
	}

	get end(): number {
		return this.#start + this.#entries.length;
	}

	/** What it takes of the memory: a message of twenty bytes takes far more than these. */
	get cost(): number {
		return this.bytes + (this.end - this.start) * limits.entryBytes;
	}

	/** The last number of each channel, also when the message itself is no longer kept. */
	get last(): Cursors {
		return this.#last;
	}

	at(position: number): Entry | undefined {
		return this.#entries[position - this.#start];
	}

	/** False if the channel has this message already: a sender repeats what it is not sure of. */
	append({ peer, seq }: Envelope, bytes: Uint8Array, isLocal: boolean): boolean {
		if (seq <= (this.#last.get(peer) ?? 0)) return false;
		this.#remember(peer, seq);
		this.#entries.push({ bytes, peer, seq, at: Date.now(), isLocal });
		this.bytes += bytes.length;
		while (this.bytes > this.#limit || this.end - this.start > limits.entries) this.#dropFirst();
		return true;
	}

	/** Forgets messages that are older than `before`, or all of them. */
	forget(before = Number.POSITIVE_INFINITY): void {
		for (let first = this.at(this.start); first && first.at < before; first = this.at(this.start))
			this.#dropFirst();
	}

	/** A guest that is gone for good leaves no number behind. */
	forgetChannel(peer: string): void {
		this.#last.delete(peer);
	}

	/** A new life of the host: nothing of the old one is sent to anybody. */
	clear(): void {
		this.forget();
		this.#last.clear();
		this.life++;
	}

	/** Most recently used last. Guests that left long ago are forgotten: ends drop repeated messages themselves. */
	#remember(peer: string, seq: number): void {
		this.#last.delete(peer);
		this.#last.set(peer, seq);
		if (this.#last.size <= limits.channels) return;
		const oldest = this.#last.keys().find((each) => each !== "");
		if (oldest !== undefined) this.#last.delete(oldest);
	}

	#dropFirst(): void {
		const first = this.#entries[this.#head];
		if (!first) return;
		this.bytes -= first.bytes.length;
		this.#head++;
		// Cutting the array costs its length, so it is done once for many.
		if (this.#head < 256 || this.#head * 2 < this.#entries.length) return;
		this.#entries = this.#entries.slice(this.#head);
		this.#start += this.#head;
		this.#head = 0;
	}
}

/** What members of this node have sent. */
export const local = Symbol("local");

/** Where a member, or another node, reads a log. */
export class LogReader {
	readonly #log: RoomLog;
	readonly #whose: string | typeof local | undefined;
	#position: number;
	#life: number;
	/** What it had read of each channel when it came back, perhaps on a node that knew more, until all of that is past. */
	#back: Cursors | undefined;

	/** Begins with what comes next, for everybody, for one guest, or of the members of this node. */
	constructor(log: RoomLog, whose?: string | typeof local) {
		this.#log = log;
		this.#whose = whose;
		this.#position = log.end;
		this.#life = log.life;
	}

	/** What it has read of each channel, where it begins, comes back, or has missed something. */
	get seen(): Cursors {
		return this.#back ?? this.#log.last;
	}

	get isAtEnd(): boolean {
		return this.#position >= this.#log.end;
	}

	/** Goes back to what follows `cursors`; returns the channels of which something is no longer there. */
	resume(cursors: Cursors): string[] {
		const kept = new Map<string, number>();
		for (let at = this.#log.end - 1; at >= this.#log.start; at--) {
			const entry = this.#log.at(at);
			if (entry) kept.set(entry.peer, entry.seq);
		}
		const seen = new Map(cursors);
		const lost: string[] = [];
		for (const [peer, last] of this.#log.last) {
			const seq = cursors.get(peer) ?? 0;
			const isCovered = seq >= last || (kept.get(peer) ?? last + 1) <= seq + 1;
			seen.set(peer, isCovered ? seq : last);
			if (!isCovered && this.#wants({ peer, isLocal: true })) lost.push(peer);
		}
		this.#position = this.#log.start;
		this.#back = seen;
		return lost;
	}

	/** Starts over with all stored messages: the reader has lost its own. */
	rewind(): void {
		this.#back = undefined;
		this.#position = this.#log.start;
	}

	/** True if messages were dropped from the log before they were read; reading continues with what comes next. */
	skipDropped(): boolean {
		// What it has read of an earlier life of the host says nothing about this one.
		if (this.#life !== this.#log.life) {
			this.#life = this.#log.life;
			this.rewind();
		}
		if (this.#position >= this.#log.start) return false;
		this.#back = undefined;
		this.#position = this.#log.end;
		return true;
	}

	/** The next message for this reader. */
	next(): Entry | undefined {
		for (let entry = this.#log.at(this.#position); entry; entry = this.#log.at(this.#position)) {
			this.#position++;
			if (this.#wants(entry) && entry.seq > (this.#back?.get(entry.peer) ?? 0)) return entry;
		}
		if (this.#back?.entries().every(([peer, seq]) => seq <= (this.#log.last.get(peer) ?? 0)))
			this.#back = undefined;
		return undefined;
	}

	/** A function of its own would take memory for each of ten thousand guests. */
	#wants({ peer, isLocal }: Pick<Entry, "peer" | "isLocal">): boolean {
		if (this.#whose === undefined) return true;
		return this.#whose === local ? isLocal : peer === "" || peer === this.#whose;
	}
}
