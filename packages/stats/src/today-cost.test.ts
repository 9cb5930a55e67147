/** What the footer says of today. */
import { afterAll, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { noUsage } from "@tau/ai";

import { UsageLines } from "./lines/usage-lines.ts";
import { TodayCosts } from "./today-cost.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-today-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("today's cost is that since the user's midnight, with each answer counted once, also of other processes", () => {
	using lines = new UsageLines(directory);
	const midnight = new Date("2026-03-10T12:00:00").setHours(0, 0, 0, 0);
	const noon = midnight + 12 * 3_600_000;
	const answer = (at: number, dollars: number, isSubscription = false) => {
		const usage = { ...noUsage(), cost: { ...noUsage().cost, output: dollars, total: dollars + 0.5 } };
		const who = { session: "s", cwd: '/a "nanos":[9', kind: "turn", provider: "p", model: "m" };
		lines.append({ at, ...who, usage, ...(isSubscription ? { isSubscription } : {}) });
	};
	const today = new TodayCosts(directory);
	expect(today.read(noon)).toEqual({ cost: 0, isEstimate: false });
	answer(midnight - 1, 100);
	answer(midnight, 1);
	answer(noon, 2);
	lines.append({ at: noon, session: "s", cwd: "/", tool: "bash", isError: false });
	expect(today.read(noon)).toEqual({ cost: 4, isEstimate: false });
	expect(today.read(noon)).toEqual({ cost: 4, isEstimate: false });
	answer(noon + 1, 0.25, true);
	// Another process is in the middle of a line.
	appendFileSync(join(directory, `${new Date(noon).toISOString().slice(0, 10)}.jsonl`), '{"at":');
	expect(today.read(noon + 2)).toEqual({ cost: 4.75, isEstimate: true });
	// The next day begins with nothing.
	expect(today.read(noon + 24 * 3_600_000)).toEqual({ cost: 0, isEstimate: false });
});
