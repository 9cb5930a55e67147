/** Dispatches events to the handlers of extensions, one after the other, in loading order. */
import { runAs } from "@tau/utils";

import { describeFailure } from "../support/failure.ts";
import type { AnyHandler, Extension } from "../api/extension.ts";
import { limits } from "../support/limits.ts";
import { TimedOut, withDeadline } from "../support/deadline.ts";
import type { ExtensionScope } from "../support/scope.ts";
import type { ExtensionContext } from "../api/types.ts";
import type { EventOf, ExtensionEventName, ResultOf } from "../api/event-types.ts";

export interface HandlerFailure {
	extension: Extension;
	event: string;
	error: string;
}

export interface DispatcherParts {
	extensions: readonly Extension[];
	/** Where handlers run. */
	scope: ExtensionScope;
	contextOf(extension: Extension): ExtensionContext;
	/** Aborted when the user cancels the current run. */
	signal(): AbortSignal | undefined;
	onFailure(failure: HandlerFailure): void | Promise<void>;
	/** A handler takes long. */
	onSlow(extension: Extension, event: string): void;
	/** Shorter ones, for tests. */
	deadline?: { slowMs: number; limitMs: number };
}

export interface AskOptions {
	limitMs?: number;
	/** If true, a handler's failure is also returned to the caller, which then stops; `late`: only if it did not return. */
	failClosed?: boolean | "late";
}

/** One handler of one extension. */
export interface SingleHandler<K extends ExtensionEventName> {
	readonly extension: Extension;
	ask(event: EventOf<K>, options?: AskOptions): Promise<Exclude<ResultOf<K>, void> | undefined>;
}

/** Threw, or was given up. */
export class HandlerFailed extends Error {}

export class Dispatcher {
	readonly #parts: DispatcherParts;

	constructor(parts: DispatcherParts) {
		this.#parts = parts;
	}

	has(name: ExtensionEventName): boolean {
		return this.#parts.extensions.some(({ handlers }) => handlers.has(name));
	}

	/** The handlers one by one, in the order in which `ask` calls them. */
	each<K extends ExtensionEventName>(name: K): SingleHandler<K>[] {
		return this.#parts.extensions.flatMap((extension) =>
			(extension.handlers.get(name) ?? []).map((handler) => ({
				extension,
				ask: async (event: EventOf<K>, options: AskOptions = {}) =>
					((await this.#call(extension, handler, event, options)) ?? undefined) as
						Exclude<ResultOf<K>, void> | undefined,
			})),
		);
	}

	/** What handlers answer means nothing. */
	async emit<K extends ExtensionEventName>(
		name: K,
		event: EventOf<K>,
		options: AskOptions = {},
	): Promise<void> {
		await this.ask(
			name,
			() => event,
			() => undefined,
			options,
		);
	}

	/**
	 * `event` is asked for before each handler, so that it sees what the ones before it have changed; `use` gets what
	 * each answers, and ends it with "stop".
	 */
	async ask<K extends ExtensionEventName>(
		name: K,
		event: () => EventOf<K>,
		use: (answer: Exclude<ResultOf<K>, void>) => "stop" | undefined,
		options: AskOptions = {},
	): Promise<void> {
		for (const extension of this.#parts.extensions) {
			for (const handler of extension.handlers.get(name) ?? []) {
				const answer = await this.#call(extension, handler, event(), options);
				// What is not typed may answer anything; nothing is what most do.
				if (answer === undefined || answer === null) continue;
				if (use(answer as Exclude<ResultOf<K>, void>) === "stop") return;
			}
		}
	}

	async #call(
		extension: Extension,
		handler: AnyHandler,
		event: EventOf<ExtensionEventName>,
		{ limitMs, failClosed = false }: AskOptions,
	): Promise<unknown> {
		try {
			const context = this.#parts.contextOf(extension);
			const answer = runAs(extension.label, event.type, () =>
				this.#parts.scope.run(() => handler(event, context), extension),
			);
			return isPromise(answer) ? await this.#wait(answer, extension, event.type, limitMs) : answer;
		} catch (thrown) {
			const error = describeFailure(thrown, extension.path);
			await this.#parts.onFailure({ extension, event: event.type, error });
			const isLate = thrown instanceof TimedOut || this.#parts.signal()?.aborted === true;
			if (failClosed === true || (failClosed === "late" && isLate))
				throw new HandlerFailed(`${extension.label}: ${error}`);
			return undefined;
		}
	}

	#wait(
		answer: PromiseLike<unknown>,
		extension: Extension,
		event: string,
		limitMs: number = limits.handlerMs,
	): Promise<unknown> {
		const { deadline, onSlow } = this.#parts;
		const signal = this.#parts.signal();
		// A cancelled run emits its end too, but its handlers get only the short shutdown deadline.
		const stopped = signal?.aborted ? limits.shutdownMs : limitMs;
		return withDeadline(answer, {
			slowMs: deadline?.slowMs ?? limits.slowHandlerMs,
			limitMs: deadline?.limitMs ?? stopped,
			isPaused: () => extension.openDialogs > 0,
			onSlow: () => onSlow(extension, event),
			signal,
		});
	}
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
	return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
