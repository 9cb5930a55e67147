/** What the main thread and the thread that watches it know of each other, in memory that both see. */
import { cutUtf8 } from "@tau/utils";

import { limits } from "./limits.ts";

/** Where a message of the watching thread goes. */
export const surfaces = {
	/** Standard error. */
	plain: 0,
	/** The screen, whose keys are read there too. */
	screen: 1,
	/** The terminal belongs to a program that Tau or an extension has started: nothing is written or read. */
	lent: 2,
} as const;

export type Surface = (typeof surfaces)[keyof typeof surfaces];

/** The numbers, by their places. */
const places = {
	beat: 0,
	surface: 1,
	guard: 2,
	isRunning: 3,
	nameBytes: 4,
	restoreBytes: 5,
	keyBytes: 6,
	columns: 7,
};
/** Values of `guard`. */
const [absent, present, dismissed] = [0, 1, 2];

const numbersBytes = 64;
const nameStart = numbersBytes;
const restoreStart = nameStart + limits.nameBytes;
const keysStart = restoreStart + limits.restoreBytes;

export class SharedState {
	readonly buffer: SharedArrayBuffer;
	readonly #numbers: Int32Array;
	readonly #bytes: Uint8Array;

	constructor(buffer = new SharedArrayBuffer(keysStart + limits.keyBytes)) {
		this.buffer = buffer;
		this.#numbers = new Int32Array(buffer, 0, numbersBytes / 4);
		this.#bytes = new Uint8Array(buffer);
	}

	get beat(): number {
		return this.#read(places.beat);
	}

	/** A sign of life of the main thread. */
	giveBeat(): void {
		Atomics.add(this.#numbers, places.beat, 1);
	}

	get surface(): Surface {
		return this.#read(places.surface) as Surface;
	}

	set surface(surface: Surface) {
		this.#write(places.surface, surface);
	}

	get columns(): number {
		return this.#read(places.columns);
	}

	set columns(columns: number) {
		this.#write(places.columns, columns);
	}

	/** The extension whose code runs, or ran last, and what it does: `foo\ninput`. */
	get code(): { label: string; activity: string; isRunning: boolean } | undefined {
		const [label = "", activity = ""] = this.#text(nameStart, this.#read(places.nameBytes)).split("\n");
		if (label === "") return undefined;
		return { label, activity, isRunning: this.#read(places.isRunning) === 1 };
	}

	setCode(code: string, isRunning: boolean): void {
		this.#write(places.nameBytes, this.#setText(nameStart, cutUtf8(code, limits.nameBytes)));
		this.#write(places.isRunning, isRunning ? 1 : 0);
	}

	/** The bytes that restore the terminal. */
	get restoreSequence(): string {
		return this.#text(restoreStart, this.#read(places.restoreBytes));
	}

	set restoreSequence(sequence: string) {
		this.#write(places.restoreBytes, this.#setText(restoreStart, sequence));
	}

	/** The watching thread has the terminal and the signals. */
	get isGuarded(): boolean {
		return this.#read(places.guard) !== absent;
	}

	/** For the watching thread: waits until the main one is back, and returns false if it is not within `ms`. */
	waitForDismissal(ms: number): boolean {
		Atomics.wait(this.#numbers, places.guard, present, ms);
		return this.#read(places.guard) !== present;
	}

	takeGuard(): void {
		this.#write(places.guard, present);
	}

	releaseGuard(): void {
		this.#write(places.guard, absent);
		Atomics.notify(this.#numbers, places.guard);
	}

	/** For the main thread, when it continues: returns the keys that were read, once no more are. */
	dismissGuard(): Uint8Array | undefined {
		Atomics.compareExchange(this.#numbers, places.guard, present, dismissed);
		Atomics.notify(this.#numbers, places.guard);
		const outcome = Atomics.wait(this.#numbers, places.guard, dismissed, limits.releaseMs);
		// The other thread has failed: it must not delay every key from now on.
		if (outcome === "timed-out") this.#write(places.guard, absent);
		const length = Atomics.exchange(this.#numbers, places.keyBytes, 0);
		return length === 0 ? undefined : this.#bytes.slice(keysStart, keysStart + length);
	}

	/** Returns how many bytes there was room for. */
	addKeys(keys: Uint8Array): number {
		const length = this.#read(places.keyBytes);
		const added = keys.subarray(0, limits.keyBytes - length);
		this.#bytes.set(added, keysStart + length);
		this.#write(places.keyBytes, length + added.length);
		return added.length;
	}

	#read(place: number): number {
		return Atomics.load(this.#numbers, place);
	}

	#write(place: number, value: number): void {
		Atomics.store(this.#numbers, place, value);
	}

	#text(start: number, length: number): string {
		return Buffer.from(this.#bytes.slice(start, start + length)).toString();
	}

	#setText(start: number, text: string): number {
		return new TextEncoder().encodeInto(text, this.#bytes.subarray(start)).written;
	}
}
