/** What the tools of a session keep between calls: made when first asked for, disposed of with the session. */
import { log } from "@tau/utils";

import type { ToolEnv } from "./env.ts";

/** The name of a thing on the shelf and the way to make it. One value, made where the thing is defined. */
export interface ServiceKey<T> {
	readonly name: string;
	create(env: ToolEnv): T;
}

/** The key of what only the application can bring. A session may be without it: see `SessionServices.provided`. */
export function fromApplication<T>(name: string): ServiceKey<T | undefined> {
	return { name, create: () => undefined };
}

/** A service whose state is in no log: variables of an interpreter, a program at a breakpoint, open pages. */
interface Holding {
	/** Whether there is such a state now. */
	readonly holdsState: boolean;
}

export class SessionServices implements AsyncDisposable {
	readonly #instances = new Map<ServiceKey<unknown>, unknown>();
	/** What the application brought: it is not disposed of. */
	readonly #provided = new Map<ServiceKey<unknown>, unknown>();
	#closed = false;

	get isClosed(): boolean {
		return this.#closed;
	}

	/** Puts in what only the application can make; a session without it gets what `create` makes. */
	provide<T>(key: ServiceKey<T>, thing: T): void {
		this.#provided.set(key, thing);
	}

	get<T>(key: ServiceKey<T>, env: ToolEnv): T {
		// Only `provide` of this very slot puts something there.
		if (this.#provided.has(key)) return this.#provided.get(key) as T;
		if (this.#closed) throw new Error(`The session has ended; ${key.name} is no longer available.`);
		// Only `create` of this very slot puts something there.
		if (this.#instances.has(key)) return this.#instances.get(key) as T;
		const made = key.create(env.sessionEnv ?? env);
		this.#instances.set(key, made);
		return made;
	}

	/** What the application brought, also after the end of the session; undefined if it brought nothing. */
	provided<T>(key: ServiceKey<T>): T | undefined {
		return this.#provided.get(key) as T | undefined;
	}

	/** What is there already; nothing is made. */
	peek<T>(key: ServiceKey<T>): T | undefined {
		return this.#instances.get(key) as T | undefined;
	}

	/** Whether a session that is opened again from its log would lack something. */
	get holdsState(): boolean {
		return [...this.#instances.values()].some((thing) => isHolding(thing) && thing.holdsState);
	}

	/** Newest first: later services may depend on earlier ones. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		const things = [...this.#instances].toReversed();
		this.#instances.clear();
		for (const [key, thing] of things) {
			try {
				await end(thing);
			} catch (error) {
				log.error("a service of a tool failed to dispose", { tool: key.name, reason: String(error) });
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

function isHolding(thing: unknown): thing is Holding {
	return typeof thing === "object" && thing !== null && "holdsState" in thing;
}
