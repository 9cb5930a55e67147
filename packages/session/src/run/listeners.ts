/** Listeners of a session: registering them, and calling them so that a failing one does not affect others. */
import { log, onDispose } from "@tau/utils";

import type { SessionEvent, SessionListener } from "./behavior.ts";

export function register<T>(among: Set<T>, one: T): Disposable {
	among.add(one);
	return onDispose(() => among.delete(one));
}

/** A listener that fails is reported and does not take the conversation with it. */
export async function deliver(listener: SessionListener, event: SessionEvent): Promise<void> {
	try {
		await listener(event);
	} catch (error) {
		log.error("a session listener failed", { event: event.type, reason: String(error) });
	}
}

/** A failing `beforePrompt` hook never blocks the prompt. */
export async function quiet(wait: () => Promise<void>): Promise<void> {
	try {
		await wait();
	} catch (error) {
		log.error("a behavior failed before a prompt", { reason: String(error) });
	}
}
