/** What the tools of a session keep between calls: made when first asked for, disposed of with the session. */
import { log } from "@tau/utils";

import type { ToolPlace } from "./place.ts";

/** The name of a thing on the shelf and the way to make it. One value, made where the thing is defined. */
export interface Slot<T> {
	readonly name: string;
	create(place: ToolPlace): T;
}

export class Shelf implements AsyncDisposable {
	readonly #things = new Map<Slot<unknown>, unknown>();
	#closed = false;

	get isClosed(): boolean {
		return this.#closed;
	}

	get<T>(slot: Slot<T>, place: ToolPlace): T {
		if (this.#closed) throw new Error(`The session has ended; ${slot.name} is no longer available.`);
		// Only `create` of this very slot puts something there.
		if (this.#things.has(slot)) return this.#things.get(slot) as T;
		const made = slot.create(place);
		this.#things.set(slot, made);
		return made;
	}

	/** What is there already; nothing is made. */
	peek<T>(slot: Slot<T>): T | undefined {
		return this.#things.get(slot) as T | undefined;
	}

	/** Newest first: what was made later may stand on what was made before. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		const things = [...this.#things].toReversed();
		this.#things.clear();
		for (const [slot, thing] of things) {
			try {
				await end(thing);
			} catch (error) {
				log.error("a tool did not end well", { tool: slot.name, reason: String(error) });
			}
		}
	}
}

async function end(thing: unknown): Promise<void> {
	if (isAsyncDisposable(thing)) await thing[Symbol.asyncDispose]();
	else if (isDisposable(thing)) thing[Symbol.dispose]();
}

function isAsyncDisposable(thing: unknown): thing is AsyncDisposable {
	return typeof thing === "object" && thing !== null && Symbol.asyncDispose in thing;
}

function isDisposable(thing: unknown): thing is Disposable {
	return typeof thing === "object" && thing !== null && Symbol.dispose in thing;
}
