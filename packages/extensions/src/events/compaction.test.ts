/** The events of a compaction, whatever its outcome, and what extensions can change about it. */
import { expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";
import { UsageLedger } from "@tau/session";

import {
	type ExtensionFixture,
	type ExtensionFixtureOptions,
	extensionFixtureWith,
} from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const on = (event: string, body: string): string => `export default (pi) => pi.on("${event}", ${body});`;
const long = "word ".repeat(2000);

/** A session with three prompts, two of them long. */
async function filled(
	steps: Scenario["steps"],
	files: Record<string, string>,
	options: ExtensionFixtureOptions = {},
): Promise<ExtensionFixture> {
	const fixture = await extensionFixture(
		{ steps: ["One.", "Two.", "Three.", ...steps] },
		{ files, contextWindow: 10_000, ...options },
	);
	for (const text of [long, long, "more"]) await fixture.prompt(text);
	return fixture;
}

const failed = on(
	"session_compact_failed",
	`({ type, ...event }, ctx) => ctx.ui.notify(JSON.stringify(event))`,
);

test("session_before_compact has the cause, the settings and the messages, and session_compact the cause", async () => {
	await using fixture = await filled(["Summed up."], {
		"a.ts": on(
			"session_before_compact",
			`({ reason, willRetry, preparation: { settings, messagesToSummarize, firstKeptEntryId }, customInstructions, signal }, ctx) => ctx.ui.notify(
				[reason, willRetry, settings.keepRecentTokens, messagesToSummarize.length > 0, typeof firstKeptEntryId, customInstructions, signal.aborted].join(" "))`,
		),
		"b.ts": on("session_compact", `({ reason, willRetry }, ctx) => ctx.ui.notify(reason + " " + willRetry)`),
	});
	await fixture.session.compact("be brief");
	expect(fixture.shown).toEqual([
		"notify: manual false 1000 true string be brief false",
		"notify: manual false",
	]);
});

test("a compaction that fails, is cancelled or has nothing to do is reported as such, and changes nothing", async () => {
	await using wrong = await filled([{ fault: { http: 400 } }], { "a.ts": failed });
	await expect(wrong.session.compact()).rejects.toThrow();
	expect(JSON.parse(wrong.shown[0]?.slice(8) ?? "")).toMatchObject({
		reason: "manual",
		willRetry: false,
		aborted: false,
		fromExtension: false,
		errorMessage: expect.any(String),
	});
	await using refused = await filled([], {
		"a.ts": failed,
		"b.ts": on("session_before_compact", "() => ({ cancel: true })"),
	});
	await expect(refused.session.compact()).rejects.toThrow();
	expect(JSON.parse(refused.shown[0]?.slice(8) ?? "")).toMatchObject({ aborted: true, fromExtension: false });
	await using own = await filled([], {
		"a.ts": failed,
		"b.ts": on(
			"session_before_compact",
			`() => ({ compaction: { summary: "x", firstKeptEntryId: "nowhere", tokensBefore: 1 } })`,
		),
	});
	await expect(own.session.compact()).rejects.toThrow("nowhere");
	expect(JSON.parse(own.shown[0]?.slice(8) ?? "")).toMatchObject({ aborted: false, fromExtension: true });
});

test("a prompt by an extension replaces Tau's, and the user's instructions still apply", async () => {
	await using fixture = await filled(["Summed up."], {
		"a.ts": on(
			"session.compacting",
			`() => ({ prompt: "Write a limerick on it.", context: ["It has five lines."], preserveData: { by: "a" } })`,
		),
		"b.ts": on("session.compacting", `() => ({ preserveData: { also: "b" } })`),
	});
	await fixture.session.compact("Rhyme well.");
	const requested = fixture.request(3);
	expect(requested).toContain(
		"Write a limerick on it.\\nRhyme well.\\n<additional-context>\\nIt has five lines.\\n</additional-context>",
	);
	expect(requested).not.toContain("## Goal");
	expect(fixture.log.getEntries().findLast(({ type }) => type === "compaction")).toMatchObject({
		preserveData: { by: "a", also: "b" },
	});
});

test("a prompt by an extension replaces Tau's also if there is an earlier summary", async () => {
	await using fixture = await filled(["First.", "Four.", "Five.", "Second."], {
		"a.ts": on("session.compacting", `() => ({ prompt: "Write a limerick on it." })`),
	});
	await fixture.session.compact();
	for (const text of [long, "more"]) await fixture.prompt(text);
	await fixture.session.compact();
	const requested = fixture.request(6);
	expect(requested).toContain("<previous-summary>\\nFirst.");
	expect(requested).toContain("Write a limerick on it.");
	expect(requested).not.toContain("Write one summary of both");
});

test("data that comes with an extension's own summary is stored in the entry", async () => {
	await using fixture = await filled([], {
		"a.ts": on(
			"session_before_compact",
			`({ preparation }) => ({ compaction: { summary: "mine", firstKeptEntryId: preparation.firstKeptEntryId, tokensBefore: 1, preserveData: { index: [1] } } })`,
		),
	});
	await fixture.session.compact();
	expect(fixture.log.getEntries().findLast(({ type }) => type === "compaction")).toMatchObject({
		summary: "mine",
		fromHook: true,
		preserveData: { index: [1] },
	});
});

test("what a summary of an extension cost is counted in the session, also when it is opened again", async () => {
	const usage = {
		input: 100,
		output: 10,
		cacheRead: 0,
		cacheWrite: 0,
		totalTokens: 110,
		cost: { total: 0.5 },
	};
	await using fixture = await filled([], {
		"a.ts": on(
			"session_before_compact",
			`({ preparation }) => ({ compaction: { summary: "mine", firstKeptEntryId: preparation.firstKeptEntryId, tokensBefore: 1, usage: ${JSON.stringify(usage)} } })`,
		),
	});
	const before = fixture.session.usage.totals.cost.total;
	await fixture.session.compact();
	expect(fixture.session.usage.totals.cost.total - before).toBeCloseTo(0.5);
	const entry = fixture.log.getEntries().find(({ type }) => type === "compaction");
	expect(entry).toMatchObject({ usage: { input: 100, output: 10 }, provider: "played", model: "played-1" });
	const again = new UsageLedger(() => fixture.log.spent());
	expect(again.totals.cost.total).toBeCloseTo(fixture.session.usage.totals.cost.total);
});

test("what a summary of an extension cost is booked on the model that it asked", async () => {
	await using fixture = await filled(
		[{ answer: { blocks: [{ text: "Mine." }], usage: { input: 40, output: 2 } } }],
		{
			"a.ts": `import { complete } from "@earendil-works/pi-ai"; ${on(
				"session_before_compact",
				`async ({ preparation, signal }, ctx) => {
					const model = { ...ctx.model, id: "cheap-1" };
					const { content, usage } = await complete(model, { messages: [{ role: "user", content: "sum", timestamp: 0 }] }, { signal });
					return { compaction: { summary: content[0].text, firstKeptEntryId: preparation.firstKeptEntryId, tokensBefore: 1, usage } };
				}`,
			)}`,
		},
	);
	await fixture.session.compact();
	expect(fixture.log.getEntries().find(({ type }) => type === "compaction")).toMatchObject({
		summary: "Mine.",
		model: "cheap-1",
		usage: { input: 40, output: 2 },
	});
	expect(fixture.session.usage.byModel().map(({ model }) => model)).toContain("cheap-1");
});
