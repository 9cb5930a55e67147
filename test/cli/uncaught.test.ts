/** An error that nobody catches ends a run without a screen; it used to be shown, and the program ran on for ever. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, root } from "../support/launch.ts";

const errors = [
	["thrown", `throw new Error("nobody caught this")`],
	["a promise that nobody waits for", `void Promise.reject(new Error("nobody caught this"))`],
] as const;

test.each(errors)("an error that nobody catches ends a run with one line: %s", async (_how, code) => {
	await using tau = await launch({ steps: [{ fault: { silent: true } }] });
	// The model never answers: only the error can end this run.
	writeFileSync(
		join(tau.project, "bad.ts"),
		`export default () => { setTimeout(() => { ${code}; }, 1); };\n`,
	);
	const {
		code: exit,
		out,
		err,
	} = await tau.run(["-p", "--model", "played/played-1", "-e", "./bad.ts", "hi"]);
	expect({ exit, out }).toEqual({ exit: 1, out: "" });
	expect(err).toMatch(/^tau: unexpected failure: nobody caught this\. The log is in .*\n$/);
});

test("a help text that the disk does not take is one line of complaint", async () => {
	await using tau = await launch({ steps: [] });
	const command = ["bash", "-c", `"$0" --help > /dev/full`, join(root, "tau")];
	const help = Bun.spawn(command, { env: tau.env, stderr: "pipe" });
	expect(await help.stderr.text()).toMatch(/^tau: unexpected failure: ENOSPC.*\n$/);
	expect(await help.exited).toBe(1);
});
