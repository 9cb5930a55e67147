/** A sandbox that no command needs is not started. */
import { expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { localMachine, withHiddenFiles, type ShellLauncher, ownRoom } from "@tau/sys";
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

test("files of the project need no sandbox, also where it is in a directory for temporary files", async () => {
	let starts = 0;
	const project = realpathSync(mkdtempSync(join(tmpdir(), "tau-machine-")));
	const launcher = (): undefined => void (starts += 1);
	const { files } = withSandbox(localMachine(), launcher, project);
	try {
		await files.stat(project);
		expect(starts).toBe(0);
		await files.stat(tmpdir()).catch(() => undefined);
		await files.stat(join(project, "..", "other")).catch(() => undefined);
		await files.stat(`${project}/../other`).catch(() => undefined);
		expect(starts).toBeGreaterThan(0);
	} finally {
		rmSync(project, { recursive: true, force: true });
	}
});

test("a program that stays open knows whether one that is started now would run beside it", async () => {
	const opened: ShellLauncher[] = [];
	const { shell } = withSandbox(localMachine(), () => opened[0]);
	await using program = await shell.start({
		command: ["cat"],
		cwd: "/",
		env: { PATH: process.env.PATH ?? "" },
	});
	expect(await program.isCurrent?.()).toBe(true);
	opened.push({
		room: ownRoom,
		launch: () => Promise.reject(new Error("not needed")),
		environment: (env) => env,
		commandEnded() {},
		hostPath: (path) => path,
	});
	expect(await program.isCurrent?.()).toBe(false);
});
