/** Rules are found in all supported directories, parsed as intended, and sorted by trigger. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";

import { writeTestFile } from "../../../../test/support/files.ts";
import { discoverRules } from "@tau/extensions/resources";
import { StreamRules } from "./ttsr/stream-rules.ts";
import { builtinRules } from "./builtin/index.ts";
import { readHead } from "./head.ts";
import { limits } from "./limits.ts";
import { parseRule } from "./parse.ts";
import type { Rule } from "@tau/session/run";
import { settingsLimits } from "@tau/config/settings";
import { sortRules } from "./sort.ts";
import { ruleUrls } from "./urls.ts";

let home: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-rules-"));
	mkdirSync(join(home, "project/sub"), { recursive: true });
	mkdirSync(join(home, "project/.git"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const writeFixture = (path: string, text: string): string => writeTestFile(join(home, path), text);

function load(...disabled: string[]) {
	return discoverRules({ cwd: join(home, "project/sub"), env: { HOME: home }, disabled, isTrusted: true });
}

function parse(text: string, isAlwaysByDefault = true) {
	return parseRule({ name: "r", path: "r.md", level: "project", text, isAlwaysByDefault });
}

function sorted(rules: readonly Rule[]) {
	const { always, stream, byFile, onDemand } = sortRules(rules, { streamRules: true, disabled: [] });
	const names = (list: readonly Rule[]): string[] => list.map(({ name }) => name);
	return { always: names(always), stream: names(stream), byFile: names(byFile), onDemand: names(onDemand) };
}

describe("finding", () => {
	test("all directories are searched, in the order of the programs", async () => {
		writeFixture("project/sub/.tau/rules/near.md", "Near.");
		writeFixture("project/.omp/rules/omp.md", "Omp.");
		writeFixture("project/.claude/rules/claude.md", "Claude.");
		writeFixture("project/.cursor/rules/web/cursor.mdc", "---\ndescription: Cursor\n---\nCursor.");
		writeFixture("project/.windsurf/rules/windsurf.md", "---\ntrigger: always_on\n---\nWindsurf.");
		writeFixture("project/.clinerules/cline.md", "Cline.");
		writeFixture("project/.github/instructions/ts.instructions.md", "---\napplyTo: '**/*.ts'\n---\nTypes.");
		writeFixture(".tau/agent/rules/mine.md", "Mine.");
		writeFixture(".omp/agent/rules/mine-too.md", "Mine too.");
		writeFixture("project/.tau/rules/notes.txt", "No rule.");
		const { rules, notices } = await load();
		expect(rules.map(({ name, level }) => `${level} ${name}`)).toEqual([
			"project near",
			"user mine",
			"project omp",
			"user mine-too",
			"project claude",
			"project web/cursor",
			"project windsurf",
			"project cline",
			"project ts",
		]);
		expect(rules.at(-1)?.globs).toEqual(["**/*.ts"]);
		expect(notices).toEqual([]);
	});

	test("files with all rules of a program always apply", async () => {
		writeFixture("project/.cursorrules", "Tabs.");
		writeFixture("project/.github/copilot-instructions.md", "Short names.");
		const { rules } = await load();
		expect(sorted(rules).always).toEqual([".cursorrules", "copilot-instructions.md"]);
	});

	test("of two rules with the same name, the nearer one applies", async () => {
		writeFixture("project/.tau/rules/style.md", "Ours.");
		writeFixture(".tau/agent/rules/style.md", "Mine.");
		writeFixture("project/.claude/rules/style.md", "A copy for another program.");
		expect((await load()).rules.map(({ content }) => content)).toEqual(["Ours."]);
	});

	test("a disabled rule does not apply", async () => {
		writeFixture("project/.cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nA.");
		writeFixture("project/.tau/rules/b.md", "B.");
		writeFixture("project/.tau/rules/c.md", "C.");
		const { rules } = await load("cursor/rules", "rules:b");
		expect(rules.map(({ name }) => name)).toEqual(["c"]);
	});

	test("a link in the project cannot send a file of the user to the model", async () => {
		writeFixture("secret.md", "Secret.");
		writeFixture("project/notes.md", "Notes.");
		mkdirSync(join(home, "project/.tau/rules"), { recursive: true });
		symlinkSync(join(home, "secret.md"), join(home, "project/.tau/rules/out.md"));
		symlinkSync("../../notes.md", join(home, "project/.tau/rules/within.md"));
		const { rules, notices } = await load();
		expect(rules.map(({ content }) => content)).toEqual(["Notes."]);
		expect(notices).toEqual([expect.stringMatching(/out\.md: .*points outside the project/)]);
	});

	test("an unusable rule is reported, and affects nothing else", async () => {
		writeFixture("project/.tau/rules/a-empty.md", "---\nglobs: '*.ts'\n---\n");
		writeFixture("project/.tau/rules/b-long.md", "x".repeat(limits.fileBytes + 1));
		writeFixture("project/.tau/rules/c-binary.md", "a\0b");
		writeFixture("project/.tau/rules/d-good.md", "Good.");
		const { rules, notices } = await load();
		expect(rules.map(({ name }) => name)).toEqual(["d-good"]);
		expect(notices).toEqual([
			expect.stringContaining("a-empty.md was skipped"),
			expect.stringContaining("b-long.md was skipped"),
			expect.stringContaining("c-binary.md was skipped"),
		]);
	});
});

