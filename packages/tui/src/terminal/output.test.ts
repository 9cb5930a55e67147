/** Writing to a blocked or closed terminal. */
import { expect, test } from "bun:test";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Output } from "./output.ts";

/** A pipe with a reader that reads on request: a terminal on a slow connection. */
function slowLine() {
	const folder = mkdtempSync(join(tmpdir(), "tau-output-"));
	const path = join(folder, "line");
	if (!Bun.spawnSync(["mkfifo", path]).success) throw new Error("no pipe");
	const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	const events = { drained: 0, lost: [] as string[] };
	const output = new Output({ drained: () => events.drained++, lost: (code) => events.lost.push(code) }, [
		path,
	]);
	const buffer = Buffer.alloc(1 << 20);
	let [closed, got] = [false, ""];
	return {
		output,
		events,
		/** Reads the available bytes. */
		read(): string {
			try {
				got += buffer.toString("latin1", 0, readSync(fd, buffer));
			} catch {
				// No bytes are available.
			}
			return got;
		},
		hangUp(): void {
			closed = true;
			closeSync(fd);
		},
		[Symbol.dispose](): void {
			output[Symbol.dispose]();
			if (!closed) closeSync(fd);
			rmSync(folder, { recursive: true });
		},
	};
}

test("a write never waits; blocked output goes out later, completely and in order", async () => {
	using line = slowLine();
	const text = Array.from({ length: 40_000 }, (_, at) => `${at},`).join("");
	line.output.write(text);
	line.output.write("end");
	expect(line.output.congested).toBe(true);
	while (line.events.drained === 0) {
		line.read();
		await Bun.sleep(1);
	}
	expect(line.read()).toBe(`${text}end`);
	expect(line.output.congested).toBe(false);
	expect(line.events.drained).toBe(1);
});

test("output that is accepted at once is written before the call returns, without an event", () => {
	using line = slowLine();
	line.output.write("key");
	expect(line.read()).toBe("key");
	expect([line.output.congested, line.events.drained]).toEqual([false, 0]);
});

test("a lost connection is reported once, and later writes do nothing", () => {
	using line = slowLine();
	line.hangUp();
	line.output.write("a");
	line.output.write("b");
	line.output.flush("c");
	expect(line.events.lost).toEqual(["EPIPE"]);
	expect(line.output.congested).toBe(false);
});

test("the exit waits for a slow connection, for a bounded time", () => {
	using line = slowLine();
	line.output.write("x".repeat(1 << 20));
	line.output.flush("restore");
	expect(line.output.congested).toBe(true);
});
