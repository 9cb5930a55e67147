/** `tau shell` is the shell of the model's commands, for users: it prints, persists, and exits as a shell does. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";

import { atTerminal } from "../login/terminal.ts";
import { launch, root, type Launched } from "../support/launch.ts";

let tau: Launched;
beforeAll(async () => {
	tau = await launch({ steps: [] });
});
afterAll(() => tau[Symbol.asyncDispose]());

describe("one command", () => {
	const cases: [what: string, args: string[], stdin: string | undefined, out: string, code: number][] = [
		[
			"prints and passes its exit code on",
			["-c", "echo hi; echo err >&2; exit 7"],
			undefined,
			"hi\nerr\n",
			7,
		],
		["may be killed", ["-c", "kill -9 $$"], undefined, "", 137],
		["may be piped in, with many lines", [], "x=1\necho $x\n", "1\n", 0],
		["prints its output unchanged", ["-c", "printf '\\033[31mred'"], undefined, "\x1b[31mred", 0],
		["has no keys of providers", ["-c", 'echo "[$OPENAI_API_KEY]"'], undefined, "[]\n", 0],
	];
	test.each(cases)("%s", async (_what, args, stdin, out, code) => {
		const env = { OPENAI_API_KEY: "sk-secret" };
		const finished = await tau.run(["shell", ...args], { env, ...(stdin === undefined ? {} : { stdin }) });
		expect(finished).toEqual({ code, out, err: "" });
	});

	test("ends when the reader closes the pipe", async () => {
		const command = 'set -o pipefail; "$0" shell -c "yes line" | head -1';
		const child = Bun.spawn(["bash", "-c", command, join(root, "tau")], {
			env: { PATH: process.env.PATH ?? "", HOME: tau.home },
			stdout: "pipe",
		});
		expect(await child.stdout.text()).toBe("line\n");
		expect(await child.exited).toBe(143);
	});

	test("reports output that cannot be written", async () => {
		const child = Bun.spawn(
			["bash", "-c", '"$0" shell -c "echo line; sleep 100" >/dev/full', join(root, "tau")],
			{
				env: { PATH: process.env.PATH ?? "", HOME: tau.home },
				stderr: "pipe",
			},
		);
		expect(await child.stderr.text()).toMatch(/^tau: cannot write the output: .*no space left/i);
		expect(await child.exited).toBe(1);
	});

	test("ends with Ctrl+C", async () => {
		const running = tau.start(["shell", "-c", "while :; do echo y; done"]);
		await running.until(({ out }) => out.includes("y"));
		running.process.kill("SIGINT");
		expect((await running.finished).code).toBe(130);
	});
});

test("at a terminal: variables persist between lines, and Ctrl+C ends a command but not the shell", async () => {
	const user = atTerminal(tau, ["shell"]);
	await user.until(/\$ /);
	user.type("cd /; word=kept\r");
	await user.until(/\/ \$ /);
	user.type("echo begun; sleep 100\r");
	await user.until(/begun\r\n/);
	user.type("\x03");
	user.type("echo $word\r");
	await user.until(/kept\r\n/);
	user.type("exit 5\r");
	expect(await user.exited).toBe(5);
});
