/** How programs that extensions run are started, reported and ended. */
import { expect, test } from "bun:test";
import { tmpdir } from "node:os";

import { execCommand } from "./exec.ts";

test("a program aborted while it starts a child ends at once, and so does the child", async () => {
	const stopped = Array.from({ length: 16 }, () => {
		const stop = new AbortController();
		const done = execCommand("sh", ["-c", "sleep 300; true"], tmpdir(), { signal: stop.signal });
		stop.abort();
		return done;
	});
	// No process holds its output open any more: otherwise this would wait for the sleep.
	for (const { killed } of await Promise.all(stopped)) expect(killed).toBe(true);
});

test("a program gets the variables that the extension sets, and returns its output, errors and exit code", async () => {
	process.env.TAU_EXEC_TEST = "word";
	try {
		const { stdout, stderr, code, killed } = await execCommand(
			"sh",
			["-c", "echo $TAU_EXEC_TEST; echo bad >&2; exit 3"],
			tmpdir(),
		);
		expect({ stdout, stderr, code, killed }).toEqual({
			stdout: "word\n",
			stderr: "bad\n",
			code: 3,
			killed: false,
		});
	} finally {
		delete process.env.TAU_EXEC_TEST;
	}
});

test("a missing program is reported, and one that exceeds its timeout is ended", async () => {
	expect(await execCommand("no-such-program-here", [], tmpdir())).toMatchObject({ code: 127, killed: false });
	expect(await execCommand("sleep", ["300"], tmpdir(), { timeout: 10 })).toMatchObject({ killed: true });
});
