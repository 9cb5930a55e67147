/** An error that no code catches ends the program; Bun alone would print it and wait for the rest forever. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const errors = [
	["thrown", `throw new Error("nobody caught this")`],
	["a rejected promise that is not awaited", `void Promise.reject(new Error("nobody caught this"))`],
] as const;

test.each(errors)("an uncaught error ends a run with one line: %s", async (_how, code) => {
	const home = mkdtempSync(join(tmpdir(), "tau-uncaught-"));
	try {
		// Fails as soon as the program has prepared for it.
		const failing = `const timer = setInterval(() => {
			if (process.listenerCount("uncaughtException") === 0) return;
			clearInterval(timer);
			${code};
		}, 1);`;
		writeFileSync(join(home, "failing.ts"), failing);
		const main = join(import.meta.dir, "main.ts");
		const command = [process.execPath, "--preload", join(home, "failing.ts"), main, "--mode", "rpc"];
		// Standard input stays open: the program would wait for commands.
		const options = { env: { HOME: home }, stdin: "pipe", stdout: "ignore", stderr: "pipe" } as const;
		await using run = Bun.spawn(command, { ...options, timeout: 60_000 });
		expect(await run.stderr.text()).toMatch(
			/^tau: unexpected failure: nobody caught this\. The log is in .*\n$/,
		);
		expect(await run.exited).toBe(1);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
});
