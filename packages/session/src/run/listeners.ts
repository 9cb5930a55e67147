/** Registers listeners, and waits for them so that a failing one does not affect others. */
import { log, onDispose } from "@tau/utils";

export function register<T>(among: Set<T>, one: T): Disposable {
	among.add(one);
	return onDispose(() => among.delete(one));
}

/** A failing `beforePrompt` hook never blocks the prompt. */
export async function quiet(wait: () => Promise<void>): Promise<void> {
	try {
		await wait();
	} catch (error) {
		log.error("a behavior failed before a prompt", { reason: String(error) });
	}
}
