/** Each tool declares what a call would touch, before it runs and whatever its arguments are. */
import { expect, test } from "bun:test";
import { posix } from "node:path";

import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { pendingActions } from "@tau/tools/resolve";
import { builtinTool, builtinTools } from "./index.ts";

const env = { cwd: "/work", resolve: (path: string) => (path.startsWith("/") ? path : `/work/${path}`) };

const cases: [tool: string, args: Record<string, unknown>, touches: unknown[]][] = [
	["read", { path: "a.ts" }, [{ kind: "read", path: "/work/a.ts" }]],
	["read", { path: "https://example.org/" }, [{ kind: "fetch", url: "https://example.org/" }]],
	["read", { path: "skill://pdf" }, []],
	["write", { path: "a.ts", content: "" }, [{ kind: "write", path: "/work/a.ts" }]],
	["write", { path: "conflict://1", content: "" }, []],
	["read", { path: "mcp://notes/file:///a" }, [{ kind: "fetch", url: "mcp://notes/file:///a" }]],
	[
		"edit",
		{ path: "[a.ts#AB12]", tag: "AB12", edits: [] },
		[
			{ kind: "read", path: "/work/a.ts" },
			{ kind: "write", path: "/work/a.ts" },
		],
	],
	[
		"edit",
		{ input: "*** Delete File: a\n*** Update File: b\n*** Move to: c\n" },
		[
			{ kind: "delete", path: "/work/a" },
			{ kind: "read", path: "/work/b" },
			{ kind: "write", path: "/work/b" },
			{ kind: "delete", path: "/work/b" },
			{ kind: "write", path: "/work/c" },
		],
	],
	["bash", { command: "make" }, [{ kind: "exec", command: "make", cwd: "/work" }]],
	["bash", { command: "make", cwd: "lib" }, [{ kind: "exec", command: "make", cwd: "/work/lib" }]],
	[
		"job",
		{ action: "input", id: "1", input: "y\n" },
		[{ kind: "exec", command: "y\n", cwd: "/work", isTyped: true }],
	],
	[
		"debug",
		{ action: "launch", program: "shop.py", args: ["a b"], cwd: "lib", show: ["x()"] },
		[
			{ kind: "exec", command: "python3 shop.py 'a b'", cwd: "/work/lib" },
			{ kind: "exec", command: "x()", cwd: "/work/lib", isTyped: true },
		],
	],
	[
		"debug",
		{ action: "launch", program: "app", breakpoints: [{ at: "a.c:1", condition: "f()" }] },
		[
			{ kind: "exec", command: "./app", cwd: "/work" },
			{ kind: "exec", command: "f()", cwd: "/work", isTyped: true },
		],
	],
	[
		"debug",
		{ action: "set_variable", expression: "x", value: "1" },
		[{ kind: "exec", command: "x = 1", cwd: "/work", isTyped: true }],
	],
	[
		"debug",
		{ action: "attach", adapter: "debugpy", pid: 12 },
		[{ kind: "exec", command: "debugpy --pid 12", cwd: "/work" }],
	],
	["browser", { action: "open", url: "https://a.example/" }, [{ kind: "fetch", url: "https://a.example/" }]],
	[
		"browser",
		{ action: "evaluate", code: "1" },
		[{ kind: "exec", command: "1", cwd: "/work", language: "JavaScript for the open page" }],
	],
	["browser", { action: "upload", ref: 1, paths: ["a"] }, [{ kind: "read", path: "/work/a" }]],
	["browser", { action: "pdf", path: "a.pdf" }, [{ kind: "write", path: "/work/a.pdf" }]],
	["browser", { action: "look" }, []],
	["read", { path: "file:///home/u/.ssh/id" }, [{ kind: "read", path: "/home/u/.ssh/id" }]],
	["job", { action: "list" }, []],
	["grep", { pattern: "x" }, [{ kind: "read", path: "/work/.", tree: true }]],
	["find", { pattern: "x", path: "src" }, [{ kind: "read", path: "/work/src", tree: true }]],
	["todo", { ops: [{ op: "view" }] }, []],
];

