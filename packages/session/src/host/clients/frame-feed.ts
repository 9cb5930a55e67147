/** Makes the frames of a session, once for all remote clients, and keeps the last ones for those that come back. */
import { timer, uuidv7 } from "@tau/utils";
import {
	frameLimits,
	frameLines,
	isStreaming,
	leanEvent,
	merged,
	type ClientInfo,
	type Entry,
	type EntryTail,
	type EventFrame,
	type Frame,
	type FrameKind,
	type FrameOf,
	type Live,
	type SessionFacts,
} from "@tau/wire";

/** What is sent comes from here. */
export interface FeedSource {
	readonly sessionId: string;
	readonly leafId: string | null;
	readonly live: Live;
	readonly clients: readonly ClientInfo[];
	facts(): SessionFacts;
	tail(): EntryTail;
	entry(id: string): Entry | undefined;
}

/** A frame that was numbered, as the lines that carry it. */
export interface SentFrame {
	readonly seq: number;
	readonly sessionId: string;
	readonly lines: readonly string[];
	readonly bytes: number;
}

type Item = { event: EventFrame } | { entryId: string } | { clients: readonly ClientInfo[] };

export class FrameFeed implements Disposable {
	readonly epoch = uuidv7();
	readonly #source: FeedSource;
	readonly #onFrames: () => void;
	#seq = 0;
	readonly #kept: SentFrame[] = [];
	readonly #keepBytes: number;
	#keptBytes = 0;
	#batch: Item[] = [];
	#due: Disposable | undefined;
	#isScheduled = false;
	#isFlushing = false;
	#isStale = false;
	/** Numbered, and not handed out yet. */
	#newBytes = 0;
	#flushedAt = -Infinity;
	/** The facts that clients have, as JSON, by name. */
	readonly #sentFacts = new Map<string, string>();
	#sentSession: string;
	#sentLeaf: string | null;

	constructor(source: FeedSource, onFrames: () => void, keepBytes: number = frameLimits.replayBytes) {
		this.#source = source;
		this.#onFrames = onFrames;
		this.#keepBytes = keepBytes;
		this.#sentSession = source.sessionId;
		this.#sentLeaf = source.leafId;
		this.#changedFacts();
	}

	/** Between two frames of a batch: a snapshot would have what the next frames say. */
	get isFlushing(): boolean {
		return this.#isFlushing;
	}

	get sessionId(): string {
		return this.#source.sessionId;
	}

	/** The number of the last frame. */
	get seq(): number {
		return this.#seq;
	}

	push(event: EventFrame): void {
		const last = this.#batch.at(-1);
		const both = last && "event" in last ? merged(last.event, event) : undefined;
		if (both) this.#batch[this.#batch.length - 1] = { event: both };
		else this.#batch.push({ event });
		this.#schedule(isStreaming(event));
	}

	pushEntry(entryId: string): void {
		this.#batch.push({ entryId });
		this.#schedule(false);
	}

	pushClients(clients: readonly ClientInfo[]): void {
		this.#batch.push({ clients });
		this.#schedule(false);
	}

	/** Facts have changed without an event. */
	refresh(): void {
		this.#isStale = true;
		this.#schedule(false);
	}

