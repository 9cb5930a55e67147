/** How git and Bun processes end when they are aborted or time out. */
import { expect, test } from "bun:test";
import { tmpdir } from "node:os";

import { isAbort } from "@tau/utils";

import { runProcess, type ProcessRequest } from "./run-process.ts";

function sleeping(more: Partial<ProcessRequest>): Promise<string> {
	const command = ["sh", "-c", "sleep 300; true"];
	return runProcess({
		name: "sh",
		command,
		cwd: tmpdir(),
		env: process.env,
		more: {},
		ms: 60_000,
		...more,
	});
}

test("regression: a process interrupted while it starts a child ends at once, and so does the child", async () => {
	const stopped = Array.from({ length: 16 }, () => {
		const stop = new AbortController();
		const done = sleeping({ signal: stop.signal }).catch((error: unknown) => error);
		stop.abort();
		return done;
	});
	// No process holds its output open any more: otherwise this would wait for the sleep.
	for (const error of await Promise.all(stopped)) expect(isAbort(error)).toBe(true);
});

test("a process that exceeds its timeout is ended, and the error names it", async () => {
	await expect(sleeping({ name: "git", ms: 10 })).rejects.toThrow("git timed out after 0.01 s");
});

test("a process does not get the model keys, and its error output is reported", async () => {
	const env = { ...process.env, OPENAI_API_KEY: "sk-not-for-git" };
	const command = ["sh", "-c", 'echo "key:$OPENAI_API_KEY:" >&2; exit 3'];
	await expect(sleeping({ command, env })).rejects.toThrow("sh failed: key::");
});
