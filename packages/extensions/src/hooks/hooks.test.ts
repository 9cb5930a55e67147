/** Hook files are parsed leniently, and each hook applies to what its author intended. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import * as fc from "fast-check";

import { loadHooks } from "../resources/hooks.ts";
import { discoveryPaths } from "@tau/resources/sources";
import { standardRegistry } from "../resources/standard-registry.ts";
import { Switches } from "@tau/resources/discovery";
import { readAnswer, together, type HookAnswer } from "./answer.ts";
import { changedArguments, claudeCall } from "./claude-tools.ts";
import { findHooks } from "./find-hooks.ts";
import { hookEvents } from "./hook.ts";
import { limits } from "./limits.ts";
import { fits, fitsCondition } from "./matcher.ts";
import { parseHooks } from "./parse-hooks.ts";

const location = { source: "claude", level: "user", path: "/settings.json" } as const;

describe("a matcher", () => {
	const cases: [matcher: string, subjects: string[], fits: boolean][] = [
		["", ["Bash"], true],
		["*", ["Bash"], true],
		["Bash", ["Bash", "bash"], true],
		["bash", ["Bash", "bash"], true],
		["Bas", ["Bash", "bash"], false],
		["Edit|Write", ["Write", "write"], true],
		["Edit, Write", ["Write", "write"], true],
		["mcp__memory", ["mcp__memory__add"], false],
		["mcp__memory__.*", ["mcp__memory__add"], true],
		["^Notebook", ["NotebookEdit", "notebook"], true],
		["Note.*", ["Bash", "bash"], false],
		["(broken", ["Bash"], false],
	];
	test.each(cases)("%p for %p: %p", (matcher, subjects, expected) => {
		expect(fits(matcher, subjects)).toBe(expected);
	});

	test("that is a name matches the whole name only", () => {
		const name = fc.stringMatching(/^[A-Za-z_]{1,12}$/);
		fc.assert(
			fc.property(name, name, (one, other) => {
				expect(fits(one, [one])).toBe(true);
				expect(fits(one, [other])).toBe(one === other);
				expect(fits(`${one}|${other}`, [other])).toBe(true);
			}),
		);
	});

	const rules: [rule: string, command: string, fits: boolean][] = [
		["Bash(git *)", "git push", true],
		["Bash(git *)", "git", true],
		["Bash(git:*)", "git push", true],
		["Bash(git *)", "cd x && git push", true],
		["Bash(git *)", "github", false],
		["Bash(rm -rf *)", "rm -r x", false],
		["Bash", "anything", true],
		["Read(*)", "git push", false],
		["what is this", "git push", true],
	];
	test.each(rules)("the rule %p for %p: %p", (rule, command, expected) => {
		const { names, texts } = claudeCall("bash", { command }, (path) => path);
		expect(fitsCondition(rule, names, texts)).toBe(expected);
	});

	test("a condition with many wildcards answers for a long command as well", () => {
		const condition = `Bash(${"*a".repeat(12)}*b)`;
		expect(fitsCondition(condition, ["Bash"], ["a".repeat(100_000)])).toBe(false);
		expect(fitsCondition(condition, ["Bash"], [`${"a".repeat(100_000)}b`])).toBe(true);
		expect(fitsCondition("Bash(ab*ba)", ["Bash"], ["aba"])).toBe(false);
	});
});

describe("a file", () => {
	test("may hold many hooks with timeouts, and an invalid one affects only itself", () => {
		const { items, warnings } = parseHooks(
			{
				PreToolUse: [
					{ matcher: "Bash", hooks: [{ type: "command", command: "a", timeout: 5 }, { command: "b" }] },
					{ matcher: 7, hooks: [] },
					{ hooks: [{ type: "prompt", prompt: "Is it safe?" }, { type: "command" }, "c"] },
					{ matcher: "(", hooks: [{ command: "d", timeout: 1e9, async: true }] },
				],
				TeammateIdle: [{ hooks: [{ command: "silent" }] }],
				PreToolUsed: [],
				Stop: {},
			},
			location,
		);
		expect(
			items.map(({ event, matcher, command, timeoutMs, isAsync }) => [
				event,
				matcher,
				command,
				timeoutMs,
				isAsync,
			]),
		).toEqual([
			["PreToolUse", "Bash", "a", 5000, false],
			["PreToolUse", "Bash", "b", limits.timeoutMs, false],
			["PreToolUse", "(", "d", limits.timeoutMaxMs, true],
		]);
		expect(warnings.map(({ message }) => message.replace(/(expression): .*/, "$1"))).toEqual([
			"hooks.PreToolUse: matcher must be a string",
			'hooks.PreToolUse: hooks of type "prompt" are not supported, only commands',
			"hooks.PreToolUse: a hook has no command",
			"hooks.PreToolUse: a hook must be a group with type and command",
			"hooks.PreToolUse: the matcher is not a valid regular expression",
			'hooks: unknown event "PreToolUsed"',
			"hooks.Stop must be a list",
		]);
	});

	test("with any JSON is read without an internal error", () => {
		const json = fc.jsonValue({ maxDepth: 5 });
		const likely = fc.dictionary(
			fc.constantFrom(...hookEvents),
			fc.array(
				fc.record({
					matcher: json,
					hooks: fc.array(fc.record({ command: json, timeout: json, args: json })),
				}),
				{
					maxLength: 3,
				},
			),
		);
		fc.assert(
			fc.property(fc.oneof(json, likely), (hooks) => {
				for (const hook of parseHooks(hooks, location).items) {
					expect(typeof hook.command).toBe("string");
					expect(hook.timeoutMs).toBeGreaterThan(0);
				}
			}),
		);
	});

	test("that is not JSON is reported with its line; comments and trailing commas are accepted", () => {
		const base = mkdtempSync(join(tmpdir(), "tau-hooks-"));
		try {
			const path = join(base, "settings.json");
			writeFileSync(path, '{\n  "hooks": {\n    "Stop": [}\n  }\n}');
			expect(findHooks({ ...location, path }).warnings).toEqual([
				expect.objectContaining({ path, line: 3, isLeftOut: true }),
			]);
			writeFileSync(
				path,
				'{ // mine\n"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"},]}]},}',
			);
			expect(findHooks({ ...location, path }).items.map(({ name }) => name)).toEqual(["Stop"]);
			expect(findHooks({ ...location, path: join(base, "none.json") })).toEqual({ items: [], warnings: [] });
		} finally {
			rmSync(base, { recursive: true, force: true });
		}
	});
});

