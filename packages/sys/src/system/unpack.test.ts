/** Files that are inside of the executable are usable also where the cache cannot be written. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, expect, test } from "bun:test";

import { unpack } from "./unpack.ts";

const base = mkdtempSync(join(tmpdir(), "tau-unpack-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const source = join(base, "source");
writeFileSync(source, "content");

test("they are executable, in the cache, and written once", () => {
	const directory = join(base, "cache/bin");
	const path = unpack({ source, name: "program", directory });
	expect(path).toBe(join(directory, "program"));
	expect(statSync(path).mode & 0o777).toBe(0o700);
	const { ino } = statSync(path);
	expect(statSync(unpack({ source, name: "program", directory })).ino).toBe(ino);
});

test("where the cache cannot be written, they are in a private temporary directory", () => {
	// No user can make a directory below a file, not even root.
	const directory = join(source, "cache");
	const path = unpack({ source, name: "program", directory });
	expect(readFileSync(path, "utf8")).toBe("content");
	expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
	expect(existsSync(directory)).toBe(false);
	rmSync(path);
});
