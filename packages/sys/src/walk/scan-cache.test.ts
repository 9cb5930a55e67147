/** A tree is walked once for many queries, and a new file is found at once. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { fuzzyFind, glob } from "./find.ts";
import { invalidateScans, ScanCache, type ScanOptions } from "./scan-cache.ts";

const base = mkdtempSync(join(tmpdir(), "tau-scan-"));
let root = "";
let made = 0;
let now = 0;
let cache = new ScanCache();
beforeEach(() => {
	root = join(base, String(made++));
	mkdirSync(join(root, "sub"), { recursive: true });
	writeFileSync(join(root, "first"), "");
	now = 1000;
	cache = new ScanCache(
		() => ({ ttlMs: 1000, emptyRecheckMs: 200, maxScans: 2 }),
		() => now,
	);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function paths(more: Partial<ScanOptions> = {}): Promise<string[]> {
	const { entries } = await cache.scan({ root, cache: true, ...more });
	return entries.map(({ path }) => path);
}

describe("a scan", () => {
	test("is reused while it is fresh, and no longer", async () => {
		expect(await paths()).toEqual(["first", "sub"]);
		writeFileSync(join(root, "second"), "");
		now += 999;
		expect(await paths()).toEqual(["first", "sub"]);
		expect((await cache.scan({ root, cache: true })).ageMs).toBe(999);
		now += 1;
		expect(await paths()).toEqual(["first", "second", "sub"]);
	});

	test("is repeated for a caller without caching, and not cached for others", async () => {
		await cache.scan({ root });
		writeFileSync(join(root, "second"), "");
		expect(await paths()).toContain("second");
		writeFileSync(join(root, "third"), "");
		expect((await cache.scan({ root })).entries).toHaveLength(4);
		expect(await paths()).not.toContain("third");
	});

	test("with hidden files or without ignore rules is a separate one", async () => {
		await paths();
		writeFileSync(join(root, ".hidden"), "");
		expect(await paths()).not.toContain(".hidden");
		expect(await paths({ hidden: true })).toContain(".hidden");
		expect(await paths({ gitignore: false })).not.toContain(".hidden");
	});

	test("through a link is the same one", async () => {
		const link = `${root}-link`;
		symlinkSync(root, link);
		await paths();
		writeFileSync(join(root, "second"), "");
		expect(await paths({ root: link })).not.toContain("second");
	});

	test("is evicted as the oldest when there are too many", async () => {
		await paths();
		await paths({ root: join(root, "sub") });
		now += 1;
		await paths({ hidden: true });
		writeFileSync(join(root, "sub/second"), "");
		expect(await paths({ root: join(root, "sub") })).toEqual([]);
		expect(await paths()).toContain("sub/second");
	});

	test("is not cached when caching is off", async () => {
		cache = new ScanCache(() => ({ ttlMs: 0, emptyRecheckMs: 200, maxScans: 2 }));
		await paths();
		writeFileSync(join(root, "second"), "");
		expect(await paths()).toContain("second");
	});

	test("without a result is repeated once it is some moments old", async () => {
		const ask = async () => cache.isWorthRecheck(await cache.scan({ root, cache: true }));
		expect(await ask()).toBe(false);
		now += 199;
		expect(await ask()).toBe(false);
		now += 1;
		expect(await ask()).toBe(true);
	});
});

describe("after a change", () => {
	function touch(path: string): string {
		writeFileSync(join(root, path), "");
		return join(root, path);
	}
	function remove(path: string): string {
		unlinkSync(join(root, path));
		return join(root, path);
	}
	const changes: [what: string, change: () => string][] = [
		["of a new file", () => touch("sub/new")],
		["of a file that was removed", () => remove("first")],
		["told by the root itself", () => join(touch("x"), "..")],
	];
	test.each(changes)("%s repeats the scan", async (_, change) => {
		const before = await paths();
		cache.invalidate(change());
		expect(await paths()).not.toEqual(before);
	});

	test("of a directory that was deleted with its contents repeats the scan", async () => {
		await paths();
		rmSync(join(root, "sub"), { recursive: true });
		cache.invalidate(join(root, "sub/deep/er"));
		expect(await paths()).toEqual(["first"]);
	});

	test("elsewhere keeps the scan", async () => {
		await paths();
		touch("second");
		cache.invalidate(`${root}2/file`);
		cache.invalidate(join(base, "other"));
		expect(await paths()).not.toContain("second");
		cache.invalidate();
		expect(await paths()).toContain("second");
	});

	test("during a walk prevents the caching of that walk", async () => {
		const walking = paths();
		touch("second");
		cache.invalidate(join(root, "second"));
		await walking;
		expect(await paths()).toContain("second");
	});

	test("that was announced is visible to a glob and a fuzzy search", async () => {
		const ask = async () => (await glob({ root, pattern: "*.new", cache: true })).entries;
		expect(await ask()).toEqual([]);
		invalidateScans(touch("sub/x.new"));
		expect(await ask()).toEqual([{ path: "sub/x.new", kind: "file" }]);
		const results = await fuzzyFind({ root, query: "xnew", limit: 5, cache: true });
		expect(results).toMatchObject([{ path: "sub/x.new" }]);
	});
});