describe("the hooks of a run", () => {
	async function found(
		files: Readonly<Record<string, object>>,
		{ isTrusted = true, disabled = [] as string[], prepare = (_base: string): void => {} } = {},
	) {
		const base = mkdtempSync(join(tmpdir(), "tau-hooks-"));
		try {
			for (const [name, content] of Object.entries(files)) {
				mkdirSync(join(base, name, ".."), { recursive: true });
				writeFileSync(join(base, name), JSON.stringify(content));
			}
			mkdirSync(join(base, "work/sub/.git"), { recursive: true });
			rmSync(join(base, "work/sub/.git"), { recursive: true });
			mkdirSync(join(base, "work/.git"), { recursive: true });
			prepare(base);
			const paths = discoveryPaths(join(base, "work/sub"), { HOME: join(base, "home") });
			const all = await loadHooks(standardRegistry(), paths, new Switches(disabled), () => isTrusted);
			return {
				commands: all.hooks.map(({ command }) => command),
				projects: all.hooks.map(({ projectDir }) => projectDir?.slice(base.length)),
				untrusted: all.untrusted.map((path) => path.slice(base.length)),
				warnings: all.warnings.map(({ message }) => message),
			};
		} finally {
			rmSync(base, { recursive: true, force: true });
		}
	}
	const stop = (command: string, more: object = {}): object => ({
		hooks: { Stop: [{ hooks: [{ command }] }] },
		...more,
	});
	const files = {
		"home/.tau/agent/hooks.json": stop("own"),
		"home/.claude/settings.json": stop("user"),
		"work/.claude/settings.json": stop("project"),
		"work/sub/.claude/settings.local.json": stop("local"),
		"work/.tau/hooks.json": stop("tau"),
	};

	test("come from Tau's and Claude Code's files, and the project's own know their directory", async () => {
		const { commands, projects } = await found(files);
		expect(commands).toEqual(["tau", "own", "local", "project", "user"]);
		expect(projects).toEqual(["/work", undefined, "/work/sub", "/work", undefined]);
	});

	test("are the user's only if the project is not trusted", async () => {
		const { commands, untrusted } = await found(files, { isTrusted: false });
		expect(commands).toEqual(["own", "user"]);
		expect(untrusted).toEqual([
			"/work/.tau/hooks.json",
			"/work/sub/.claude/settings.local.json",
			"/work/.claude/settings.json",
		]);
	});

	test("can be disabled: a program's by a setting, Claude Code's by its own", async () => {
		expect((await found(files, { disabled: ["claude/hooks"] })).commands).toEqual(["tau", "own"]);
		const off = { ...files, "home/.claude/settings.json": stop("user", { disableAllHooks: true }) };
		expect((await found(off)).commands).toEqual(["tau", "own"]);
		const byOther = { ...files, "work/.claude/settings.json": { disableAllHooks: true } };
		expect((await found(byOther, { isTrusted: false })).commands).toEqual(["own", "user"]);
	});

	test("are not read through a link that leads out of the project", async () => {
		const { commands, warnings } = await found(
			{ "elsewhere/settings.json": stop("foreign") },
			{
				prepare: (base) => {
					mkdirSync(join(base, "work/.claude"), { recursive: true });
					symlinkSync(join(base, "elsewhere/settings.json"), join(base, "work/.claude/settings.json"));
				},
			},
		);
		expect({ commands, warnings }).toEqual({
			commands: [],
			warnings: ["it is a link that points outside the project"],
		});
	});
});

