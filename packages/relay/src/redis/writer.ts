/** Writes to one Redis what rooms have for other nodes: many rooms with one call, because a trip costs more than a message. */
import { limits } from "../limits.ts";
import type { Metrics } from "../metrics.ts";
import { unlessAway, type RedisLink } from "./link.ts";
import { append } from "./scripts.ts";

/** Messages of one direction of a room. */
export interface Batch {
	/** The key of the stream, from which the other keys of the room follow. */
	readonly stream: string;
	/** That of the room, so that Redis notices if it has lost it. */
	readonly generation: string;
	/** Messages joined by commas, in base64, because Bun's client reads replies as text. */
	readonly payload: string;
	/** How many bytes Redis has with it; -1 if it has lost the room. Returns whether there is more to write. */
	confirm(total: number): boolean;
}

/** A room that has something to write: the same batches again until they are confirmed. */
export interface Source {
	batches(): Batch[];
}

/** How many bytes of each stream Redis keeps; base64 takes a third more. */
const kept = [limits.downBytes, limits.upBytes].map((bytes) => String(Math.ceil((bytes * 4) / 3)));

export class Writer implements Disposable {
	readonly #link: RedisLink;
	readonly #metrics: Metrics;
	/** What every call begins with: this node, how long a room outlives its last sign of life, and what is kept. */
	readonly #head: readonly string[];
	readonly #waiting = new Set<Source>();
	#gatherMs: number = limits.redis.gatherMs;
	#timer: Timer | undefined;
	#writing: Promise<void> | undefined;

	constructor(link: RedisLink, metrics: Metrics, head: readonly [string, string]) {
		this.#link = link;
		this.#metrics = metrics;
		this.#head = [...head, ...kept];
	}

	/** What comes within a moment is written together. */
	add(source: Source): void {
		this.#waiting.add(source);
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			void this.#write();
		}, this.#gatherMs);
	}

	remove(source: Source): void {
		this.#waiting.delete(source);
	}

	/** Resolves when everything that the source has now is written, or Redis is away. */
	async flush(source: Source): Promise<void> {
		this.#waiting.add(source);
		await this.#write();
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#timer);
		this.#waiting.clear();
	}

	/** One call at a time: what comes meanwhile goes with the next one. */
	async #write(): Promise<void> {
		while (this.#writing) await this.#writing;
		this.#writing = this.#writeAll().finally(() => {
			this.#writing = undefined;
		});
		await this.#writing;
	}

	async #writeAll(): Promise<void> {
		const sources = new Set(this.#waiting);
		this.#waiting.clear();
		while (sources.size > 0 && this.#link.isUp) {
			const batches: [Source, Batch][] = [];
			let bytes = 0;
			for (const source of sources) {
				if (bytes > limits.redis.batchBytes) break;
				sources.delete(source);
				for (const batch of source.batches()) {
					batches.push([source, batch]);
					// Redis takes some time for a batch, however small.
					bytes += batch.payload.length + limits.entryBytes;
				}
			}
			// One that has more has its turn after the others.
			for (const source of await this.#call(batches)) sources.add(source);
		}
	}

	/** Returns who has more. Without Redis nobody has: rooms write again what was not confirmed when it is back. */
	async #call(batches: readonly [Source, Batch][]): Promise<Source[]> {
		if (batches.length === 0) return [];
		// A node with a batch for each millisecond saves more by waiting than its members notice.
		const isBusy = batches.length >= this.#gatherMs;
		this.#gatherMs = isBusy ? limits.redis.busyGatherMs : limits.redis.gatherMs;
		const keys: string[] = [];
		const args = [...this.#head];
		for (const [, { stream, generation, payload }] of batches) {
			keys.push(stream);
			args.push(generation, payload);
		}
		const totals = await unlessAway(() => this.#link.run(append, keys, args));
		if (totals === undefined) return [];
		this.#metrics.add("redis_writes");
		const total = (at: number): number => (Array.isArray(totals) ? Number(totals[at]) : -1);
		return batches.filter(([, batch], at) => batch.confirm(total(at))).map(([source]) => source);
	}
}
