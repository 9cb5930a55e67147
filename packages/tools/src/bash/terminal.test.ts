/** A user types into the terminal of a command, and the model gets what was on its screen. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentToolResult } from "@tau/agent";
import type { ShownTerminal, TerminalViewer } from "@tau/session/host";

import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { bash } from "./tool.ts";

let cwd = "";
let env: TestToolEnv;
beforeAll(() => {
	cwd = realpathSync(mkdtempSync(join(tmpdir(), "tau-terminal-")));
	mkdirSync(join(cwd, "sub"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
beforeEach(async () => {
	env = await testToolEnv({ cwd });
});
afterEach(() => env[Symbol.asyncDispose]());

/** A screen that types what a user would, as soon as the terminal shows what it waits for. */
function screenWith(answers: readonly [shown: RegExp, typed: string][]): TerminalViewer & { closed: number } {
	const viewer = {
		closed: 0,
		size: () => ({ columns: 60, rows: 10 }),
		show({ screen, type, resize }: ShownTerminal) {
			const left = [...answers];
			screen.onChange(() => {
				while (left[0]?.[0].test(screen.text() ?? "")) {
					const typed = left.shift()?.[1] ?? "";
					if (typed === "resize") resize({ columns: 70, rows: 20 });
					else type(typed);
				}
			});
			return { [Symbol.dispose]: () => void viewer.closed++ };
		},
	};
	return viewer;
}

describe("a terminal", () => {
	const inTerminal = async (
		params: { command: string; timeout?: number; env?: Record<string, string> },
		answers: readonly [RegExp, string][] = [],
		signal?: AbortSignal,
	): Promise<AgentToolResult & { text: string; closed: number }> => {
		const terminals = screenWith(answers);
		await using other = await testToolEnv({ cwd, env: env.env, terminals });
		const result = await callTool(bash.bind(other), { ...params, pty: true }, signal);
		return { ...result, text: textOf(result), closed: terminals.closed };
	};

	test("has the size of its place on the screen, and closes with the command", async () => {
		const result = await inTerminal({
			command: "test -t 1 && stty size; echo $WORD; pwd",
			env: { WORD: "w" },
		});
		expect(result).toMatchObject({ text: `10 60\nw\n${cwd}`, closed: 1 });
	});

	test("starts in the shell's directory, and reports the exit code", async () => {
		const terminals = screenWith([]);
		await using other = await testToolEnv({ cwd, env: env.env, terminals });
		await callTool(bash.bind(other), { command: "cd sub" });
		const result = await callTool(bash.bind(other), { command: "pwd; exit 3", pty: true });
		expect(textOf(result)).toBe(`${join(cwd, "sub")}\n\nCommand exited with code 3`);
	});

	test("takes what the user types, follows the size, and answers questions of the program", async () => {
		const command = [
			"read -p 'name? ' name",
			"read -rsn1 -p 'ready? '",
			"stty size",
			"printf '\\e[6n'; read -rsd R position; echo \"${position#*[}\"",
		].join("; ");
		const result = await inTerminal({ command }, [
			[/name\?$/, "tau\r"],
			[/ready\?/, "resize"],
			[/ready\?/, "x"],
		]);
		expect(result.text).toBe("name? tau\nready? 20 70\n3;1");
	});

	test("that a program draws on is reported as it looked, not as it was drawn", async () => {
		const draw =
			"printf 'one\\ntwo\\n\\e[2A\\e[2KONE\\e[2B\\r\\e]0;title\\a'; for i in 1 2 3; do printf '\\rstep %s' $i; done";
		expect((await inTerminal({ command: draw })).text).toBe("ONE\ntwo\nstep 3");
	});

	test("that is stopped shows its last screen, also of a full-screen program", async () => {
		const stop = new AbortController();
		const terminals = screenWith([]);
		const show = terminals.show.bind(terminals);
		terminals.show = (terminal) => {
			const shown = show(terminal);
			terminal.screen.onChange(() => {
				if (terminal.screen.text()?.includes("inside")) stop.abort();
			});
			return shown;
		};
		await using other = await testToolEnv({ cwd, env: env.env, terminals });
		const command = "echo before; printf '\\e[?1049h\\e[2J\\e[Hinside'; sleep 100";
		const result = await callTool(bash.bind(other), { command, pty: true }, stop.signal);
		expect(textOf(result)).toBe("before\ninside\n\nCommand interrupted by the user.");
	});

	test("with more output than a screen keeps is reported like any other output", async () => {
		const { text, details } = await inTerminal({ command: "seq 100000" });
		expect(text).toMatch(/^1\n2\n[^]*omitted: read artifact[^]*\n100000$/);
		expect(details).toMatchObject({ truncated: true });
	});

	test("is not cut off while the user takes time, unless the model sets a limit", async () => {
		const terminals = screenWith([]);
		await using other = await testToolEnv({ cwd, env: env.env, terminals });
		await other.settings.set("bash.timeoutSeconds", 1, "session");
		// Longer than the usual limit.
		const slow = await callTool(bash.bind(other), { command: "sleep 1.5; echo done", pty: true });
		expect(textOf(slow)).toBe("done");
		const limited = await callTool(bash.bind(other), { command: "sleep 100", pty: true, timeout: 1 });
		expect(textOf(limited)).toContain("timed out after 1 s");
	});

	test("is provided only where a user sees it, and the model learns why not", async () => {
		const command = "test -t 1 || echo none; read x || echo nothing to read";
		expect(textOf(await callTool(bash.bind(env), { command, pty: true }))).toBe(
			"none\nnothing to read\n\n[No user can type here, so it ran without a terminal. With async, it has one that job types into.]",
		);
	});

	test("runs what the user puts before every command", async () => {
		await using own = await testToolEnv({
			cwd,
			env: { ...env.env, TAU_SHELL_PREFIX: "echo audited:" },
			terminals: screenWith([]),
		});
		await own.settings.set("shellCommandPrefix", "greeting=hello", "session");
		const result = await callTool(bash.bind(own), { command: "$greeting", pty: true });
		expect(textOf(result)).toBe("audited: hello");
	});

	test("is not provided if the user disables it", async () => {
		const terminals = screenWith([]);
		await using other = await testToolEnv({ cwd, env: { ...env.env, TAU_NO_PTY: "1" }, terminals });
		const result = await callTool(bash.bind(other), { command: "test -t 1 || echo none", pty: true });
		expect(textOf(result)).toBe("none");
	});
});
