/** Frames that are sent once for all members of a room; each member reads only what it lacks by itself. */
import { log } from "@tau/utils";
import type { Cursor } from "@tau/wire";

import { limits } from "../limits.ts";
import type { FrameFeed } from "./frame-feed.ts";
import type { LineReceiver } from "./frame-client.ts";

export interface BroadcastOptions {
	/** Frames of any other session are not sent: the owner has moved on, and the room has not. */
	readonly sessionId: string;
	readonly onLines: LineReceiver;
	/** Whose session it is, as members read it. */
	readonly hostName: string;
}

interface BroadcastEvents {
	/** Members may have something to read by themselves. */
	onSent(): void;
	onGone(): void;
}

export class Broadcast implements Disposable {
	readonly #feed: FrameFeed;
	readonly #options: BroadcastOptions;
	readonly #events: BroadcastEvents;
	#seq: number;
	#isWriting = false;
	#isGone = false;

	constructor(feed: FrameFeed, options: BroadcastOptions, events: BroadcastEvents) {
		this.#feed = feed;
		this.#options = options;
		this.#events = events;
		this.#seq = feed.seq;
	}

	/** The number of the last frame that was sent to all. */
	get seq(): number {
		return this.#seq;
	}

	/** Where a member is that has read everything that was sent to all. */
	get cursor(): Cursor {
		return { epoch: this.#feed.epoch, seq: this.#seq };
	}

	get sessionId(): string {
		return this.#options.sessionId;
	}

	get hostName(): string {
		return this.#options.hostName;
	}

	wake(): void {
		if (!this.#isWriting && !this.#isGone) void this.#write();
	}

	[Symbol.dispose](): void {
		this.#isGone = true;
		this.#events.onGone();
	}

	async #write(): Promise<void> {
		this.#isWriting = true;
		try {
			while (!this.#isGone) {
				const lines = this.#next();
				if (lines.length === 0) return;
				const writing = this.#options.onLines(lines);
				if (writing) await writing;
			}
		} catch (error) {
			// Members notice that frames are missing, and ask for them.
			log.warn("frames could not be sent to a room", { reason: String(error) });
		} finally {
			this.#isWriting = false;
			this.#events.onSent();
		}
	}

	#next(): string[] {
		// So far behind, the relay must have been away: members have noticed, and get a snapshot.
		const waiting = this.#feed.after(this.#seq) ?? [];
		if (waiting.length === 0) this.#seq = this.#feed.seq;
		const lines: string[] = [];
		let bytes = 0;
		for (const frame of waiting) {
			if (bytes > limits.writeBytes) break;
			this.#seq = frame.seq;
			if (frame.sessionId !== this.sessionId) continue;
			lines.push(...frame.lines);
			bytes += frame.bytes;
		}
		return lines;
	}
}
