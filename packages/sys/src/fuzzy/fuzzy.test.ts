/** A roughly remembered text is found, and the intended match comes first. */
import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { fuzzyFilter, fuzzyMatch, fuzzyPaths } from "./index.ts";

const paths = [
	"README.md",
	"src/session/log/session-log.ts",
	"src/session/log/session-log.test.ts",
	"src/session/agent-session.ts",
	"src/modes/interactive/InteractiveMode.ts",
	"src/tools/grep/tool.ts",
	"src/tools/grep/prompt.md",
	"src/tools/find/tool.ts",
	"src/logs.ts",
	"docs/session-format.md",
	"packages/ai/src/index.ts",
	"packages/tui/src/index.ts",
	"src/tools/",
];

describe("of paths", () => {
	const expectations: [query: string, path: string][] = [
		["readme", "README.md"],
		["sessionlog", "src/session/log/session-log.ts"],
		["session log", "src/session/log/session-log.ts"],
		["log session", "src/session/log/session-log.ts"],
		["logs", "src/logs.ts"],
		["im", "src/modes/interactive/InteractiveMode.ts"],
		["IntMode", "src/modes/interactive/InteractiveMode.ts"],
		["grep tool", "src/tools/grep/tool.ts"],
		["grep/tool", "src/tools/grep/tool.ts"],
		["tui index", "packages/tui/src/index.ts"],
		["agsess", "src/session/agent-session.ts"],
		["sess test", "src/session/log/session-log.test.ts"],
		["tools", "src/tools/"],
	];
	test.each(expectations)("%s", (query, path) => {
		expect(fuzzyPaths(query, paths, 3)[0]?.path).toBe(path);
	});

	test("a text without all letters in order does not match", () => {
		expect(fuzzyPaths("zzz", paths, 5)).toEqual([]);
		expect(fuzzyPaths("session zzz", paths, 5)).toEqual([]);
		expect(fuzzyPaths("  ", paths, 5)).toEqual([]);
		expect(fuzzyPaths("a", paths, 0)).toEqual([]);
	});

	test("letters of any script are compared without their case", () => {
		expect(fuzzyPaths("ÜBER", ["docs/über.md", "a"], 5)).toMatchObject([{ path: "docs/über.md" }]);
		expect(fuzzyPaths("i", ["İ"], 5)).toHaveLength(1);
	});

	test("the best of many are the first of all, in order", () => {
		const letters = fc.array(fc.constantFrom("a", "b", "c", "/", "A", ".", "_"), {
			minLength: 1,
			maxLength: 12,
		});
		const lists = fc.array(
			letters.map((parts) => parts.join("")),
			{ maxLength: 40 },
		);
		fc.assert(
			fc.property(lists, fc.integer({ min: 1, max: 10 }), (list, limit) => {
				const all = fuzzyPaths("ab", list, list.length + 1);
				const scores = all.map(({ score }) => score);
				expect(scores).toEqual(scores.toSorted((a, b) => a - b));
				expect(fuzzyPaths("ab", list, limit)).toEqual(all.slice(0, limit));
				const holding = list.filter((path) => /a.*b/i.test(path));
				expect(all.map(({ path }) => path).toSorted()).toEqual(holding.toSorted());
			}),
		);
	});
});

describe("of any text", () => {
	test("a query matches if its letters are in order, and lower scores are better", () => {
		expect(fuzzyMatch("gpt", "openai/gpt-5")).toMatchObject({ matches: true });
		expect(fuzzyMatch("tpg", "openai/gpt-5")).toEqual({ matches: false, score: 0 });
		expect(fuzzyMatch("", "anything")).toEqual({ matches: true, score: 0 });
		expect(fuzzyMatch("mod", "model").score).toBeLessThan(fuzzyMatch("mod", "my old dog").score);
		expect(fuzzyMatch("model", "model").score).toBeLessThan(fuzzyMatch("model", "models").score);
	});

	test("a whole word is found, also where letters of it follow", () => {
		const status = "status Show version, account, model, directories, sandbox, servers and settings in use";
		const list = ["handoff Start a new session with a summary of this one", status];
		expect(fuzzyFilter(list, "status", String)[0]).toBe(status);
	});

	test("a list is filtered and sorted; all words have to match", () => {
		const items = ["claude-haiku", "claude-opus", "gpt-5", "haiku-claude-old"].map((id) => ({ id }));
		const ids = (query: string): string[] => fuzzyFilter(items, query, ({ id }) => id).map(({ id }) => id);
		expect(ids("haiku claude")).toEqual(["claude-haiku", "haiku-claude-old"]);
		expect(ids("opus")).toEqual(["claude-opus"]);
		expect(ids(" ")).toEqual(items.map(({ id }) => id));
		expect(ids("xyz")).toEqual([]);
	});
});
