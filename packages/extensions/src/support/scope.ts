/** Tracks for which session code of an extension runs, although all sessions of a process share its imports. */
import type { AsyncLocalStorage } from "node:async_hooks";

import type { JudgedPaths } from "@tau/agent";
import type { Api, StreamFunction } from "@tau/ai";
import { log } from "@tau/utils";

import { limits } from "./limits.ts";

/** Those that have not ended. */
const live = new Set<ExtensionScope>();

/** The extensions of one session. What they make through imported functions ends with them. */
export class ExtensionScope implements AsyncDisposable {
	/** Protocols that extensions have registered, by their names. */
	readonly apis = new Map<Api, StreamFunction>();
	/** How many sessions this one is nested in: each was created by code of an extension of the one around it. */
	readonly #depth: number;
	readonly #resources = new Set<AsyncDisposable>();
	#isDisposed = false;

	/** Throws where an extension creates sessions that run this extension again, without end. */
	constructor() {
		const around = current?.getStore();
		this.#depth = around ? around.scope.#depth + 1 : 0;
		if (this.#depth > limits.nestedSessions) throw new NestedTooDeep(around?.extension);
		live.add(this);
	}

	/** Code that this starts, now or later (timers, promises), finds the scope with `currentScope`. */
	run<T>(work: () => T, extension?: { readonly label: string }, judged?: JudgedPaths): T {
		return (current ??= newStorage()).run({ scope: this, extension, judged }, work);
	}

	/** Disposes of it with the scope; of the oldest when there are too many. */
	own(resource: AsyncDisposable): void {
		// Code of a session that has ended: otherwise it would never be disposed of.
		if (this.#isDisposed) return processScope.own(resource);
		this.#resources.add(resource);
		if (this.#resources.size <= limits.scopeResources) return;
		const [oldest] = this.#resources;
		if (oldest) void this.#end(oldest);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		// The process scope belongs to no session and stays in use.
		this.#isDisposed = this !== processScope;
		live.delete(this);
		await Promise.all([...this.#resources].map((resource) => this.#end(resource)));
	}

	async #end(resource: AsyncDisposable): Promise<void> {
		this.#resources.delete(resource);
		try {
			await resource[Symbol.asyncDispose]();
		} catch (error) {
			log.error("a resource of an extension failed to dispose", { reason: String(error) });
		}
	}
}

/** Whose code runs. */
interface Running {
	readonly scope: ExtensionScope;
	readonly extension: { readonly label: string } | undefined;
	/** The files that the tool call was judged by which it runs for. */
	readonly judged: JudgedPaths | undefined;
}

let current: AsyncLocalStorage<Running> | undefined;

/** Loaded when the first extension runs: it takes 1.2 ms, and most programs have none. */
function newStorage(): AsyncLocalStorage<Running> {
	const { AsyncLocalStorage: Storage } = process.getBuiltinModule("node:async_hooks");
	return new Storage<Running>();
}

class NestedTooDeep extends Error {
	constructor(extension: Running["extension"]) {
		super(
			`${extension ? `Extension ${extension.label}` : "An extension"} creates a session in a session, ${limits.nestedSessions} deep: no more can be created. Create it without this extension, for instance with noExtensions.`,
		);
		this.name = "NestedTooDeep";
	}
}

/** For code that no session has started, such as a program that uses pi's functions. */
export const processScope = new ExtensionScope();
live.delete(processScope);

/**
 * Callbacks that the screen calls, for keys and drawing, come without a scope: where there is one session, it is theirs.
 */
export function currentScope(): ExtensionScope {
	const running = current?.getStore();
	if (running) return running.scope;
	const [only] = live;
	return only && live.size === 1 ? only : processScope;
}

/** The files that the tool call was judged by which the running code belongs to. */
export function currentJudgedPaths(): JudgedPaths | undefined {
	return current?.getStore()?.judged;
}

/** A value for each scope, made when it is first needed there. */
export function perScope<T>(create: (scope: ExtensionScope) => T): () => T {
	const values = new WeakMap<ExtensionScope, { value: T }>();
	return () => {
		const scope = currentScope();
		const known = values.get(scope) ?? { value: create(scope) };
		values.set(scope, known);
		return known.value;
	};
}
