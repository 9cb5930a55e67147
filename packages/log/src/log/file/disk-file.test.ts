/** A file that is synced off the main thread, and closed afterwards. */
import { afterAll, expect, test } from "bun:test";
import { fstatSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
