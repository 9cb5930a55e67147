/** An error that nobody catches ends the program; Bun alone would show it and wait for ever for the rest. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const errors = [
	["thrown", `throw new Error("nobody caught this")`],
	["a promise that nobody waits for", `void Promise.reject(new Error("nobody caught this"))`],
] as const;

test.each(errors)("an error that nobody catches ends a run with one line: %s", async (_how, code) => {
	const room = mkdtempSync(join(tmpdir(), "tau-uncaught-"));
	try {
		const program = `
			import { endOnUncaught } from ${JSON.stringify(join(import.meta.dir, "run.ts"))};
			endOnUncaught();
			setTimeout(() => { ${code}; }, 1);
			await new Promise(() => {});`;
		writeFileSync(join(room, "program.ts"), program);
		const command = [process.execPath, join(room, "program.ts")];
		const run = Bun.spawn(command, { env: { HOME: room }, stderr: "pipe", timeout: 10_000 });
		expect(await run.stderr.text()).toMatch(
			/^tau: unexpected failure: nobody caught this\. The log is in .*\n$/,
		);
		expect(await run.exited).toBe(1);
	} finally {
		rmSync(room, { recursive: true, force: true });
	}
});