describe("a call under Claude Code's names", () => {
	const absolute = (path: string): string => resolve("/work", path);
	const calls: [tool: string, args: Record<string, unknown>, name: string, input: Record<string, unknown>][] =
		[
			["read", { path: "a" }, "Read", { file_path: "/work/a" }],
			["write", { path: "/b", content: "x" }, "Write", { file_path: "/b", content: "x" }],
			[
				"edit",
				{ path: "a", edits: [{ oldText: "x", newText: "y" }] },
				"Edit",
				{ file_path: "/work/a", old_string: "x", new_string: "y", replace_all: false },
			],
			[
				"edit",
				{ input: "*** Begin Patch\n*** Update File: a\n*** Add File: b/c\n*** End Patch" },
				"Edit",
				{ file_path: "/work/a", file_paths: ["/work/a", "/work/b/c"] },
			],
			["find", { pattern: "*.ts" }, "Glob", { pattern: "*.ts" }],
			["bash", { command: "ls" }, "Bash", { command: "ls" }],
			["my_tool", { x: 1 }, "my_tool", { x: 1 }],
		];
	test.each(calls)("%s %p is %s", (tool, args, name, input) => {
		const call = claudeCall(tool, args, absolute);
		expect(call.name).toBe(name);
		expect(call.names).toContain(tool);
		expect(call.input).toMatchObject(input);
	});

	test("that is returned unchanged is the original call", () => {
		fc.assert(
			fc.property(fc.constantFrom(...calls), ([tool, args]) => {
				const { input } = claudeCall(tool, args, absolute);
				expect(changedArguments(tool, args, input, absolute)).toEqual(args);
			}),
		);
	});

	const changes: [
		tool: string,
		args: Record<string, unknown>,
		updated: Record<string, unknown>,
		next: unknown,
	][] = [
		["bash", { command: "ls", timeout: 5 }, { command: "ls -l" }, { command: "ls -l" }],
		["read", { path: "a", limit: 3 }, { file_path: "/work/b", limit: 3 }, { path: "/work/b", limit: 3 }],
		["read", { path: "a" }, { path: "b" }, { path: "b" }],
		["grep", { pattern: "x" }, { pattern: "x", "-i": true }, { pattern: "x", ignoreCase: true }],
		["bash", { command: "x" }, { command: "x", run_in_background: true }, { command: "x", async: true }],
		[
			"edit",
			{ path: "a", edits: [{ oldText: "x", newText: "y" }] },
			{ file_path: "/work/a", old_string: "x", new_string: "z" },
			{ path: "a", edits: [{ oldText: "x", newText: "z" }] },
		],
	];
	test.each(changes)("%s %p changed by %p", (tool, args, updated, next) => {
		expect(changedArguments(tool, args, updated, absolute)).toEqual(next as never);
	});
});

describe("an answer", () => {
	test("of any kind is understood or reported, and never an internal error", () => {
		const words = fc.oneof(fc.string(), fc.json(), fc.constant('{"decision":"block"'));
		const end = fc.record({
			exitCode: fc.option(fc.nat(255), { nil: undefined }),
			stdout: words,
			stderr: words,
		});
		fc.assert(
			fc.property(fc.constantFrom(...hookEvents), end, (event, ended) => {
				const answer = readAnswer(event, ended);
				expect(answer.verdict === "deny").toBe(ended.exitCode === 2 || isBlocking(ended));
				if (ended.exitCode !== 0 && ended.exitCode !== 2) expect(answer.failure).toBeString();
			}),
		);
	});

	test("of several hooks is as strict as the strictest, in any order", () => {
		const verdict = fc.constantFrom("allow", "ask", "deny", undefined);
		fc.assert(
			fc.property(fc.array(verdict, { maxLength: 6 }), (verdicts) => {
				const answers = verdicts.map((each, index): HookAnswer =>
					each ? { verdict: each, reason: `r${index}` } : {},
				);
				const all = together(answers);
				expect(all).toEqual({
					...together(answers.toReversed()),
					...("reason" in all ? { reason: all.reason } : {}),
				});
				const strictest = (["deny", "ask", "allow"] as const).find((each) => verdicts.includes(each));
				expect(all.verdict).toBe(strictest as never);
			}),
		);
	});

	test("is cut to its limit before it reaches the model", () => {
		const context = "x".repeat(limits.contextChars);
		expect(together([{ context }, { context }]).context?.length).toBe(limits.contextChars);
	});
});

function isBlocking({ exitCode, stdout }: { exitCode: number | undefined; stdout: string }): boolean {
	if (exitCode !== 0 || !stdout.trim().startsWith("{")) return false;
	try {
		const { decision, hookSpecificOutput } = JSON.parse(stdout) as Record<string, unknown>;
		const inner = (hookSpecificOutput as { permissionDecision?: unknown } | null | undefined)
			?.permissionDecision;
		return ["block", "deny"].includes(String(inner ?? decision));
	} catch {
		// Output that is not JSON has no effect.
		return false;
	}
}
