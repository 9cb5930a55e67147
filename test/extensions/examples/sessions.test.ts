/** The examples about whole sessions: how they start and end, and how long ones are compacted. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";

import {
	type ExtensionFixture,
	type ExtensionFixtureOptions,
	extensionFixtureWith,
} from "../../support/extensions.ts";

import { needs } from "../../support/needs.ts";

const extensionFixture = extensionFixtureWith(playModel);
const folder = join(import.meta.dir, "../../../packages/coding-agent/examples/extensions");

const play = (name: string, scenario: Scenario, options: ExtensionFixtureOptions = {}) =>
	extensionFixture(scenario, { ...options, paths: [join(folder, name)] });

const long = "word ".repeat(2000);

/** Fills the session enough for a compaction. */
async function fill(fixture: ExtensionFixture): Promise<void> {
	for (const text of [`first\n${long}`, `second\n${long}`, "third"]) await fixture.prompt(text);
}

test("session-journal: a line for each start, change and end", async () => {
	await using fixture = await play("session-journal.ts", { steps: [] });
	for (const reason of ["resume", "fork", "reload"] as const) {
		await fixture.extensions.sessionEnding({ reason });
		fixture.next();
		await fixture.extensions.sessionStarted(reason, "/sessions/before.jsonl");
	}
	const lines = readFileSync(join(fixture.cwd, ".tau/journal.log"), "utf8").trim().split("\n");
	expect(lines.map((line) => line.split(" ").slice(2).join(" "))).toEqual([
		"start startup",
		"end resume",
		"start resume",
		"switch from before.jsonl",
		"end fork",
		"start fork",
		"fork from before.jsonl",
		"branch",
		"end reload",
		"start reload",
	]);
	expect(lines[0]).toContain(fixture.log.getSessionId());
});

needs("git")(
	"confirm-leave: it asks if there are uncommitted changes, and a no keeps the session",
	async () => {
		let isSure = false;
		await using fixture = await play("confirm-leave.ts", { steps: [] }, { answer: () => isSure });
		const { extensions, cwd } = fixture;
		Bun.spawnSync(["git", "init", "-q"], { cwd });
		expect(await extensions.confirmLeave({ to: "new" })).toBe(true);
		writeFileSync(join(cwd, "new.txt"), "x");
		expect(await extensions.confirmLeave({ to: "new" })).toBe(false);
		isSure = true;
		expect(await extensions.confirmLeave({ to: "fork", entryId: "x", position: "at" })).toBe(true);
		expect(fixture.shown).toEqual(Array(2).fill("confirm: Leave this session? | 1 files are not committed."));
	},
);

test("own-compaction: with its flag no request is sent, and without it one is", async () => {
	const flags = new Map([["own-compaction", true]]);
	const steps = ["One.", "Two.", "Three."];
	await using fixture = await play("own-compaction.ts", { steps }, { flags, contextWindow: 10_000 });
	await fill(fixture);
	const { summary, details } = await fixture.session.compact();
	expect(summary).toStartWith("The user wrote so far:\n- first");
	expect(details).toMatchObject({ count: expect.any(Number) });
	expect(fixture.played.requests).toHaveLength(3);
	expect(fixture.shown).toEqual([expect.stringContaining("Compacted without a model")]);
	await using without = await play(
		"own-compaction.ts",
		{ steps: [...steps, { fault: { http: 400 } }] },
		{ contextWindow: 10_000 },
	);
	await fill(without);
	await expect(without.session.compact()).rejects.toThrow();
	expect(without.shown).toEqual([expect.stringContaining("notify: The manual compaction failed: ")]);
});

test("compaction-focus: the summary prompt says what to keep, and automatic compactions are shown", async () => {
	const fullSteps = ["One.", "Two.", "Three.", "Summed up."];
	await using fixture = await play(
		"compaction-focus.ts",
		{ steps: fullSteps },
		{ answer: () => true, contextWindow: 10_000 },
	);
	await fill(fixture);
	await fixture.session.compact();
	expect(fixture.request(3)).toContain("Keep every decision, with its reason.");
	expect(fixture.log.getEntries().findLast(({ type }) => type === "compaction")).toMatchObject({
		type: "compaction",
		preserveData: { summedUp: expect.any(Number) },
	});
	const result = { summary: "s", firstKeptEntryId: "x", tokensBefore: 9000, details: {} };
	await fixture.session.emit({ type: "auto_compaction_start", reason: "overflow", willRetry: true });
	await fixture.session.emit({ type: "auto_compaction_end", result, aborted: false, willRetry: true });
	expect(fixture.shown).toEqual([
		"setStatus: compaction | too long, summing up",
		"setStatus: compaction",
		"notify: Compacted 9000 tokens.",
	]);
});

test("context-gauge: a context that is nearly full is compacted when the session is idle", async () => {
	await using fixture = await play(
		"context-gauge.ts",
		{ steps: ["One.", "Two.", "Summed up."] },
		{ answer: () => true, contextWindow: 7000, tools: [], autoCompaction: false },
	);
	await fixture.prompt(long);
	expect(fixture.shown).toEqual(["setFooter: "]);
	await fixture.prompt(`${long} ${long}`);
	await fixture.until("Compacted: there were ");
	expect(fixture.request(2)).toContain("Keep what is still to be done.");
});
