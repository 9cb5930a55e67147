/** A watched tree: what happened in it, and its end. */
import { expect } from "bun:test";
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { TreeWatch, type TreeEvent } from "./tree-watch.ts";

function openWatches(): number {
	const links = readdirSync("/proc/self/fd").map((name) => {
		try {
			return readlinkSync(`/proc/self/fd/${name}`);
		} catch {
			// It was that of the list itself.
			return "";
		}
	});
	return links.filter((link) => link.includes("inotify")).length;
}

needs("cat")("a watch knows what happened, and nothing is left to wait for when it has ended", async () => {
	const root = mkdtempSync(join(tmpdir(), "tau-tree-watch-"));
	try {
		const before = openWatches();
		const watch = await TreeWatch.open();
		expect(watch?.add("", Buffer.from(root))).toBe(true);
		writeFileSync(join(root, "file"), "");
		const seen: TreeEvent[] = [];
		expect(watch?.drain((event) => seen.push(event))).toBe(true);
		expect(seen[0]).toMatchObject({ directory: "", name: "file", kind: "appeared" });
		expect(openWatches()).toBe(before + 1);
		watch?.[Symbol.dispose]();
		expect(openWatches()).toBe(before);
	} finally {
		rmSync(root, { recursive: true });
	}
});
