/** State that a command sets is available to the next one, and no command can break the session for later ones. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { ShellSession } from "./session.ts";
import { testRoom } from "./testing/room.ts";

const remember =
	"cd sub; export WORD='a b'; plain=1; list=(x 'y z'); declare -A map=([k]=v); f() { echo \"f $1\"; }; alias greet='echo hello'; umask 027; shopt -s extglob";
const recall =
	'pwd; printenv WORD; echo "$plain ${list[1]} ${map[k]}"; f 1; greet; umask; [[ ab == +(a|b) ]] && echo glob; bash -c \'echo "$WORD"\'';
const recalled = (cwd: string): string => `${cwd}/sub\na b\n1 y z v\nf 1\nhello\n0027\nglob\na b\n`;

describe("state that a command sets is available to the next one", () => {
	test("directory, variables, functions, aliases, options", async () => {
		await using room = testRoom();
		mkdirSync(join(room.cwd, "sub"));
		const first = await room.run(remember);
		expect(first.outcome).toMatchObject({ exitCode: 0, cwd: join(room.cwd, "sub") });
		expect(room.session.cwd).toBe(join(room.cwd, "sub"));
		expect((await room.run(recall)).text).toBe(recalled(room.cwd));
	});

	const endings: [how: string, command: string, outcome: object][] = [
		["exits", "exit 3", { exitCode: 3 }],
		["replaces its shell", "exec sh -c 'exit 4'", { exitCode: 4 }],
		["kills its shell", "kill -9 $$", { killedBy: "SIGKILL" }],
		["fails under set -e", "set -e; false; echo not reached", { exitCode: 1 }],
		["uses what is not set under set -u", 'set -u; echo "$NEVER_SET"', { exitCode: 127 }],
		["makes the shell's own words useless", "builtin() { :; }; command() { :; }", { exitCode: 0 }],
		["leaves all loops", "break 99", { exitCode: 0 }],
	];
	test.each(endings)("also when a command in between %s", async (_how, command, outcome) => {
		await using room = testRoom();
		mkdirSync(join(room.cwd, "sub"));
		await room.run(remember);
		expect((await room.run(command)).outcome).toMatchObject({ ...outcome, cwd: join(room.cwd, "sub") });
		expect((await room.run(recall)).text).toBe(recalled(room.cwd));
	});

	test("also state set by the command that exits", async () => {
		await using room = testRoom();
		mkdirSync(join(room.cwd, "sub"));
		const { outcome } = await room.run(`${remember}; exit 9`);
		expect(outcome).toMatchObject({ exitCode: 9, cwd: join(room.cwd, "sub") });
		expect((await room.run(recall)).text).toBe(recalled(room.cwd));
	});

	test("an unset variable stays unset in a new shell", async () => {
		await using room = testRoom();
		await room.run("unset HOME; exit");
		expect((await room.run('echo "[${HOME-none}]"')).text).toBe("[none]\n");
	});

	test("an exported function is exported in a new shell too, and a readonly variable is readonly", async () => {
		await using room = testRoom();
		await room.run("g() { echo from g; }; export -f g; readonly fixed=1; exit");
		expect((await room.run("bash -c g; fixed=2")).text).toMatch(/^from g\n.*fixed: readonly variable\n$/);
	});

	test("strict shell options apply to the command that set them", async () => {
		await using room = testRoom();
		await room.run("set -euxo pipefail; set -f -C");
		const { text, outcome } = await room.run('false | true; echo "$? $NEVER_SET"; false; echo "$-"');
		expect(text).toBe("0 \nhBc\n");
		expect(outcome.exitCode).toBe(0);
	});

	test("the path through a symbolic link is kept", async () => {
		await using room = testRoom();
		mkdirSync(join(room.cwd, "real"));
		symlinkSync(join(room.cwd, "real"), join(room.cwd, "link"));
		await room.run("cd link; exit");
		expect((await room.run("pwd; cd ..; pwd")).text).toBe(`${room.cwd}/link\n${room.cwd}\n`);
	});
});

describe("these affect only one command:", () => {
	test("the variables and the directory passed with it", async () => {
		await using room = testRoom();
		mkdirSync(join(room.cwd, "sub"));
		const options = { env: { WORD: `it's "x" $y \\`, HOME: "/h" }, cwd: join(room.cwd, "sub") };
		const { text, outcome } = await room.run('printenv WORD; echo "$WORD"; echo ~; pwd', options);
		expect(text).toBe(`it's "x" $y \\\nit's "x" $y \\\n/h\n${room.cwd}/sub\n`);
		expect(outcome.cwd).toBe(join(room.cwd, "sub"));
		expect(room.session.cwd).toBe(room.cwd);
		expect((await room.run('echo "[${WORD-}]"; echo ~; pwd')).text).toBe(`[]\n${room.cwd}\n${room.cwd}\n`);
	});

	test("also if it exits", async () => {
		await using room = testRoom();
		mkdirSync(join(room.cwd, "sub"));
		const { outcome } = await room.run("x=1; exit 2", { cwd: join(room.cwd, "sub") });
		expect(outcome.cwd).toBe(join(room.cwd, "sub"));
		expect((await room.run('pwd; echo "$PWD $x"')).text).toBe(`${room.cwd}\n${room.cwd} 1\n`);
	});

	test("its redirections", async () => {
		await using room = testRoom();
		await room.run("exec >log 2>&1 3>other </etc/hostname; echo logged");
		expect((await room.run("echo heard; cat")).text).toBe("heard\n");
		expect(readFileSync(join(room.cwd, "log"), "utf8")).toBe("logged\n");
	});
});

describe("a command that cannot be run is refused with a reason", () => {
	const cases: [what: string, command: string, more: object, message: string][] = [
		["a missing directory", "true", { cwd: "/tau/none" }, "Working directory does not exist: /tau/none"],
		["a file as directory", "true", { cwd: import.meta.path }, "is not a directory"],
		["a NUL", "echo a\0b", {}, "contains a null byte"],
		["a bad name", "true", { env: { "a-b": "1" } }, 'Not a valid variable name: "a-b"'],
		["a NUL in a value", "true", { env: { A: "\0" } }, "The value of A contains a null byte"],
	];
	test.each(cases)("%s", async (_what, command, more, message) => {
		await using room = testRoom();
		await expect(room.run(command, more)).rejects.toThrow(message);
		expect((await room.run("echo on")).text).toBe("on\n");
	});

	test("and one after the end of the session", async () => {
		const room = testRoom();
		await room[Symbol.asyncDispose]();
		await expect(room.run("true")).rejects.toThrow("The shell session has ended.");
	});
});

describe("the output of a command", () => {
	test("cannot imitate its end", async () => {
		await using room = testRoom();
		const forged = String.raw`printf 'ended\000%s\0/\0/\0kept\0' 0; echo 'ended' >&3; echo "on $?"; exit 6`;
		const { text, outcome } = await room.run(forged);
		expect(outcome.exitCode).toBe(6);
		expect(text).toMatch(/^ended\x000\x00\/\x00\/\x00kept\x00.*3: Bad file descriptor\non 1\n$/);
	});

	test("may be hundreds of megabytes, without piling up", async () => {
		await using room = testRoom();
		let bytes = 0;
		let largest = 0;
		const before = process.memoryUsage.rss();
		const count = (chunk: Uint8Array): void => {
			bytes += chunk.length;
			largest = Math.max(largest, chunk.length);
		};
		const signal = new AbortController().signal;
		const command = "head -c 600000000 /dev/zero";
		await room.session.run({ command, timeoutMs: 20_000, signal, onOutput: count });
		expect(bytes).toBe(600_000_000);
		expect(largest).toBeLessThanOrEqual(4 * 1024 * 1024);
		// Garbage is collected at any time; output that piled up would be all of it.
		Bun.gc(true);
		expect(process.memoryUsage.rss() - before).toBeLessThan(bytes / 2);
	});

	test("to /dev/stdout and /dev/stderr arrives too, in order", async () => {
		await using room = testRoom();
		const { text } = await room.run("echo 1; echo 2 >&2; echo 3 >/dev/stderr; echo 4 >/dev/stdout; echo 5");
		expect(text).toBe("1\n2\n3\n4\n5\n");
	});
});

describe("a command of more than 128 KB", () => {
	test("runs", async () => {
		await using room = testRoom();
		const { text } = await room.run(`: ${"x".repeat(300_000)}\necho done $LINENO`);
		expect(text).toBe("done 2\n");
	});
});

describe("a directory that was deleted", () => {
	test("can be left, and does not prevent a new shell from starting", async () => {
		await using room = testRoom();
		const gone = mkdtempSync(join(room.cwd, "gone-"));
		await room.run(`cd ${gone}; x=1`);
		rmSync(gone, { recursive: true });
		expect((await room.run("echo on; cd ..; pwd")).text).toEndWith(`on\n${room.cwd}\n`);
		const again = mkdtempSync(join(room.cwd, "gone-"));
		await room.run(`cd ${again}`);
		rmSync(again, { recursive: true });
		await room.run("kill -9 $$");
		expect((await room.run('pwd; echo "$PWD $x"')).text).toBe(`${room.cwd}\n${room.cwd} 1\n`);
	});
});

describe("a call while another one runs", () => {
	test("runs concurrently, with the session's earlier state, and does not change the session", async () => {
		await using room = testRoom();
		mkdirSync(join(room.cwd, "sub"));
		await room.run(remember);
		const first = room.run("plain=2; until [ -e ../go ]; do sleep 0.01; done; echo first; exit 5");
		expect(room.session.busy).toBe(true);
		const beside = await Promise.all([room.run(recall), room.run("plain=3; cd /; pwd")]);
		expect(beside.map(({ text }) => text)).toEqual([recalled(room.cwd), "/\n"]);
		expect(beside[1].outcome.cwd).toBe("/");
		writeFileSync(join(room.cwd, "go"), "");
		expect(await first).toMatchObject({ text: "first\n", outcome: { exitCode: 5 } });
		expect(room.session.busy).toBe(false);
		expect((await room.run("echo $plain; pwd")).text).toBe(`2\n${room.cwd}/sub\n`);
	});

	test("may be the second one of all", async () => {
		await using room = testRoom(async () => "greet() { echo hello; }");
		const both = await Promise.all([room.run("sleep 0.05; greet"), room.run("greet")]);
		expect(both.map(({ text }) => text)).toEqual(["hello\n", "hello\n"]);
	});
});

describe("a long-running command", () => {
	test("regression: knows the state from before its start, and no later state", async () => {
		await using room = testRoom();
		for (let round = 0; round < 10; round++) {
			await room.run("x=before");
			const beside = room.run("echo $x", { beside: true });
			await room.run("x=after");
			expect((await beside).text).toBe("before\n");
		}
	});

	test("may run concurrently from the start, so that the session stays free", async () => {
		await using room = testRoom();
		await room.run("x=1");
		const long = room.run("until [ -e go ]; do sleep 0.01; done; echo $x; x=2", { beside: true });
		expect(room.session.busy).toBe(false);
		await room.run("touch go; x=3");
		expect((await long).text).toBe("1\n");
		expect((await room.run("echo $x")).text).toBe("3\n");
	});

	test("can be detached with its shell, and the session goes on as it was before", async () => {
		await using room = testRoom();
		await room.run("x=1; cd /");
		const started = Promise.withResolvers<void>();
		const long = room.run(`x=2; echo ready; cd ${room.cwd}; until [ -e go ]; do sleep 0.01; done; echo $x`, {
			onOutput: () => started.resolve(),
		});
		await started.promise;
		room.session.leave();
		expect(room.session.busy).toBe(false);
		expect((await room.run(`echo $x; pwd; x=3; touch ${room.cwd}/go`)).text).toBe("1\n/\n");
		expect(await long).toMatchObject({ text: "ready\n2\n", outcome: { exitCode: 0, cwd: room.cwd } });
		expect((await room.run("echo $x; pwd")).text).toBe("3\n/\n");
	});

	test("detaching without a running command has no effect", async () => {
		await using room = testRoom();
		await room.run("x=1");
		room.session.leave();
		expect((await room.run("echo $x")).text).toBe("1\n");
	});
});

describe("the session's snapshot", () => {
	test("is requested once, and only when a command runs", async () => {
		let requests = 0;
		await using room = testRoom(async () => `asked=${++requests}; alias greet='echo hello'`);
		expect(requests).toBe(0);
		expect((await room.run("greet $asked; exit")).text).toBe("hello 1\n");
		expect((await room.run("greet $asked")).text).toBe("hello 1\n");
		expect(requests).toBe(1);
	});

	const broken: [what: string, script: string][] = [
		["has an error", "if then\necho x"],
		["prints", "echo noise; echo noise >&2"],
		["ends the shell", "exit 3"],
		["kills it", "kill -9 $$"],
		["replaces it", "exec true"],
	];
	test.each(broken)("may be a script that %s", async (_what, script) => {
		await using room = testRoom(async () => script);
		expect((await room.run("echo on; pwd")).text).toBe(`on\n${room.cwd}\n`);
	});

	test("may be unavailable", async () => {
		await using room = testRoom(() => Promise.reject(new Error("no snapshot")));
		expect((await room.run("echo on")).text).toBe("on\n");
	});
});

test("without bash, commands run in sh, each by itself", async () => {
	const bin = mkdtempSync(join(tmpdir(), "tau-sh-"));
	try {
		symlinkSync("/bin/sh", join(bin, "sh"));
		await using session = new ShellSession({ cwd: bin, env: { PATH: bin } });
		let text = "";
		const onOutput = (chunk: Uint8Array): void => void (text += Buffer.from(chunk).toString());
		const signal = new AbortController().signal;
		const command = {
			command: "echo $0 $WORD; exit 3",
			env: { WORD: "w" },
			timeoutMs: 9000,
			signal,
			onOutput,
		};
		expect(await session.run(command)).toMatchObject({ exitCode: 3, cwd: bin });
		expect(text).toBe(`${join(bin, "sh")} w\n`);
	} finally {
		rmSync(bin, { recursive: true, force: true });
	}
});

needs("mkfifo")("a program that ends without a word leaves no shell behind", async () => {
	const home = mkdtempSync(join(tmpdir(), "tau-leave-"));
	try {
		const script = `
			import { ShellSession } from ${JSON.stringify(join(import.meta.dir, "session.ts"))};
			const session = new ShellSession({ cwd: ${JSON.stringify(home)}, env: process.env });
			let text = "";
			await session.run({ command: "sleep 100 & echo $! $$", timeoutMs: 9000,
				signal: new AbortController().signal, onOutput: (chunk) => { text += Buffer.from(chunk); } });
			process.stdout.write(text);`;
		writeFileSync(join(home, "program.ts"), script);
		const program = Bun.spawn([process.execPath, join(home, "program.ts")], {
			stdout: "pipe",
			timeout: 10_000,
		});
		const pids = (await program.stdout.text()).trim().split(" ").map(Number);
		expect(await program.exited).toBe(0);
		expect(pids).toHaveLength(2);
		const { alive, until } = await import("./testing/room.ts");
		await until("both are gone", () => alive(pids).length === 0);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
});
