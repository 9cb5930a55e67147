/** Lets a session start without the extensions that load slowly, and adds them when they are ready. */
import { onDispose, timer } from "@tau/utils";

import type { Extension } from "../api/extension.ts";
import type { SessionStartEvent } from "../api/event-types.ts";
import type { ExtensionRunner } from "./runner.ts";

/** An extension that was still loading when the time was up. */
export interface LateExtension {
	extension: Extension;
	/** Resolves to what went wrong, if anything. */
	loading: Promise<string | undefined>;
}

/** How long a session waits for its extensions; without a limit if absent. */
export class Grace implements Disposable {
	readonly over: Promise<"late">;
	readonly #timer: Disposable;

	constructor(ms: number | undefined) {
		const { promise, resolve } = Promise.withResolvers<"late">();
		this.over = promise;
		this.#timer = ms === undefined ? onDispose(() => {}) : timer(ms, () => resolve("late"));
	}

	[Symbol.dispose](): void {
		this.#timer[Symbol.dispose]();
	}
}

export interface JoinParts {
	runner: ExtensionRunner;
	/** Whether the session of that runner is still there. */
	isCurrent(): boolean;
	/** The start that the extension has missed; undefined before it was emitted. */
	missed(): SessionStartEvent | undefined;
	onProblem(path: string, error: string): void;
}

/** Everything that it registered is active already; it has only missed the start of the session. */
export async function joinLate(
	{ extension, loading }: LateExtension,
	{ runner, isCurrent, missed, onProblem }: JoinParts,
): Promise<void> {
	const problem = await loading;
	if (!isCurrent()) return;
	if (problem !== undefined) {
		extension.clear();
		onProblem(extension.path, problem);
		return;
	}
	const event = missed();
	if (!event) return;
	for (const handler of runner.events.each("session_start"))
		if (handler.extension === extension) await handler.ask(event);
}
