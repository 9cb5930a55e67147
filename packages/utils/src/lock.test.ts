/** Waiting for a lock: until it is free, until the time is over, or until nobody wants it any more. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { lockWithin, takeLock, type Lock } from "./lock.ts";

let directory = "";
let path = "";
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "tau-lock-"));
	path = join(directory, "file");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function held(): Lock {
	const taken = takeLock(path);
	if (!taken.ok) throw new Error("it is not free");
	return taken.lock;
}

test("a lock that is free is taken at once, without a word", async () => {
	let isNotified = false;
	const taken = await lockWithin(path, { waitMs: 0, onWait: () => void (isNotified = true) });
	expect([taken.ok, isNotified]).toEqual([true, false]);
	if (taken.ok) taken.lock[Symbol.dispose]();
	held()[Symbol.dispose]();
});

test("who waits is told once, and gets the lock when it is given back", async () => {
	const first = held();
	const owners: (number | undefined)[] = [];
	const taken = await lockWithin(path, {
		waitMs: 60_000,
		pollMs: 1,
		onWait: ({ owner }) => {
			owners.push(owner?.pid);
			setTimeout(() => first[Symbol.dispose](), 20);
		},
	});
	expect([taken.ok, owners]).toEqual([true, [process.pid]]);
	if (taken.ok) taken.lock[Symbol.dispose]();
});

test("after the time, the outcome is who has it", async () => {
	using _first = held();
	const taken = await lockWithin(path, { waitMs: 5, pollMs: 1 });
	expect(taken).toMatchObject({ ok: false, locked: { path, owner: { pid: process.pid }, isOwn: true } });
});

test("an abort ends the wait", async () => {
	using _first = held();
	const stop = new AbortController();
	const waiting = lockWithin(path, { waitMs: 60_000, signal: stop.signal, onWait: () => stop.abort() });
	await expect(waiting).rejects.toThrow();
});
