/** Listeners of a session: registering them, and calling them so that a failing one does not affect others. */
import { log, onDispose } from "@tau/utils";

import type { SessionEvent, SessionListener } from "./behavior.ts";

export function register<T>(among: Set<T>, one: T): Disposable {
	among.add(one);
	return onDispose(() => among.delete(one));
}

/**
 * A listener that fails is reported and does not take the conversation with it. Most of the dozens that a session has are
 * done at once with most events: returns a promise only where there is something to wait for.
 */
export function deliver(listener: SessionListener, event: SessionEvent): void | Promise<void> {
	try {
		const done = listener(event);
		const isDone = done === undefined || (done instanceof Promise && Bun.peek.status(done) === "fulfilled");
		if (!isDone) return settled(done, event);
	} catch (error) {
		report(event, error);
	}
}

async function settled(done: Promise<void>, event: SessionEvent): Promise<void> {
	try {
		await done;
	} catch (error) {
		report(event, error);
	}
}

function report({ type }: SessionEvent, error: unknown): void {
	log.error("a session listener failed", { event: type, reason: String(error) });
}

/** A failing `beforePrompt` hook never blocks the prompt. */
export async function quiet(wait: () => Promise<void>): Promise<void> {
	try {
		await wait();
	} catch (error) {
		log.error("a behavior failed before a prompt", { reason: String(error) });
	}
}
