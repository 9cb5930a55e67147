/** A silent server times out, and an active one never does. */
import { expect, test } from "bun:test";

import { Watchdog } from "./watchdog.ts";

const never = 60_000;

function barked({ signal }: Watchdog): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	signal.addEventListener("abort", () => resolve(), { once: true });
	return promise;
}

test("silence before the first event ends the wait, and reports its length", async () => {
	using watchdog = new Watchdog({ firstEventMs: 5, idleMs: never });
	await barked(watchdog);
	expect(watchdog.silentMs).toBe(5);
});

test("silence after an event ends the wait by the other limit", async () => {
	using watchdog = new Watchdog({ firstEventMs: never, idleMs: 5 });
	watchdog.alive(5);
	await barked(watchdog);
	expect(watchdog.silentMs).toBe(5);
});

test("the limit for the first event does not apply after it", async () => {
	using watchdog = new Watchdog({ firstEventMs: 1, idleMs: never });
	watchdog.alive(never);
	await Bun.sleep(5);
	expect(watchdog.signal.aborted).toBe(false);
	expect(watchdog.silentMs).toBeUndefined();
});

test("the silence is counted from the last activity", async () => {
	const idleMs = 30;
	using watchdog = new Watchdog({ firstEventMs: never, idleMs });
	const start = performance.now();
	let last = start;
	while (performance.now() - start < 3 * idleMs && !watchdog.signal.aborted) {
		last = performance.now();
		watchdog.alive(idleMs);
		await Bun.sleep(1);
	}
	if (!watchdog.signal.aborted) await barked(watchdog);
	expect(performance.now() - last).toBeGreaterThanOrEqual(idleMs);
});

test("the end of a body is awaited for a shorter time", async () => {
	using watchdog = new Watchdog({ firstEventMs: never, idleMs: never });
	watchdog.alive(never);
	watchdog.alive(1);
	await barked(watchdog);
});

test("a finished request leaves no timer behind", async () => {
	const watchdog = new Watchdog({ firstEventMs: 1, idleMs: 1 });
	watchdog[Symbol.dispose]();
	await Bun.sleep(5);
	expect(watchdog.signal.aborted).toBe(false);
});
