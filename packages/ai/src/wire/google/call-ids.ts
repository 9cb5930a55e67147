/** Ids for calls without one: they pair a call with its result, and are never sent to the server. */
import { shortId } from "@tau/utils/portable";

const prefix = "tau_call_";

export function makeUpId(): string {
	return prefix + shortId();
}

export function isMadeUp(id: string): boolean {
	return id.startsWith(prefix);
}
