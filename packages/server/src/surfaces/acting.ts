/** Which client elsewhere asked for what is done now: what extensions open for it appears there. */
import type { AsyncLocalStorage } from "node:async_hooks";

let current: AsyncLocalStorage<string> | undefined;

/** Loaded with the first client that joins. */
function newStorage(): AsyncLocalStorage<string> {
	const { AsyncLocalStorage: Storage } = process.getBuiltinModule("node:async_hooks");
	return new Storage<string>();
}

/** What this starts, now or later, was asked for by the client of this id. */
export function runFor<T>(clientId: string, work: () => T): T {
	return (current ??= newStorage()).run(clientId, work);
}

/** Undefined for what the user of this process or nobody has asked for. */
export function actingClient(): string | undefined {
	return current?.getStore();
}
