/** Marks of sessions: several processes may set them at the same time. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SessionMarks } from "./session-marks.ts";

let directory = "";
beforeAll(() => {
	directory = mkdtempSync(join(tmpdir(), "tau-marks-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("no pin is lost when several processes pin at once", async () => {
	const path = join(directory, "marks.json");
	const script = `
		import { SessionMarks } from ${JSON.stringify(join(import.meta.dir, "session-marks.ts"))};
		const marks = new SessionMarks(${JSON.stringify(path)});
		for (let at = 0; at < 5; at++) await marks.toggle("pinned", process.argv.at(-1) + "-" + at);
	`;
	const processes = ["a", "b", "c", "d"].map((name) => Bun.spawn([process.execPath, "-e", script, name]));
	expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
	expect(JSON.parse(readFileSync(path, "utf8")).pinned).toHaveLength(20);
});

test("a damaged file has no marks, and takes new ones", async () => {
	const path = join(directory, "damaged.json");
	writeFileSync(path, '{"pinned": ["a", 7, {}], "archiv');
	const marks = new SessionMarks(path);
	expect(marks.has("pinned", "a")).toBe(false);
	await marks.toggle("archived", "b");
	expect(new SessionMarks(path).has("archived", "b")).toBe(true);
});
