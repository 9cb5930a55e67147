/** Waits end when their signal aborts, and leave no listener or timer behind. */
import { describe, expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { abortable, delay, isAbort, isTimeout, throwIfAborted, withTimeout } from "./abort.ts";

const forever = new Promise<never>(() => {});

function listeners(signal: AbortSignal): number {
	return getEventListeners(signal, "abort").length;
}

function reasonOf(promise: Promise<unknown>): Promise<unknown> {
	return promise.then(
		() => "settled without an error",
		(error: unknown) => error,
	);
}

describe("abortable", () => {
	test("a wait for something that never comes ends with the signal's reason", async () => {
		const controller = new AbortController();
		const reason = new Error("enough");
		const waiting = reasonOf(abortable(forever, controller.signal));
		expect(listeners(controller.signal)).toBe(1);
		controller.abort(reason);
		expect(await waiting).toBe(reason);
		expect(listeners(controller.signal)).toBe(0);
	});

	test("a thousand finished waits leave no listener on a signal that lives on", async () => {
		const { signal } = new AbortController();
		for (let index = 0; index < 1000; index++)
			expect(await abortable(Promise.resolve(index), signal)).toBe(index);
		await reasonOf(abortable(Promise.reject(new Error("no")), signal));
		expect(listeners(signal)).toBe(0);
	});

	test("an aborted signal wins over a promise that has already resolved", async () => {
		const reason = new Error("too late");
		expect(await reasonOf(abortable(Promise.resolve(1), AbortSignal.abort(reason)))).toBe(reason);
	});

	test("without a signal, the promise itself is returned", async () => {
		expect(await abortable(Promise.resolve(1), undefined)).toBe(1);
	});
});

describe("delay", () => {
	test("it ends at once when aborted, and removes its listener", async () => {
		const controller = new AbortController();
		const waiting = reasonOf(delay(2 ** 30, controller.signal));
		controller.abort();
		expect(isAbort(await waiting)).toBe(true);
		expect(listeners(controller.signal)).toBe(0);
	});

	test("it resolves after its time and leaves no listener", async () => {
		const { signal } = new AbortController();
		await delay(0, signal);
		expect(listeners(signal)).toBe(0);
	});
});

describe("withTimeout", () => {
	test("it aborts after its time with a timeout error that carries the reason", async () => {
		const outer = new AbortController();
		using deadline = withTimeout(outer.signal, 0, "the server did not answer");
		const reason = await reasonOf(abortable(forever, deadline.signal));
		expect(isTimeout(reason)).toBe(true);
		expect(isAbort(reason)).toBe(false);
		expect(String(reason)).toContain("the server did not answer");
		expect(outer.signal.aborted).toBe(false);
		expect(listeners(outer.signal)).toBe(0);
	});

	test("it follows the outer signal, its reason included", () => {
		const outer = new AbortController();
		using deadline = withTimeout(outer.signal, 2 ** 30, "slow");
		outer.abort("escape");
		expect(deadline.signal.reason).toBe("escape");
		expect(listeners(outer.signal)).toBe(0);

		using late = withTimeout(outer.signal, 2 ** 30, "slow");
		expect(late.signal.reason).toBe("escape");
	});

	test("disposing of it removes the listener and the timer and aborts nothing", async () => {
		const outer = new AbortController();
		const deadline = withTimeout(outer.signal, 0, "slow");
		deadline[Symbol.dispose]();
		expect(listeners(outer.signal)).toBe(0);
		// This timer is set after the deadline's with the same delay, so the deadline would have fired before it.
		await delay(0);
		expect(deadline.signal.aborted).toBe(false);
	});

	test("without an outer signal, only the time limit applies", async () => {
		using deadline = withTimeout(undefined, 0, "slow");
		expect(isTimeout(await reasonOf(abortable(forever, deadline.signal)))).toBe(true);
	});
});

test("isAbort is true for aborts only", () => {
	expect(isAbort(AbortSignal.abort().reason)).toBe(true);
	expect([new Error("AbortError"), "AbortError", null, undefined].map(isAbort)).toEqual([
		false,
		false,
		false,
		false,
	]);
	expect(() => throwIfAborted(AbortSignal.abort())).toThrow();
	expect(() => throwIfAborted(undefined)).not.toThrow();
});
