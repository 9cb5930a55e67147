/** A sandbox that no command needs is not started. */
import { expect, test } from "bun:test";

import { localMachine, withHiddenFiles } from "../machine/index.ts";
import { withSandbox } from "./machine.ts";

test("a sandboxed machine that is decorated starts no sandbox before a command runs", async () => {
	let starts = 0;
	const launcher = (): undefined => void (starts += 1);
	const machine = withHiddenFiles(withSandbox(localMachine(), launcher), () => false);
	expect(starts).toBe(0);
	const command = { command: "true", cwd: "/", env: {}, timeoutMs: 10_000, onOutput() {} };
	await machine.shell.run({ ...command, signal: new AbortController().signal });
	expect(starts).toBe(1);
});
