/** /context lists what fills the context at any width; items can be read, dropped and brought back with a key. */
import { describe, expect, test } from "bun:test";

import { systemPrompt } from "@tau/extensions/system-prompt";
import { contextText, systemParts, type ContextReport } from "@tau/session/context";

import { frame, press, testScreen, typeInto } from "../../testing/frames.ts";
import { contextSelector } from "./selector.ts";

const report: ContextReport = {
	usage: { tokens: 4200, contextWindow: 20_000, percent: 21, exact: false },
	sources: [
		{
			name: "Tool results",
			tokens: 2400,
			items: [
				{ id: "a/result", name: "bash npm test", tokens: 1800, isDropped: false, canDrop: true },
				{ id: "b/result", name: "read src/index.ts", tokens: 600, isDropped: false, canDrop: true },
				{ id: "c/result", name: "grep TODO", tokens: 500, isDropped: true, canDrop: true },
			],
		},
		{
			name: "Instructions",
			tokens: 1300,
			items: [
				{
					id: "instructions//work/CLAUDE.md",
					name: "/work/CLAUDE.md",
					tokens: 1300,
					isDropped: false,
					canDrop: false,
				},
			],
		},
		{
			name: "System prompt",
			tokens: 500,
			items: [{ id: "system/", name: "", tokens: 500, isDropped: false, canDrop: false }],
		},
	],
	turns: [
		{ model: "anthropic/claude", requested: 3000, cached: 0, cost: 0.012 },
		{ model: "anthropic/claude", requested: 4000, cached: 3600, cost: 0.003 },
	],
	misses: [
		{ request: 4, cause: "compaction", tokens: 120_000, cost: 0.324 },
		{ request: 9, cause: "compaction", tokens: 130_000, cost: 0.351 },
		{ request: 12, cause: "tools", tokens: 900, cost: 0 },
	],
	keptAlive: { requests: 2, cost: 0.0042 },
};

function opened(rows = 30) {
	const calls: string[] = [];
	const selector = contextSelector(testScreen(rows), {
		report,
		inspect: (id) => (id === "a/result" ? "12 passed\n\x1b[31m3 failed" : "text"),
		drop: async (id) => (calls.push(`drop ${id}`), report),
		restore: async (id) => (calls.push(`restore ${id}`), report),
		close: () => void calls.push("close"),
	});
	return { selector, calls };
}

describe("the list", () => {
	test("at 80 columns", () => {
		const { selector } = opened();
		press(selector, "down");
		expect(frame(selector, 80)).toMatchInlineSnapshot(`
		  "
		  ── Context: about 4.2k tokens of 20k (21.0%) ──────────────────────────── 2/9 ──
		   Sources  Cache
		   >
		     Tool results           2.4k    12%
		   ❯   bash npm test        1.8k
		       read src/index.ts     600
		       ✗ grep TODO           500    off
		     Instructions           1.3k   6.5%
		       /work/CLAUDE.md      1.3k
		     System prompt           500   2.5%
		       text                  500
		     Free                  15.8k    79%
		     12 passed 3 failed


		     enter inspect · ctrl+d drop · esc close
		  "
		`);
	});

	test("at 40 columns", () => {
		expect(frame(opened().selector, 40)).toMatchInlineSnapshot(`
		  "
		  ── Context: about 4.2k tokens of… 1/9 ──
		   Sources  Cache
		   >
		   ❯ Tool results           2.4k    12%
		       bash npm test        1.8k
		       read src/index.ts     600
		       ✗ grep TODO           500    off
		     Instructions           1.3k   6.5%
		       /work/CLAUDE.md      1.3k
		     System prompt           500   2.5%
		       text                  500
		     Free                  15.8k    79%

		     ███████▊─────────────────────────────

		     esc close
		  "
		`);
	});

	test("at 120 columns, of the cache", () => {
		const { selector } = opened();
		press(selector, "tab");
		expect(frame(selector, 120)).toMatchInlineSnapshot(`
		  "
		  ── Context: about 4.2k tokens of 20k (21.0%) ──────────────────────────────────────────────────────────────────── 1/6 ──
		   Sources  Cache
		   >
		   ❯ Kept alive by 2 requests                               $0.004
		     Missed at request 12: a change of the tools     900
		     Missed at request 9: a compaction              130k   +$0.351
		     Missed at request 4: a compaction              120k   +$0.324
		     Turn 2                            90% cached      4k   $0.003
		     Turn 1                             0% cached      3k   $0.012
		     Small requests that kept the conversation in the provider's cache while tools ran
		     (cache.keepAlive).

		     esc close
		  "
		`);
	});

	test("has only the largest items of a source until it is opened", () => {
		const items = Array.from({ length: 9 }, (_, at) => ({
			id: `tools/t${at}`,
			name: `tool-${at}`,
			tokens: 100 - at,
			isDropped: at === 8,
			canDrop: true,
		}));
		const tools = { name: "Tools" as const, tokens: 800, items };
		const selector = contextSelector(testScreen(30), {
			report: { ...report, sources: [tools] },
			inspect: () => "text",
			drop: async () => report,
			restore: async () => report,
			close: () => {},
		});
		const names = (): string[] => [...frame(selector, 80).matchAll(/tool-\d|\d more/g)].map(([name]) => name);
		expect(names()).toEqual(["tool-0", "tool-1", "tool-2", "tool-8", "5 more"]);
		press(selector, "enter");
		expect(names()).toEqual(items.map(({ name }) => name));
		press(selector, "enter");
		expect(names()).toHaveLength(5);
	});

	test("is searched by the names of items", () => {
		const { selector } = opened();
		typeInto(selector, "index.ts");
		expect(frame(selector, 80)).toContain("read src/index.ts");
		expect(frame(selector, 80)).not.toContain("npm test");
	});
});