describe("reading", () => {
	test("all fields of the frontmatter", () => {
		const head = [
			"description: About dates",
			"globs: src/**/*.{ts,tsx}, '*.js'",
			"condition: ['new Date\\(\\)', moment]",
			"astCondition: new Date()",
			"scope: text, tool:edit(*.ts, *.tsx)",
			"interruptMode: tool-only",
			"contextMode: keep",
			"repeatMode: after-gap",
			"repeatGap: 3",
		].join("\n");
		expect(parse(`---\n${head}\n---\nUse the clock.`)).toEqual({
			problems: [],
			rule: {
				name: "r",
				path: "r.md",
				level: "project",
				content: "Use the clock.",
				description: "About dates",
				globs: ["src/**/*.{ts,tsx}", "*.js"],
				condition: ["new Date\\(\\)", "moment"],
				astCondition: ["new Date()"],
				scope: ["text", "tool:edit(*.ts, *.tsx)"],
				interruptMode: "tool-only",
				contextMode: "keep",
				repeatMode: "after-gap",
				repeatGap: 3,
			},
		});
	});

	test("globs as Cursor writes them, which are not YAML", () => {
		const { rule } = parse(
			"---\ndescription: All: of it\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\nWords.",
			false,
		);
		expect(rule).toMatchObject({ description: "All: of it", globs: ["*.ts", "*.tsx"], alwaysApply: false });
	});

	test("an unknown value is reported, and the setting applies", () => {
		const { rule, problems } = parse(
			"---\ncondition: a\ninterruptMode: sometimes\nrepeatGap: 0\nscope: 3\n---\nWords.",
		);
		expect(rule).not.toHaveProperty("interruptMode");
		expect(problems).toEqual([
			"r.md: scope must be a string or a list of strings.",
			"r.md: interruptMode must be one of always, prose-only, tool-only, never.",
			`r.md: repeatGap must be a whole number from 1 to ${settingsLimits.ruleRepeatGap}.`,
		]);
	});

	test("property: no file breaks the parser, and its text is not lost", () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (head, text) => {
				expect(readHead(`---\n${head}\n---\nWords ${text}`).body).toContain("Words");
				parse(`---\n${head}\n---\nWords`);
			}),
		);
	});
});

describe("sorting", () => {
	const of = (text: string, isAlwaysByDefault = true): keyof ReturnType<typeof sorted> | undefined => {
		const { rule } = parse(text, isAlwaysByDefault);
		const kinds = rule ? sorted([rule]) : undefined;
		return (["always", "stream", "byFile", "onDemand"] as const).find((kind) => kinds?.[kind].length === 1);
	};

	test.each([
		["Words.", "always"],
		["---\nalwaysApply: true\nglobs: '*.ts'\n---\nWords.", "always"],
		["---\ntrigger: always_on\n---\nWords.", "always"],
		["---\nglobs: '*.ts'\n---\nWords.", "byFile"],
		["---\npaths: ['src/**']\n---\nWords.", "byFile"],
		["---\ntrigger: glob\nglobs: '*.ts'\n---\nWords.", "byFile"],
		["---\ndescription: Dates\n---\nWords.", "onDemand"],
		["---\ntrigger: model_decision\ndescription: Dates\n---\nWords.", "onDemand"],
		["---\ncondition: moment\nalwaysApply: true\n---\nWords.", "stream"],
		["---\nastCondition: new Date()\n---\nWords.", "stream"],
		["---\ntrigger: manual\n---\nWords.", undefined],
	] as const)("%p is injected %p", (text, kind) => {
		expect(of(text)).toBe(kind);
	});

	test("a Cursor rule without a trigger applies only on request", () => {
		expect(of("Words.", false)).toBeUndefined();
	});

	test("without stream rules, the other triggers of a rule still apply", () => {
		const { rule } = parse("---\ncondition: moment\ndescription: Dates\n---\nWords.");
		const { stream, onDemand } = sortRules(rule ? [rule] : [], { streamRules: false, disabled: [] });
		expect([stream.length, onDemand.length]).toEqual([0, 1]);
	});

	test("a disabled rule is in no list", () => {
		const { rule } = parse("Words.");
		expect(sortRules(rule ? [rule] : [], { streamRules: true, disabled: ["r"] })).toMatchObject({
			all: [],
			always: [],
		});
	});

	test("rules that always apply share a size limit, and those left out are named", () => {
		const rules = ["a", "b", "c"].map(
			(name) =>
				({
					name,
					path: name,
					level: "user",
					content: "x".repeat(limits.alwaysBytes / 2),
					alwaysApply: true,
				}) as const,
		);
		const { always, notices } = sortRules(rules, { streamRules: true, disabled: [] });
		expect(always.map(({ name }) => name)).toEqual(["a", "b"]);
		expect(notices).toEqual([expect.stringContaining("The rule c was skipped")]);
	});
});

test("all built-in rules are valid", () => {
	const rules = builtinRules();
	expect(rules.length).toBeGreaterThan(4);
	expect(sorted(rules).stream).toEqual(rules.map(({ name }) => name));
	expect(new StreamRules(rules, "/").problems).toEqual([]);
});

test("a rule is read by its name, and a typo is answered with the nearest one", () => {
	const { rule } = parse("Words.");
	const urls = ruleUrls(rule ? [{ ...rule, name: "style" }] : []);
	const resolve = (rest: string) => urls.resolve(rest, undefined as never, new AbortController().signal);
	expect(resolve("style")).toEqual({ ok: true, text: "Words.\n" });
	expect(resolve("stile")).toEqual({
		ok: false,
		reason: expect.stringContaining("Did you mean rule://style?"),
	});
});
