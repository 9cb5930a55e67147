/** Disposing releases a resource exactly once. */
import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { delay } from "./abort.ts";
import { listen, onDispose, timer } from "./dispose.ts";

test("a clean-up runs once, however often it is disposed", () => {
	let runs = 0;
	const owned = onDispose(() => runs++);
	owned[Symbol.dispose]();
	owned[Symbol.dispose]();
	expect(runs).toBe(1);
});

test("a listener receives events until its owner is disposed, on both kinds of target", () => {
	const events: unknown[] = [];
	const target = new EventTarget();
	const emitter = new EventEmitter();
	{
		using _target = listen(target, "go", (event) => events.push(event.type));
		using _emitter = listen(emitter, "go", (what: string, count: number) => events.push([what, count]));
		target.dispatchEvent(new Event("go"));
		emitter.emit("go", "x", 2);
	}
	target.dispatchEvent(new Event("go"));
	emitter.emit("go", "y", 3);
	expect(events).toEqual(["go", ["x", 2]]);
	expect(emitter.listenerCount("go")).toBe(0);
});

test("a timer fires unless its owner was disposed first", async () => {
	const fired = Promise.withResolvers<string>();
	using _kept = timer(0, () => fired.resolve("kept"));
	timer(0, () => fired.resolve("left"))[Symbol.dispose]();
	expect(await fired.promise).toBe("kept");

	let late = false;
	timer(0, () => (late = true))[Symbol.dispose]();
	await delay(0);
	expect(late).toBe(false);
});
