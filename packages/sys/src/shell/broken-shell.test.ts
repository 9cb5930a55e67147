/** A command that breaks its shell, or the files between the shell and Tau, never makes later ones a silent success. */
import { expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import {
	neededForLandlock,
	neededPrograms,
	sandboxFixture,
	type SandboxFixture,
} from "@tau/machines/sandbox/testing";
import { ownRoom } from "./pipe-room.ts";
import { ShellSession } from "./session.ts";

const breakers: Record<string, string> = {
	"moves the directory of the shell's files": "mv /run/tau /run/tau2; mv $ROOM $ROOM-2",
	"deletes it": "find /run/tau $ROOM $ROOM/../states -delete",
	"moves what is in it": "cd $ROOM && for f in *; do mv $f x-$f; done; mv /run/tau/orders /run/tau/o",
	"writes junk into it": 'for f in $ROOM/*.order /run/tau/states/*; do echo junk > "$f"; done',
	"replaces the orders by a directory": 'for f in $ROOM/*.order; do rm -f "$f"; mkdir "$f"; done',
	"makes it unreadable": "chmod 0 /run/tau $ROOM $ROOM/*.order",
	"mounts nothing over it": "mount -t tmpfs none /run/tau",
	"kills the shell": "kill -9 $$",
	"kills everything it sees": "[ -d /run/tau ] && kill -9 -1",
	"replaces the shell": "exec true",
	"closes the report": "exec 3>&-",
	"writes a report of its own": "printf 'ended\\0000\\000/\\000/\\000kept\\000' >&3",
	"redefines what the shell uses": "eval() { :; }; builtin() { :; }; read() { :; }; printf() { :; }",
	"disables builtins": "enable -n eval printf read",
};

async function survives(box: Pick<SandboxFixture, "run">, command: string): Promise<void> {
	await box.run(command, { timeoutMs: 10_000 }).catch(() => undefined);
	for (let round = 0; round < 2; round++) {
		let alive = await box.run("echo alive; (exit 3)");
		// The end of the whole sandbox may reach the next shell, too: then that is what the result says.
		for (let more = 0; command.includes("-9 -1") && alive.outcome.killedBy !== undefined && more < 10; more++)
			alive = await box.run("echo alive; (exit 3)");
		expect([command, alive.text, alive.outcome.exitCode]).toEqual([command, "alive\n", 3]);
	}
}

for (const [kind, testOf, landlock] of [
	["bubblewrap", needs(...neededPrograms), false],
	["Landlock", needs(...neededForLandlock), true],
] as const)
	for (const [what, command] of Object.entries(breakers))
		testOf(`in ${kind}, after a command that ${what}, the next one runs and its code is right`, async () => {
			await using box = await sandboxFixture({ landlock });
			const { room } = box.sandbox;
			await survives(box, command.replaceAll("$ROOM", landlock ? room.path : "/run/tau/orders"));
		});

for (const [what, command] of Object.entries(breakers))
	if (!command.includes("kill -9 -1") && !command.includes("mount"))
		test(`without a sandbox, after a command that ${what}, the next one runs and its code is right`, async () => {
			const cwd = realpathSync(mkdtempSync(join(tmpdir(), "tau-broken-")));
			try {
				await using session = new ShellSession({ cwd, env: { PATH: process.env.PATH ?? "", HOME: cwd } });
				const run: SandboxFixture["run"] = async (text, more = {}) => {
					let output = "";
					const { signal } = new AbortController();
					const outcome = await session.run({
						command: text,
						timeoutMs: 20_000,
						signal,
						...more,
						onOutput: (chunk) => void (output += Buffer.from(chunk).toString()),
					});
					return { text: output, outcome };
				};
				await run("true");
				await survives(
					{ run },
					command
						.replaceAll("/run/tau/orders", ownRoom.path)
						.replaceAll("/run/tau", "/nowhere")
						.replaceAll("$ROOM", ownRoom.path),
				);
			} finally {
				rmSync(cwd, { recursive: true, force: true });
			}
		});
