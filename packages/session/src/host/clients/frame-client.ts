/** A client elsewhere: it reads frames at its own pace. One that lags too far behind gets a snapshot instead. */
import { log } from "@tau/utils";
import { frameLimits, frameLines, type ComponentChanges, type Cursor, type FrameOf } from "@tau/wire";

import { limits } from "../limits.ts";
import type { Broadcast } from "./broadcast.ts";
import type { FrameFeed } from "./frame-feed.ts";

/** Takes lines; a promise while the other end does not read. */
export type LineReceiver = (lines: readonly string[]) => void | Promise<void>;

type Response = FrameOf<"response">["body"];

/** What extensions draw for one client: asked for when it can take more, so that nothing waits for one that is slow. */
export interface ComponentSource {
	take(): ComponentChanges | undefined;
}

interface OwnLines {
	/** Sent when the frames up to this number have been. */
	after: number;
	lines: readonly string[];
	bytes: number;
}

export class FrameClient implements Disposable {
	readonly #feed: FrameFeed;
	readonly #receive: LineReceiver;
	/** The number of the last frame that was handed over; undefined: it needs a snapshot. */
	#seq: number | undefined;
	#own: OwnLines[] = [];
	#ownBytes = 0;
	/** Undefined until the client has said that it can show components. */
	components: ComponentSource | undefined;
	#isWriting = false;
	#isGone = false;
	/** The room that it is a member of: what is sent to all is not sent to it again. */
	readonly #room: Broadcast | undefined;
	/** It has read as far as all, and reads on with them. */
	#isWithAll = false;

	constructor(
		feed: FrameFeed,
		receive: LineReceiver,
		{ from, room }: { from?: Cursor | undefined; room?: Broadcast | undefined },
	) {
		this.#feed = feed;
		this.#receive = receive;
		this.#room = room;
		this.#continueFrom(from);
	}

	/** It has lost what came after, and reads that by itself before it reads on with all. */
	resume(from: Cursor): void {
		this.#isWithAll = false;
		this.#continueFrom(from);
		this.wake();
	}

	/** Whether it has too many responses that it does not read. */
	get isFull(): boolean {
		return this.#ownBytes > frameLimits.queueBytes;
	}

	/** To this client alone, after everything that has happened until now. */
	respond(sessionId: string, body: Response): void {
		this.#feed.flush();
		const { epoch, seq } = this.#feed;
		const lines = frameLines({ epoch, seq, sessionId, kind: "response", body });
		const bytes = lines.reduce((sum, line) => sum + line.length, 0);
		this.#own.push({ after: seq, lines, bytes });
		this.#ownBytes += bytes;
		this.wake();
	}

	/** There is something to send. */
	wake(): void {
		if (!this.#isWriting && !this.#isGone) void this.#write();
	}

	[Symbol.dispose](): void {
		this.#isGone = true;
		this.#own = [];
		this.#ownBytes = 0;
	}

	async #write(): Promise<void> {
		this.#isWriting = true;
		try {
			for (;;) {
				const lines = this.#next();
				if (lines.length === 0 || this.#isGone) return;
				const writing = this.#receive(lines);
				// Without a promise the next frame is not a turn of the event loop late.
				if (writing) await writing;
			}
		} catch (error) {
			this.#isGone = true;
			log.debug("a client of a session is gone", { reason: String(error) });
		} finally {
			this.#isWriting = false;
		}
	}

	#continueFrom(from: Cursor | undefined): void {
		this.#seq = from?.epoch === this.#feed.epoch && this.#feed.after(from.seq) ? from.seq : undefined;
	}

	#next(): string[] {
		if (this.#room && this.#room.sessionId !== this.#feed.sessionId) return [];
		if (this.#isWithAll) return this.#ownLines();
		const waiting = this.#seq === undefined ? undefined : this.#feed.after(this.#seq);
		if (!waiting) return this.#feed.isFlushing ? [] : this.#snapshot();
		const lines: string[] = [];
		let bytes = 0;
		for (const frame of waiting) {
			if (this.#room && frame.seq > this.#room.seq) break;
			this.#takeOwn(frame.seq - 1, lines);
			if (bytes > limits.writeBytes) return lines;
			lines.push(...frame.lines);
			bytes += frame.bytes;
			this.#seq = frame.seq;
		}
		if (this.#room) {
			this.#isWithAll = true;
			return [...lines, ...this.#ownLines()];
		}
		this.#takeOwn(this.#feed.seq, lines);
		this.#takeComponents(lines);
		return lines;
	}

	/** They say which frame they follow: a member has them wait until it has that. */
	#ownLines(): string[] {
		const lines: string[] = [];
		this.#takeOwn(this.#feed.seq, lines);
		this.#takeComponents(lines);
		return lines;
	}

	/** After the events that they may show, and not numbered: they are made for this client alone. */
	#takeComponents(lines: string[]): void {
		const body = this.components?.take();
		if (!body) return;
		const { epoch, seq, sessionId } = this.#feed;
		lines.push(...frameLines({ epoch, seq, sessionId, kind: "component", body }));
	}

	#snapshot(): string[] {
		const lines = [...this.#feed.snapshot()];
		this.#seq = this.#feed.seq;
		this.#takeOwn(this.#seq, lines);
		return lines;
	}

	#takeOwn(upTo: number, lines: string[]): void {
		while (this.#own[0] && this.#own[0].after <= upTo) {
			const own = this.#own.shift();
			lines.push(...(own?.lines ?? []));
			this.#ownBytes -= own?.bytes ?? 0;
		}
	}
}
