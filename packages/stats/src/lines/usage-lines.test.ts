/** Lines of a server that has many: written together, each in the file of its day. */
import { noUsage } from "@tau/ai";
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { usageFile, UsageLines } from "./usage-lines.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-usage-lines-"));
afterAll(() => rmSync(directory, { recursive: true }));

const noon = Date.parse("2026-03-10T12:00:00Z");
const midnight = Date.parse("2026-03-11T00:00:00Z");
const answer = (at: number) => ({
	at,
	session: "gateway-owner",
	cwd: "/",
	kind: "gateway",
	provider: "p",
	model: "m",
	usage: noUsage(),
});

function timesIn(at: number): number[] {
	const file = usageFile(directory, at);
	if (!existsSync(file)) return [];
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	return lines.map((line) => (JSON.parse(line) as { at: number }).at);
}

test("collected lines are written when the server stops, in order, and by their days", () => {
	const lines = new UsageLines(directory);
	for (const at of [noon, midnight - 1, midnight, midnight + 1]) lines.collect(answer(at));
	expect([timesIn(noon), timesIn(midnight)]).toEqual([[noon, midnight - 1], []]);
	lines[Symbol.dispose]();
	expect(timesIn(midnight)).toEqual([midnight, midnight + 1]);
});

test("collected lines are written without a stop, too", async () => {
	using lines = new UsageLines(directory);
	lines.collect(answer(midnight + 2));
	lines.collect(answer(midnight + 3));
	while (!timesIn(midnight).includes(midnight + 3)) await Bun.sleep(5);
	expect(timesIn(midnight).slice(-2)).toEqual([midnight + 2, midnight + 3]);
});
