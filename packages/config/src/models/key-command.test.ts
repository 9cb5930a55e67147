/** A command prints a key or fails with a reason, and its output is used for nothing else. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { keyFromCommand } from "./key-command.ts";
import { limits } from "./limits.ts";

const ask = (command: string): ReturnType<typeof keyFromCommand> =>
	keyFromCommand(`!${command}`, process.env);

test("its output is the key, without the newline", async () => {
	expect(await ask("echo '  key-1  '")).toEqual({ key: "key-1" });
	expect(await ask("echo warning >&2; printf key-2")).toEqual({ key: "key-2" });
});

test("it runs once for all callers, also for concurrent ones", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-key-"));
	try {
		const count = join(directory, "count");
		const command = `echo x >> '${count}'; echo key-of-counter`;
		const answers = await Promise.all([ask(command), ask(command)]);
		answers.push(await ask(command));
		for (const answer of answers) expect(answer).toEqual({ key: "key-of-counter" });
		expect(readFileSync(count, "utf8")).toBe("x\n");
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

test("a failed command is run again", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-key-"));
	try {
		const marker = join(directory, "marker");
		const command = `test -e '${marker}' || { touch '${marker}'; exit 1; }; echo key-after-all`;
		expect(await ask(command)).toEqual({ problem: "it exited with 1" });
		expect(await ask(command)).toEqual({ key: "key-after-all" });
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

describe("not a key:", () => {
	const bad: [what: string, command: string, problem: RegExp][] = [
		["nothing", "true", /^it printed nothing$/],
		["two lines", "printf 'a\\nb\\n'", /^it printed more than a key$/],
		["a missing command", "tau-has-no-such-command", /^it exited with 127$/],
		[
			"far too much",
			`head -c ${limits.keyBytes + 1} /dev/zero | tr '\\0' x`,
			/^it printed more than \d+ bytes$/,
		],
	];
	test.each(bad)("%s", async (_, command, problem) => {
		const answer = await ask(command);
		expect("problem" in answer ? answer.problem : answer.key).toMatch(problem);
	});
});

test("waiting for a command can be aborted", async () => {
	const controller = new AbortController();
	const answer = keyFromCommand("!sleep 60", process.env, controller.signal);
	controller.abort();
	expect(await answer).toHaveProperty("problem");
});

test("the abort of the caller that started it does not fail the others", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-key-"));
	try {
		const go = join(directory, "go");
		const command = `!while ! test -e '${go}'; do sleep 0.01; done; echo key-for-others`;
		const controller = new AbortController();
		const first = keyFromCommand(command, process.env, controller.signal);
		const second = keyFromCommand(command, process.env, new AbortController().signal);
		controller.abort();
		expect(await first).toEqual({ problem: "it was aborted" });
		writeFileSync(go, "");
		expect(await second).toEqual({ key: "key-for-others" });
		expect(await keyFromCommand(command, process.env)).toEqual({ key: "key-for-others" });
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

test("a command that nobody waits for any more is stopped, and the next caller starts it again", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-key-"));
	try {
		const started = join(directory, "started");
		const command = `!echo x >> '${started}'; test $(wc -l < '${started}') = 2 || sleep 600; echo key-2nd`;
		const controller = new AbortController();
		const first = keyFromCommand(command, process.env, controller.signal);
		// The shell opens the file before it writes the line.
		while (!existsSync(started) || readFileSync(started, "utf8") === "") await Bun.sleep(5);
		controller.abort();
		expect(await first).toEqual({ problem: "it was aborted" });
		expect(await keyFromCommand(command, process.env)).toEqual({ key: "key-2nd" });
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});
