/** A model gets the output of a command and how it ended, in a form that it can act on. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentToolResult } from "@tau/agent";

import { samples } from "../../../../test/support/depth.ts";
import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { limits } from "../tool/limits.ts";
import { bash } from "./tool.ts";

let cwd = "";
let env: TestToolEnv;
beforeAll(() => {
	cwd = realpathSync(mkdtempSync(join(tmpdir(), "tau-bash-")));
	mkdirSync(join(cwd, "sub"));
	writeFileSync(join(cwd, "file"), "");
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
beforeEach(async () => {
	env = await testToolEnv({ cwd });
});
afterEach(() => env[Symbol.asyncDispose]());

async function run(
	args: Record<string, unknown>,
	{ signal, onUpdate = () => {} }: { signal?: AbortSignal; onUpdate?: (text: string) => void } = {},
): Promise<AgentToolResult & { text: string }> {
	const tool = bash.bind(env);
	const result = await callTool(tool, args, signal, (partial) => onUpdate(textOf(partial)));
	return { ...result, text: textOf(result) };
}

function isAlive(pid: number): boolean {
	try {
		return !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
	} catch {
		// No such process.
		return false;
	}
}

test("repeated progress is shortened, and an artifact has all of it", async () => {
	const command = `for i in $(seq 1 80); do echo "go: downloading example.org/module/number/$i"; done; echo built`;
	const { text } = await run({ command });
	expect(text).toContain("[… 78 more lines like these]\nbuilt");
	const [, id = ""] = /\[raw output: artifact:\/\/(\d+)\]$/.exec(text) ?? [];
	expect(readFileSync(env.artifacts.find(id) ?? "", "utf8").split("\n")).toHaveLength(81);
	await env.settings.set("bash.minimizer", false, "session");
	expect((await run({ command })).text.split("\n")).toHaveLength(81);
});

const endings: [what: string, command: string, text: string, isError: boolean][] = [
	["output is the result", "echo one; echo two", "one\ntwo", false],
	["standard error is output", "echo oops >&2", "oops", false],
	["no output is reported", "true", "(no output)", false],
	["an exit code is reported", "echo partly; exit 3", "partly\n\nCommand exited with code 3", true],
	[
		"an unknown command is reported",
		"no-such-command-here 2>/dev/null",
		"(no output)\n\nCommand exited with code 127",
		true,
	],
	["a signal is reported", "kill -9 $$", "(no output)\n\nCommand was killed by SIGKILL", true],
	[
		"terminal sequences are removed",
		"printf '\\033[31mred\\033[0m\\007 \\033]0;t\\007ok\\n'",
		"red ok",
		false,
	],
	["Windows line ends are line ends", "printf 'a\\r\\nb\\r\\n'", "a\nb", false],
	["a progress bar keeps its last state", "printf '10%%\\r55%%\\r100%%\\r\\ndone\\n'", "100%\ndone", false],
	["questions get no answer", "read answer; echo \"got '$answer'\"", "got ''", false],
	[
		"a replaced shell is a command that ended",
		"exec sh -c 'echo x; exit 4'",
		"x\n\nCommand exited with code 4",
		true,
	],
	[
		"a failure under set -e is reported",
		"set -e; false; echo no",
		"(no output)\n\nCommand exited with code 1",
		true,
	],
	["output may be closed", "exec >&- 2>&-; exit 5", "(no output)\n\nCommand exited with code 5", true],
	["NULs are left out", "printf 'a\\0b'", "ab", false],
];
test.each(endings)("%s", async (_, command, text, isError) => {
	const result = await run({ command });
	expect(result.text).toBe(text);
	expect(result.isError ?? false).toBe(isError);
	// And the next one finds the shell intact.
	expect((await run({ command: "echo on; pwd" })).text).toBe(`on\n${cwd}`);
});

test("details contain how it ended", async () => {
	const { details } = await run({ command: "echo hi; exit 2" });
	expect(details).toEqual({
		command: "echo hi; exit 2",
		cwd,
		exitCode: 2,
		durationMs: expect.any(Number),
		totalBytes: 3,
		totalLines: 1,
		truncated: false,
	});
});

describe("the shell persists", () => {
	test("variables of a command are visible to the next one, and the model learns the new directory", async () => {
		const first = await run({ command: "cd sub && export A=1; f() { echo f; }" });
		expect(first.text).toBe(`(no output)\n\n[the shell is now in ${join(cwd, "sub")}]`);
		expect((await run({ command: "pwd; echo $A; f" })).text).toBe(`${join(cwd, "sub")}\n1\nf`);
	});

	test("the user's aliases work", async () => {
		writeFileSync(join(String(env.env.HOME), ".bashrc"), "alias greet='echo hello'\n");
		expect((await run({ command: "greet" })).text).toBe("hello");
	});

	test("it ends with the session, and so do its background processes", async () => {
		const { text } = await run({ command: "sleep 100 & echo $!" });
		await env[Symbol.asyncDispose]();
		expect(isAlive(Number(text))).toBe(false);
	});
});

describe("the working directory", () => {
	test("is the shell's, or for one call the requested one", async () => {
		expect((await run({ command: "pwd" })).text).toBe(cwd);
		expect((await run({ command: "pwd", cwd: "sub" })).text).toBe(join(cwd, "sub"));
		expect((await run({ command: "pwd", cwd: "/" })).text).toBe("/");
		expect((await run({ command: "pwd" })).text).toBe(cwd);
	});

	test("that does not exist is named", async () => {
		expect(await run({ command: "pwd", cwd: "gone" })).toMatchObject({
			isError: true,
			text: `Working directory does not exist: ${join(cwd, "gone")}`,
		});
	});

	test("that is a file is named", async () => {
		expect(await run({ command: "pwd", cwd: "file" })).toMatchObject({
			isError: true,
			text: `Working directory is not a directory: ${join(cwd, "file")}`,
		});
	});
});

describe("a command that does not end", () => {
	test("is ended at its timeout, and keeps its output", async () => {
		// The time that a shell takes to start does not count.
		await run({ command: "true" });
		const result = await run({ command: "echo started; sleep 100", timeout: 0.01 });
		expect(result).toMatchObject({
			isError: true,
			text: "started\n\nCommand timed out after 1 s.",
		});
		expect(result.details).toMatchObject({ stopped: "timeout" });
	});

	test("is limited to the longest timeout, and can be aborted by the user", async () => {
		const abort = new AbortController();
		const result = await run(
			{ command: "echo started; sleep 100", timeout: Number.MAX_VALUE },
			{ signal: abort.signal, onUpdate: () => abort.abort() },
		);
		expect(result).toMatchObject({ isError: true, text: "started\n\nCommand interrupted by the user." });
		expect(result.details).toMatchObject({ stopped: "abort" });
	});

	test("is not started if the user has aborted before", async () => {
		const { text } = await run({ command: "touch begun" }, { signal: AbortSignal.abort() });
		expect(text).toBe("(no output)\n\nCommand interrupted by the user.");
		expect((await run({ command: "ls begun" })).isError).toBe(true);
	});
});

test("the start and the end of a long output are kept, and the whole is in an artifact", async () => {
	const { text, details } = await run({ command: "seq 100000" });
	expect(text).toStartWith("1\n2\n");
	expect(text).toEndWith("\n99999\n100000");
	expect(text).toMatch(/\[lines \d+-\d+ of 100000 omitted: read artifact:\/\/0 with offset and limit\]/);
	expect(Buffer.byteLength(text)).toBeLessThan(51 * 1024);
	expect(details).toMatchObject({
		truncated: true,
		totalLines: 100_000,
		totalBytes: 588_895,
		artifactId: "0",
	});
	expect(readFileSync(env.artifacts.find("0") ?? "", "utf8")).toEndWith("\n99999\n100000\n");
});

test("more than a hundred megabytes are not kept in memory", async () => {
	const before = process.memoryUsage.rss();
	const totalBytes = samples(250_000_000, 120_000_000);
	const { details } = await run({ command: `head -c ${totalBytes} /dev/zero` });
	expect(details).toMatchObject({ totalBytes, truncated: true });
	// Garbage may still be there; the whole output would be more.
	Bun.gc(true);
	expect(process.memoryUsage.rss() - before).toBeLessThan(0.8 * totalBytes);
}, 180_000);

describe("while it runs", () => {
	test("output is shown, also right before a long silence", async () => {
		const updates: string[] = [];
		// The command waits for the file: without an update of its second line it would never end.
		const command =
			"echo first; sleep 0.02; echo second; until [ -e go-on ]; do sleep 0.01; done; echo third";
		const result = await run(
			{ command, timeout: 20 },
			{
				onUpdate: (text) => {
					updates.push(text);
					if (text.includes("second")) writeFileSync(join(cwd, "go-on"), "");
				},
			},
		);
		expect(updates[0]).toStartWith("first");
		expect(result.text).toBe("first\nsecond\nthird");
	});

	test("frequent output is shown in intervals, not for every line", async () => {
		let updates = 0;
		const started = performance.now();
		await run(
			{ command: "for i in $(seq 300); do echo $i; sleep 0.001; done" },
			{ onUpdate: () => updates++ },
		);
		const most = (performance.now() - started) / limits.updateMs + 2;
		expect(updates).toBeGreaterThan(0);
		expect(updates).toBeLessThanOrEqual(most);
	});
});

describe("the environment", () => {
	test("has no provider keys, but other variables and those of the call", async () => {
		await using other = await testToolEnv({
			cwd,
			env: { ...env.env, ANTHROPIC_API_KEY: "sk-ant-secret", OPENAI_API_KEY: "sk-secret", MINE: "seen" },
		});
		const result = await callTool(bash.bind(other), { command: "env", env: { GIVEN: "it's" } });
		expect(textOf(result)).not.toContain("secret");
		for (const line of ["MINE=seen", "PAGER=cat", "GIVEN=it's"]) expect(textOf(result)).toContain(line);
		expect(textOf(await callTool(bash.bind(other), { command: "echo [$GIVEN]" }))).toBe("[]");
	});

	test("takes cd where the command was judged, not where CDPATH points", async () => {
		const other = join(cwd, "other");
		mkdirSync(join(other, "docs"), { recursive: true });
		mkdirSync(join(cwd, "docs"));
		await using own = await testToolEnv({ cwd, env: { ...env.env, CDPATH: other } });
		expect(textOf(await callTool(bash.bind(own), { command: "cd docs && pwd" }))).toContain(
			join(cwd, "docs"),
		);
	});

	test("rejects invalid names", async () => {
		expect(await run({ command: "true", env: { "a b": "1" } })).toMatchObject({
			isError: true,
			text: 'Not a valid variable name: "a b"',
		});
	});
});

test("a result that does not show everything says so in its details, as clients of omp expect it", async () => {
	const { details } = await callTool(bash.bind(env), { command: "seq 1 50000" });
	expect(details).toMatchObject({
		truncated: true,
		meta: {
			truncation: {
				direction: "middle",
				truncatedBy: "bytes",
				totalLines: 50_000,
				totalBytes: 288_894,
				artifactId: "0",
			},
		},
	});
	expect((await callTool(bash.bind(env), { command: "echo short" })).details).not.toHaveProperty("meta");
});

test("a line of the user's settings runs before every command", async () => {
	await env.settings.set("shellCommandPrefix", "shopt -s extglob; greeting=hello", "session");
	expect((await run({ command: "echo $greeting; echo +(x)" })).text).toBe("hello\n+(x)");
});

test("shellPath names the bash to use, and nothing else", async () => {
	const own = join(cwd, "bash-own");
	writeFileSync(own, `#!/bin/sh\nOWN=yes exec bash "$@"\n`, { mode: 0o755 });
	for (const [path, text] of [
		[own, "yes"],
		["/bin/true", "Not the path of a bash: /bin/true. Change the setting shellPath."],
		["/no/bash", "Not the path of a bash: /no/bash. Change the setting shellPath."],
	] as const) {
		await using other = await testToolEnv({ cwd });
		const settings = { ...other.settings, get: other.settings.get.bind(other.settings) };
		const get = ((key: Parameters<typeof settings.get>[0]) =>
			key === "shellPath" ? path : settings.get(key)) as typeof settings.get;
		const result = await callTool(bash.bind({ ...other, settings: { ...settings, get } }), {
			command: "echo $OWN",
		});
		expect(textOf(result)).toBe(text);
	}
});

test("the user's prefix is prepended to every command of the model", async () => {
	for (const name of ["TAU_SHELL_PREFIX", "CLAUDE_CODE_SHELL_PREFIX"]) {
		await using other = await testToolEnv({ cwd, env: { ...env.env, [name]: "echo audited:" } });
		const result = await callTool(bash.bind(other), { command: "rm -rf x && echo done" });
		expect(textOf(result)).toBe("audited: rm -rf x\ndone");
	}
});

describe("commands with a better tool", () => {
	test("run if the model does not have that tool", async () => {
		await using other = await testToolEnv({ cwd });
		await using alone = await testToolEnv({
			cwd,
			session: { ...other.session, hasTool: (name) => name === "bash" },
		});
		await alone.settings.set("bashInterceptor.enabled", true, "session");
		const result = await callTool(bash.bind(alone), { command: "cat /dev/null; echo ran" });
		expect(textOf(result)).toBe("ran");
		expect(textOf(await callTool(bash.bind(alone), { command: "grep -c x /dev/null" }))).toContain("0");
	});

	const blocked: [command: string, tool: string][] = [
		["cat src/a.ts", "read"],
		["cd src && head -20 a.ts", "read"],
		["grep -rn word .", "grep"],
		["rg word", "grep"],
		["find . -name '*.ts'", "find"],
		["sed -i s/a/b/ file", "edit"],
		["perl -pi -e s/a/b/ file", "edit"],
		["echo text > file", "write"],
		["cat <<EOF > file\ntext\nEOF", "write"],
	];
	test.each(blocked)(
		"%s is rejected if the user enables that, with the name of the tool %s",
		async (command, tool) => {
			await env.settings.set("bashInterceptor.enabled", true, "session");
			const { text, isError } = await run({ command });
			expect(isError).toBe(true);
			expect(text).toStartWith(`Blocked: use the ${tool} tool instead`);
			expect(text).toContain(command.replace(/^cd src && /, ""));
		},
	);

	test("rules of the user come first, and an invalid one is left out", async () => {
		await env.settings.set("bashInterceptor.enabled", true, "session");
		const patterns = [
			{ pattern: "(", tool: "read" },
			{ pattern: "^npm (?:i|install)\\b", tool: "ask", message: "this project uses bun." },
			{ pattern: "^cat\\b", tool: "read" },
		];
		await env.settings.set("bashInterceptor.patterns", patterns, "session");
		expect((await run({ command: "npm i x" })).text).toBe(
			"Blocked: this project uses bun.\n\nThe command was: npm i x",
		);
		expect((await run({ command: "cat a" })).text).toStartWith("Blocked: use the read tool instead.\n");
		expect((await run({ command: "rg word" })).text).toStartWith("Blocked: use the grep tool instead, which");
		expect((await run({ command: "echo ran" })).text).toBe("ran");
	});

	const passed = [
		"ls",
		"cat a | wc -l",
		"git grep x",
		"echo text",
		"echo x >&2",
		"echo x 2>/dev/null",
		"make > /dev/null",
		"tail -f log",
	];
	test.each(passed)("%s is not", async (command) => {
		await env.settings.set("bashInterceptor.enabled", true, "session");
		expect((await run({ command, timeout: 1 }, { signal: AbortSignal.abort() })).text).not.toContain(
			"Blocked",
		);
	});

	test("all run unless the interceptor is enabled", async () => {
		expect((await run({ command: "cat file && echo ran" })).text).toBe("ran");
	});
});

test.each([
	["no command", {}, "command: "],
	["an empty command", { command: "" }, "command: "],
	["a time in words", { command: "ls", timeout: "soon" }, "timeout: "],
])("%s is rejected by name", async (_, args, reason) => {
	expect(await run(args)).toMatchObject({ isError: true, text: expect.stringContaining(reason) });
});

test("a user sees the command in one line, and where it runs", () => {
	expect(bash.describeCall({ command: "ls &&\n  make\x1b[31m" })).toBe("bash $ ls && make");
	expect(bash.describeCall({ command: "cd 'a b' && make" })).toBe("bash $ make (in a b)");
	expect(bash.describeCall({ command: "cd $x && make" })).toBe("bash $ cd $x && make");
	expect(bash.describeCall({ command: "make", cwd: "sub" })).toBe("bash $ make (in sub)");
	expect(bash.describeCall({})).toBe("bash $ …");
});