	/** The frames after this number; undefined if some of them are gone. */
	after(seq: number): readonly SentFrame[] | undefined {
		const first = this.#kept[0]?.seq ?? this.#seq + 1;
		if (seq + 1 < first || seq > this.#seq) return undefined;
		return this.#kept.slice(seq + 1 - first);
	}

	/** Everything as of now; the next frame continues from it. */
	snapshot(): readonly string[] {
		this.flush();
		return frameLines(this.#snapshotFrame(this.#seq));
	}

	/** Numbers what waits, and hands it out. */
	flush(): void {
		this.#due?.[Symbol.dispose]();
		this.#due = undefined;
		const items = this.#batch;
		if (items.length === 0 && !this.#isStale) return;
		this.#batch = [];
		this.#flushedAt = performance.now();
		this.#isFlushing = true;
		const isMore = this.#isStale || items.some((item) => !("event" in item) || !isStreaming(item.event));
		this.#isStale = false;
		if (isMore) this.#sendFacts();
		for (const item of items) this.#sendItem(item);
		const { sessionId, leafId } = this.#source;
		// Another session, or another branch of it: what clients have is of no use any more.
		if (sessionId !== this.#sentSession || leafId !== this.#sentLeaf) this.#sendSnapshot();
		this.#isFlushing = false;
		this.#handOut();
	}

	[Symbol.dispose](): void {
		this.#due?.[Symbol.dispose]();
		this.#due = undefined;
	}

	/** At once, with what else happens in this turn of the event loop; deltas at most once in `batchMs`. */
	#schedule(isDelta: boolean): void {
		if (this.#isScheduled) return;
		const waitMs = isDelta ? this.#flushedAt + frameLimits.batchMs - performance.now() : 0;
		if (waitMs > 0) {
			this.#due ??= timer(waitMs, () => this.flush());
			return;
		}
		this.#isScheduled = true;
		queueMicrotask(() => {
			this.#isScheduled = false;
			this.flush();
		});
	}

	#sendFacts(): void {
		const changed = this.#changedFacts();
		if (changed) this.#send("state", changed);
	}

	#changedFacts(): Partial<SessionFacts> | undefined {
		const changed: [string, unknown][] = [];
		for (const [name, value] of Object.entries(this.#source.facts())) {
			const json = JSON.stringify(value);
			if (this.#sentFacts.get(name) === json) continue;
			this.#sentFacts.set(name, json);
			changed.push([name, value]);
		}
		return changed.length === 0 ? undefined : Object.fromEntries(changed);
	}

	#sendItem(item: Item): void {
		if ("clients" in item) return this.#send("presence", { clients: item.clients });
		if ("entryId" in item) return this.#sendEntry(item.entryId);
		const { event } = item;
		if (event.type === "request_opened" || event.type === "request_closed") this.#send("request", event);
		else this.#send("event", leanEvent(event));
	}

	/** One that does not continue what clients have is part of the snapshot that follows. */
	#sendEntry(id: string): void {
		const entry = this.#source.entry(id);
		if (!entry || this.#source.sessionId !== this.#sentSession || entry.parentId !== this.#sentLeaf) return;
		this.#sentLeaf = id;
		this.#send("entry", { entry, leafId: id });
	}

	#sendSnapshot(): void {
		const { sessionId, leafId } = this.#source;
		this.#sentSession = sessionId;
		this.#sentLeaf = leafId;
		this.#keep(this.#snapshotFrame(++this.#seq));
	}

	#snapshotFrame(seq: number): FrameOf<"snapshot"> {
		const { sessionId, live, clients } = this.#source;
		const { epoch } = this;
		const cursor = { epoch, seq };
		const body = {
			cursor,
			facts: this.#source.facts(),
			tail: this.#source.tail(),
			live: live.state(),
			clients,
		};
		return { epoch, seq, sessionId, kind: "snapshot", body };
	}

	#send<K extends FrameKind>(kind: K, body: FrameOf<K>["body"]): void {
		const { sessionId } = this.#source;
		// The kind decides about the body, which the compiler cannot follow through the union.
		this.#keep({ epoch: this.epoch, seq: ++this.#seq, sessionId, kind, body } as unknown as Frame);
	}

	#handOut(): void {
		this.#newBytes = 0;
		this.#onFrames();
	}

	#keep(frame: Frame): void {
		const lines = frameLines(frame);
		const bytes = lines.reduce((sum, line) => sum + line.length, 0);
		this.#kept.push({ seq: frame.seq, sessionId: frame.sessionId, lines, bytes });
		this.#keptBytes += bytes;
		this.#newBytes += bytes;
		// Nobody lags behind because of one large batch.
		if (this.#newBytes > this.#keepBytes / 4) this.#handOut();
		let gone = 0;
		while (this.#keptBytes > this.#keepBytes && gone < this.#kept.length - 1)
			this.#keptBytes -= this.#kept[gone++]?.bytes ?? 0;
		// Many at a time: moving the rest by one for each would cost the square.
		if (gone > this.#kept.length / 8) this.#kept.splice(0, gone);
		else for (const _ of Array.from({ length: gone })) this.#kept.shift();
	}
}
