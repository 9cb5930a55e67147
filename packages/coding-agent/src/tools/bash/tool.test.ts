/** A model gets what a command printed and how it ended, in words that it can act on. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentToolResult } from "@tau/agent";
import type { Env } from "@tau/utils";

import { testPlace } from "../../testing/place.ts";
import { limits } from "../limits.ts";
import { bash } from "./tool.ts";

let cwd = "";
beforeAll(() => {
	cwd = realpathSync(mkdtempSync(join(tmpdir(), "tau-bash-")));
	mkdirSync(join(cwd, "sub"));
	writeFileSync(join(cwd, "file"), "");
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface RunOptions {
	env?: Env;
	signal?: AbortSignal;
	onUpdate?: (text: string) => void;
}

async function run(
	args: Record<string, unknown>,
	{ env = {}, signal = new AbortController().signal, onUpdate = () => {} }: RunOptions = {},
): Promise<AgentToolResult & { text: string }> {
	const base = { PATH: process.env.PATH, ...env };
	await using place = await testPlace({ cwd, env: base });
	const tool = bash.bind(place);
	const valid = tool.validate(args);
	if (!valid.ok) throw new Error(valid.reason);
	const result = await tool.execute("call", valid.value, signal, (partial) => onUpdate(textOf(partial)));
	return { ...result, text: textOf(result) };
}

function textOf({ content }: AgentToolResult): string {
	return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

const endings: [what: string, command: string, text: string, isError: boolean][] = [
	["output is the result", "echo one; echo two", "one\ntwo", false],
	["standard error is output", "echo oops >&2", "oops", false],
	["no output is said to be none", "true", "(no output)", false],
	["an exit code is told", "echo partly; exit 3", "partly\n\nCommand exited with code 3", true],
	[
		"an unknown command is told",
		"no-such-command-here 2>/dev/null",
		"(no output)\n\nCommand exited with code 127",
		true,
	],
	["a signal is told", "kill -9 $$", "(no output)\n\nCommand was killed by SIGKILL", true],
	[
		"what a terminal would obey is taken out",
		"printf '\\033[31mred\\033[0m\\007 \\033]0;t\\007ok\\n'",
		"red ok",
		false,
	],
	["Windows line ends are line ends", "printf 'a\\r\\nb\\r\\n'", "a\nb", false],
	[
		"of a progress bar its last state is kept",
		"printf '10%%\\r55%%\\r100%%\\r\\ndone\\n'",
		"100%\ndone",
		false,
	],
	["nobody answers questions", "read answer; echo \"got '$answer'\"", "got ''", false],
];
test.each(endings)("%s", async (_, command, text, isError) => {
	const result = await run({ command });
	expect(result.text).toBe(text);
	expect(result.isError ?? false).toBe(isError);
});

test("details tell how it ended", async () => {
	const { details } = await run({ command: "echo hi; exit 2" });
	expect(details).toEqual({
		command: "echo hi; exit 2",
		exitCode: 2,
		durationMs: expect.any(Number),
		totalBytes: 3,
		totalLines: 1,
		truncated: false,
	});
});

describe("the working directory", () => {
	test("is that of the session, or the one asked for", async () => {
		expect((await run({ command: "pwd" })).text).toBe(cwd);
		expect((await run({ command: "pwd", cwd: "sub" })).text).toBe(join(cwd, "sub"));
		expect((await run({ command: "pwd", cwd: "/" })).text).toBe("/");
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
	test("is ended when its time is up, and keeps what it said", async () => {
		const result = await run({ command: "echo started; sleep 100", timeout: 0.01 });
		expect(result).toMatchObject({
			isError: true,
			text: "started\n\nCommand stopped after 1 s without an end.",
		});
		expect(result.details).toMatchObject({ stopped: "timeout" });
	});

	test("may not ask for more than the longest time", async () => {
		const abort = new AbortController();
		const running = run(
			{ command: "echo started; sleep 100", timeout: Number.MAX_VALUE },
			{ signal: abort.signal, onUpdate: () => abort.abort() },
		);
		expect((await running).text).toBe("started\n\nCommand stopped by the user.");
	});

	test("is ended by the user, and keeps what it said", async () => {
		const abort = new AbortController();
		const result = await run(
			{ command: "echo started; sleep 100" },
			{ signal: abort.signal, onUpdate: () => abort.abort() },
		);
		expect(result).toMatchObject({ isError: true, text: "started\n\nCommand stopped by the user." });
		expect(result.details).toMatchObject({ stopped: "abort" });
	});
});

test("of a long output the end is kept, and the model is told of the rest", async () => {
	const { text, details } = await run({ command: "seq 100000" });
	expect(text).toStartWith("[the end of 100000 lines, 588895 bytes]\n");
	expect(text).toEndWith("\n99999\n100000");
	expect(Buffer.byteLength(text)).toBeLessThan(51 * 1024);
	expect(details).toMatchObject({ truncated: true, totalLines: 100_000, totalBytes: 588_895 });
});

describe("while it runs", () => {
	test("what it says is shown, also what comes right before a long silence", async () => {
		const updates: string[] = [];
		// The file is what the command waits for: without an update of its second line it would never end.
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

	test("a talkative one is shown now and then, not for every line", async () => {
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

test("keys of providers are not in its environment, other variables are", async () => {
	const env = { ANTHROPIC_API_KEY: "sk-ant-secret", OPENAI_API_KEY: "sk-secret", MY_VARIABLE: "seen" };
	const { text } = await run({ command: "env" }, { env });
	expect(text).not.toContain("secret");
	expect(text).toContain("MY_VARIABLE=seen");
	expect(text).toContain("PAGER=cat");
});

test.each([
	["no command", {}, "command: "],
	["an empty command", { command: "" }, "command: "],
	["a time in words", { command: "ls", timeout: "soon" }, "timeout: "],
])("%s is refused by name", async (_, args, reason) => {
	await expect(run(args)).rejects.toThrow(reason);
});

test("a person sees the command in one line", () => {
	expect(bash.describeCall({ command: "cd a &&\n  make\x1b[31m" })).toBe("bash $ cd a && make");
	expect(bash.describeCall({})).toBe("bash $ …");
});
