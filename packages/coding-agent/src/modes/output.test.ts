/** A sink reports when its reader is gone, and makes a writer wait for a slow reader. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";

import { processOutput, sinkOutput } from "./output.ts";

interface Slow {
	stream: Writable;
	/** What has arrived. */
	taken: string[];
	/** Accepts pending and all further writes, or breaks the pipe. */
	release(error?: Error): void;
}

/** A reader that accepts nothing until it is released, with space for a single chunk. */
function slowReader(): Slow {
	const taken: string[] = [];
	let waiting: ((error?: Error) => void) | undefined;
	let released = false;
	const stream = new Writable({
		highWaterMark: 1,
		write(chunk, _encoding, callback) {
			taken.push(String(chunk));
			if (released) callback();
			else waiting = callback;
		},
	});
	return {
		stream,
		taken,
		release: (error) => {
			released = true;
			waiting?.(error);
		},
	};
}

const broken = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });

describe("a slow reader", () => {
	test("is waited for until it has caught up, and gets everything in order", async () => {
		const { stream, taken, release } = slowReader();
		const out = processOutput(stream, () => {});
		let waits = 0;
		const both = [out.write("one"), out.write("two")].map((written) => written?.then(() => waits++));
		expect(both).not.toContain(undefined);
		expect({ taken, waits }).toEqual({ taken: ["one"], waits: 0 });
		release();
		await Promise.all(both);
		expect(out.write("three")).toBeUndefined();
		expect(taken).toEqual(["one", "two", "three"]);
	});

	test("does not add a listener for every pending chunk", () => {
		const { stream } = slowReader();
		const out = processOutput(stream, () => {});
		for (let count = 0; count < 50; count++) void out.write("x");
		expect(stream.listenerCount("drain")).toBe(1);
		stream.destroy();
	});
});

test("a fast reader causes no wait", () => {
	const stream = new Writable({ write: (_chunk, _encoding, callback) => callback() });
	expect(processOutput(stream, () => {}).write("text")).toBeUndefined();
});

test("a reader that is gone is reported, ends the wait, and gets nothing more", async () => {
	const { stream, taken, release } = slowReader();
	let gone = 0;
	const out = processOutput(stream, () => gone++);
	const written = out.write("one");
	release(broken);
	await written;
	expect(gone).toBe(1);
	expect(out.write("two")).toBeUndefined();
	expect(taken).toEqual(["one"]);
});

test.each([
	[true, true],
	[false, false],
	[undefined, false],
])("a stream whose isTTY is %p is a terminal: %p", (isTTY, isTerminal) => {
	const stream = Object.assign(slowReader().stream, isTTY === undefined ? {} : { isTTY });
	expect(processOutput(stream, () => {}).isTerminal).toBe(isTerminal);
});

test("a write error is reported at the end; a reader that left is no problem", async () => {
	const full = slowReader();
	const out = processOutput(full.stream, () => {});
	void out.write("one");
	const reported = out.settled();
	full.release(Object.assign(new Error("no space"), { code: "ENOSPC" }));
	expect((await reported)?.message).toBe("no space");
	const left = slowReader();
	const pipe = processOutput(left.stream, () => {});
	void pipe.write("one");
	const quiet = pipe.settled();
	left.release(broken);
	expect(await quiet).toBeUndefined();
});

describe("a pipe or a file, without a stream", () => {
	/** A sink that takes what it gets, and has written it when it is released. */
	function slowSink() {
		const taken: string[] = [];
		const written = Promise.withResolvers<number>();
		const sink = { write: (text: string) => (taken.push(text), written.promise), flush: () => 0 };
		return { sink, taken, release: () => written.resolve(1), fail: (error: Error) => written.reject(error) };
	}

	test("makes a writer wait for a slow reader, and settles when everything is written", async () => {
		const { sink, taken, release } = slowSink();
		const out = sinkOutput(sink, () => {});
		let waits = 0;
		const both = [out.write("one"), out.write("two")].map((written) => written?.then(() => waits++));
		const settled = out.settled();
		expect(both).not.toContain(undefined);
		expect({ taken, waits }).toEqual({ taken: ["one", "two"], waits: 0 });
		release();
		expect(await settled).toBeUndefined();
		await Promise.all(both);
	});

	test("causes no wait when the reader is fast", () => {
		expect(sinkOutput({ write: () => 4, flush: () => 0 }, () => {}).write("text")).toBeUndefined();
	});

	test("reports a reader that is gone once, and writes nothing more", async () => {
		const { sink, taken, fail } = slowSink();
		let gone = 0;
		const out = sinkOutput(sink, () => gone++);
		const both = [out.write("one"), out.write("two")];
		fail(broken);
		await Promise.all(both);
		expect(gone).toBe(1);
		expect(out.write("three")).toBeUndefined();
		expect(taken).toEqual(["one", "two"]);
		expect(await out.settled()).toBeUndefined();
	});

	test("reports a full disk at the end", async () => {
		const { sink, fail } = slowSink();
		const out = sinkOutput(sink, () => {});
		void out.write("one");
		fail(Object.assign(new Error("no space"), { code: "ENOSPC" }));
		expect((await out.settled())?.message).toBe("no space");
	});

	test("writes to a real file in order", async () => {
		const directory = mkdtempSync(join(tmpdir(), "tau-output-"));
		const file = Bun.file(join(directory, "out.txt"));
		const out = sinkOutput(file.writer(), () => {});
		for (let line = 0; line < 1000; line++) await out.write(`${line}\n`);
		expect(await out.settled()).toBeUndefined();
		expect((await file.text()).split("\n").slice(0, -1)).toEqual(
			Array.from({ length: 1000 }, (_, line) => String(line)),
		);
		rmSync(directory, { recursive: true });
	});
});
