/** What producers and readers of an event stream can rely on. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EventStream } from "./event-stream.ts";

type Delta = { text: string } | { tool: string };

function mergeText(previous: Delta, next: Delta): Delta | undefined {
	return "text" in previous && "text" in next ? { text: previous.text + next.text } : undefined;
}

function spell(events: readonly Delta[]): string {
	return events.map((event) => ("text" in event ? event.text : `<${event.tool}>`)).join("");
}

async function readAll<T, R>(stream: EventStream<T, R>): Promise<T[]> {
	return Array.fromAsync(stream);
}

describe("reading", () => {
	test("events come in order, also those pushed before the first read, and then the result", async () => {
		const stream = new EventStream<number, string>();
		stream.push(1);
		const read = readAll(stream);
		stream.push(2);
		await Promise.resolve();
		stream.push(3);
		stream.end("done");
		expect(await read).toEqual([1, 2, 3]);
		expect(await stream.result()).toBe("done");
	});

	test("the result arrives even when nobody reads the events", async () => {
		const stream = new EventStream<number, string>();
		stream.push(1);
		stream.end("done");
		expect(await stream.result()).toBe("done");
	});

	test("a second reader is refused", () => {
		const stream = new EventStream<number>();
		stream[Symbol.asyncIterator]();
		expect(() => stream[Symbol.asyncIterator]()).toThrow("one reader only");
	});

	test("a reader gets the events before a failure, and then the failure", async () => {
		const stream = new EventStream<number>();
		stream.push(1);
		stream.fail(new Error("torn"));
		const seen: number[] = [];
		const reading = (async () => {
			for await (const event of stream) seen.push(event);
		})();
		await expect(reading).rejects.toThrow("torn");
		await expect(stream.result()).rejects.toThrow("torn");
		expect(seen).toEqual([1]);
	});

	test("a queue of a hundred thousand events is read whole and in order", async () => {
		const stream = new EventStream<number>({ limit: 10 });
		for (let index = 0; index < 100_000; index++) stream.push(index);
		stream.end();
		let expected = 0;
		for await (const event of stream) {
			if (event !== expected++) throw new Error(`${event} came out of order`);
		}
		expect(expected).toBe(100_000);
	});
});

describe("ending", () => {
	test("only the first end counts, and a later push is rejected", async () => {
		const stream = new EventStream<number, string>();
		stream.end("first");
		stream.end("second");
		stream.fail(new Error("third"));
		expect(stream.push(1)).toBe(false);
		expect(stream.closed).toBe(true);
		expect(await readAll(stream)).toEqual([]);
		expect(await stream.result()).toBe("first");
	});

	test("leaving the loop stops the producer once and refuses further events", async () => {
		let cancelled = 0;
		const stream = new EventStream<number, string>({ onCancel: () => cancelled++ });
		stream.push(1);
		stream.push(2);
		for await (const event of stream) {
			expect(event).toBe(1);
			break;
		}
		expect(cancelled).toBe(1);
		expect(stream.push(3)).toBe(false);
		expect(stream.unread).toBe(0);
		stream.end("stopped");
		expect(await stream.result()).toBe("stopped");
		expect(cancelled).toBe(1);
	});

	test("leaving the loop after the end cancels nothing", async () => {
		let cancelled = 0;
		const stream = new EventStream<number>({ onCancel: () => cancelled++ });
		stream.push(1);
		stream.push(2);
		stream.end();
		for await (const event of stream) if (event === 1) break;
		expect(cancelled).toBe(0);
	});
});

describe("back-pressure", () => {
	test("a producer that has to wait continues when the reader has caught up", async () => {
		const stream = new EventStream<number>({ limit: 2 });
		expect(stream.push(1)).toBe(true);
		expect(stream.push(2)).toBe(false);
		const order: string[] = [];
		const waiting = stream.ready().then(() => order.push("ready"));
		const reader = stream[Symbol.asyncIterator]();
		order.push("reads");
		await reader.next();
		await waiting;
		expect(order).toEqual(["reads", "ready"]);
		expect(stream.push(3)).toBe(false);
		expect([(await reader.next()).value, (await reader.next()).value]).toEqual([2, 3]);
	});

	test("a producer that ignores the limit loses no event", async () => {
		const stream = new EventStream<number>({ limit: 1 });
		for (let index = 0; index < 5; index++) stream.push(index);
		stream.end();
		expect(await readAll(stream)).toEqual([0, 1, 2, 3, 4]);
	});

	test("a waiting producer resumes when the reader leaves or the stream ends", async () => {
		const left = new EventStream<number>({ limit: 1 });
		left.push(1);
		const afterLeaving = left.ready();
		await left[Symbol.asyncIterator]().return?.();
		await afterLeaving;
		expect(left.closed).toBe(true);

		const ended = new EventStream<number>({ limit: 1 });
		ended.push(1);
		const afterEnd = ended.ready();
		ended.end();
		await afterEnd;
		expect(ended.closed).toBe(true);
	});

	test("ten thousand unread deltas take one slot of the queue", async () => {
		const stream = new EventStream<Delta>({ merge: mergeText, limit: 2 });
		for (let index = 0; index < 10_000; index++) expect(stream.push({ text: "x" })).toBe(true);
		expect(stream.unread).toBe(1);
		stream.end();
		expect(spell(await readAll(stream))).toBe("x".repeat(10_000));
	});
});

const delta = fc.oneof(
	fc.record({ text: fc.string({ maxLength: 4 }) }),
	fc.record({ tool: fc.constantFrom("a", "b") }),
);
const action = fc.oneof(
	{ arbitrary: delta, weight: 3 },
	{ arbitrary: fc.constant("read" as const), weight: 1 },
);

test("at any pace, the reader reads exactly the text that was pushed", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
			const stream = new EventStream<Delta, number>({ merge: mergeText, limit: 3 });
			const reader = stream[Symbol.asyncIterator]();
			const pushed: Delta[] = [];
			const reads: Promise<IteratorResult<Delta, void>>[] = [];
			for (const step of actions) {
				if (step === "read") {
					reads.push(reader.next());
					await Promise.resolve();
				} else {
					pushed.push(step);
					stream.push(step);
				}
			}
			stream.end(pushed.length);
			const seen: Delta[] = [];
			for (const result of await Promise.all(reads)) if (!result.done) seen.push(result.value);
			for (let next = await reader.next(); !next.done; next = await reader.next()) seen.push(next.value);
			expect(spell(seen)).toBe(spell(pushed));
			expect(await stream.result()).toBe(pushed.length);
		}),
	);
});

test("a producer can wait until its reader has handled every event", async () => {
	const stream = new EventStream<number, void>();
	const handled: number[] = [];
	const reading = (async () => {
		for await (const event of stream) {
			await Promise.resolve();
			handled.push(event);
		}
	})();
	for (const event of [1, 2, 3]) stream.push(event);
	await stream.idle();
	expect(handled).toEqual([1, 2, 3]);
	stream.push(4);
	stream.end();
	await stream.idle();
	await reading;
	expect(handled).toEqual([1, 2, 3, 4]);
});

test("waiting for a reader ends when the reader leaves", async () => {
	const stream = new EventStream<number, void>();
	stream.push(1);
	const idle = stream.idle();
	for await (const _ of stream) break;
	await idle;
	expect(stream.closed).toBe(true);
});