describe("an item", () => {
	test("is dropped and brought back with the same key, and what cannot be dropped has no hint for it", async () => {
		const { selector, calls } = opened();
		press(selector, "down");
		expect(frame(selector, 80)).toContain("ctrl+d drop");
		press(selector, "ctrl+d", "down", "down");
		expect(frame(selector, 80)).toContain("ctrl+d bring back");
		press(selector, "ctrl+d");
		expect(calls).toEqual(["drop a/result", "restore c/result"]);
		press(selector, "down", "down");
		expect(frame(selector, 80)).not.toContain("ctrl+d");
	});

	test("is shown whole, without its control sequences", () => {
		const { selector } = opened();
		press(selector, "down", "enter");
		const shown = frame(selector, 60);
		expect(shown).toContain("── Tool results: bash npm test ─");
		expect(shown).toContain("3 failed");
		press(selector, "escape");
		expect(frame(selector, 60)).toContain("Context: about 4.2k tokens");
	});
});

test("the report as plain text", () => {
	expect(contextText(report)).toMatchInlineSnapshot(`
	  "Context: about 4.2k tokens of 20k (21.0%)
	  Tool results           2.4k    12%
	    bash npm test        1.8k
	    read src/index.ts     600
	    1 dropped            -500
	  Instructions           1.3k   6.5%
	    /work/CLAUDE.md      1.3k
	  System prompt           500   2.5%
	  Free                  15.8k    79%
	  90% of the last request was cached
	  Cached, last 2 turns: 0% 90%
	  Cache missed 2 times after a compaction: 250k tokens read again, $0.675 more
	  Cache missed once after a change of the tools: 900 tokens read again
	  Cache kept alive by 2 requests: $0.004"
	`);
});

test("the actual system prompt is split into instructions, rules and skills without loss", () => {
	const rule = { name: "no-any", content: "Never use any.", path: "/r.md", description: "about any" };
	const prompt = systemPrompt({
		cwd: "/work",
		tools: ["read"],
		contextFiles: [
			{ path: "/home/me/AGENTS.md", level: "user", content: "x".repeat(400) },
			{ path: "/work/CLAUDE.md", level: "project", content: "y".repeat(4000) },
		],
		skills: ["- pdf: Reads PDF files", "- docx: Writes documents"],
		rules: { always: [rule], onDemand: [{ ...rule, name: "later" }] } as never,
	});
	const { text, instructions, rules, skills } = systemParts(prompt);
	expect(instructions.map(({ name, text: { length } }) => [name, length])).toEqual([
		["/home/me/AGENTS.md", 400],
		["/work/CLAUDE.md", 4000],
	]);
	expect(rules.map(({ name }) => name)).toEqual(["no-any", "later"]);
	expect(skills.map(({ name }) => name)).toEqual(["pdf", "docx"]);
	expect(text).not.toContain("yyyy");
	expect(text).not.toContain("Never use any.");
	expect(systemParts("no files at all")).toEqual({
		text: "no files at all",
		instructions: [],
		rules: [],
		skills: [],
	});
});