test.each(cases)("%s %j", (name, args, touches) => {
	expect(builtinTool(name)?.touches(args, env)).toEqual(touches as never);
});

const hiding = [
	"x://../.git/config",
	"_://../.git/config",
	"https://../../.git/config",
	"a\nb/../.git/config",
];

test.each(hiding)("no name of a file hides it from approvals: %j", (path) => {
	const at = { cwd: "/work", resolve: (name: string) => posix.resolve("/work", name) };
	const write = { kind: "write", path: posix.resolve("/work", path) } as const;
	const calls: [tool: string, args: Record<string, unknown>][] = [
		["write", { path, content: "" }],
		["edit", { path, edits: [] }],
		["edit", { path, tag: "AB12", edits: [] }],
		["notebook", { path, action: "delete" }],
	];
	for (const [name, args] of calls) expect(builtinTool(name)?.touches(args, at)).toContainEqual(write);
});

test("a patch hides no file by how its lines look", () => {
	for (const head of [
		"  *** Update File: .git/config",
		"\t*** Update File: .git/config\r",
		"\u2028*** Update File: .git/config",
		"*** Update File: a\u2028/../.git/config",
		"*** Update File: a\r/../.git/config",
	]) {
		const input = `*** Begin Patch\n${head}\n@@\n-a\n+b\n*** End Patch`;
		const at = { cwd: "/work", resolve: (name: string) => posix.resolve("/work", name) };
		expect(builtinTool("edit")?.touches({ input }, at)).toContainEqual({
			kind: "write",
			path: "/work/.git/config",
		});
	}
});

test("a command starts in the directory of the one before", async () => {
	await using real = await testToolEnv();
	const bash = builtinTool("bash")?.bind(real);
	await bash?.execute("1", { command: "mkdir sub && cd sub" }, new AbortController().signal, () => {});
	expect(bash?.touches?.({ command: "ls" })).toMatchObject([
		{ kind: "exec", command: "ls", cwd: `${real.cwd}/sub` },
	]);
});

test("applying a preview touches its files", async () => {
	await using real = await testToolEnv();
	const resolve = builtinTool("resolve")?.bind(real);
	expect(resolve?.touches?.({ action: "apply" })).toEqual([]);
	const apply = async () => ({ content: [] });
	real.services
		.get(pendingActions, real)
		.push({ label: "x", sourceToolName: "ast_edit", paths: ["/work/a.ts"], apply });
	expect(resolve?.touches?.({ action: "apply" })).toEqual([{ kind: "write", path: "/work/a.ts" }]);
	expect(resolve?.touches?.({ action: "discard" })).toEqual([{ kind: "read", path: "/work/a.ts" }]);
});

const odd: Record<string, unknown>[] = [
	{},
	{ path: 5, command: null, input: [] },
	{ path: "" },
	{ path: "a\nb" },
];

test.each(builtinTools.map(({ name }) => name))("%s accepts invalid arguments", (name) => {
	for (const args of odd) expect(Array.isArray(builtinTool(name)?.touches(args, env))).toBe(true);
});

test("a call of a tool that executes names what it executes, or only looks", async () => {
	await using toolEnv = await testToolEnv({});
	const calls: [tool: string, args: Record<string, unknown>, tier: string][] = [
		["job", { action: "list" }, "read"],
		["job", { action: "kill", id: "1" }, "read"],
		["job", { action: "input", id: "1", input: "rm a" }, "exec"],
		["job", { action: "input", id: "1" }, "exec"],
		["debug", { action: "stack" }, "read"],
		["debug", { action: "continue" }, "read"],
		["debug", { action: "continue", show: ["f()"] }, "exec"],
		["debug", { action: "breakpoints", breakpoints: [{ at: "a.py:1", condition: "f()" }] }, "exec"],
		["debug", { action: "launch", program: "a.py" }, "exec"],
		["debug", { action: "launch" }, "exec"],
		["resolve", { action: "discard" }, "read"],
		["resolve", { action: "apply" }, "write"],
	];
	for (const [name, args, tier] of calls) {
		const tool = builtinTool(name)?.bind(toolEnv);
		expect([name, args, tool?.approvalFor?.(args)]).toEqual([name, args, tier as never]);
	}
});
