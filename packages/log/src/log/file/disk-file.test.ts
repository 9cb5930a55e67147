/** A file that is synced off the main thread, and closed afterwards. */
import { afterAll, expect, jest, test } from "bun:test";
import { fdatasync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { DiskFile } from "./disk-file.ts";

const root = mkdtempSync(join(tmpdir(), "tau-disk-file-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function isOpen(fd: number): boolean {
	try {
		fstatSync(fd);
		return true;
	} catch {
		return false;
	}
}

test("the last lines of a run are synced at its end: closing the file waits for no sync", async () => {
	// Otherwise the sync that is due later could come first.
	jest.useFakeTimers();
	using _timers = { [Symbol.dispose]: () => void jest.useRealTimers() };
	let isClosed = false;
	for (let attempt = 0; !isClosed && attempt < 200; attempt++) {
		const file = new DiskFile(openSync(join(root, `end-${attempt}.jsonl`), "ax"));
		// Another thread syncs it, as long as that takes.
		const synced = async (): Promise<void> => {
			for (let turn = 0; turn < attempt; turn++) await promisify(fdatasync)(file.fd);
		};
		for (const line of ["question\n", "answer\n"]) {
			writeSync(file.fd, line);
			file.written();
			await synced();
		}
		file.syncSoon();
		await synced();
		file[Symbol.dispose]();
		isClosed = !isOpen(file.fd);
	}
	expect(isClosed).toBe(true);
});

test.each([0, 1, 5])("a file is closed once its last lines are synced, after %d of them", async (lines) => {
	const path = join(root, `${lines}.jsonl`);
	const file = new DiskFile(openSync(path, "ax"));
	for (let line = 0; line < lines; line++) {
		writeSync(file.fd, `${line}\n`);
		file.written();
	}
	file[Symbol.dispose]();
	const until = performance.now() + 60_000;
	while (isOpen(file.fd) && performance.now() < until) await Bun.sleep(1);
	expect(isOpen(file.fd)).toBe(false);
	expect(readFileSync(path, "utf8").split("\n")).toHaveLength(lines + 1);
});
