/** State that a command sets is available to the next one, and no command can break the session for later ones. */
import { describe, expect, test } from "bun:test";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { ShellSession } from "./session.ts";
import { shellFixture } from "./testing/shell-fixture.ts";

const remember =
	"cd sub; export WORD='a b'; plain=1; list=(x 'y z'); declare -A map=([k]=v); f() { echo \"f $1\"; }; alias greet='echo hello'; umask 027; shopt -s extglob";
const recall =
	'pwd; printenv WORD; echo "$plain ${list[1]} ${map[k]}"; f 1; greet; umask; [[ ab == +(a|b) ]] && echo glob; bash -c \'echo "$WORD"\'';
const recalled = (cwd: string): string => `${cwd}/sub\na b\n1 y z v\nf 1\nhello\n0027\nglob\na b\n`;

describe("state that a command sets is available to the next one", () => {
	test("directory, variables, functions, aliases, options", async () => {
		await using fixture = shellFixture();
		mkdirSync(join(fixture.cwd, "sub"));
		const first = await fixture.run(remember);
		expect(first.outcome).toMatchObject({ exitCode: 0, cwd: join(fixture.cwd, "sub") });
		expect(fixture.session.cwd).toBe(join(fixture.cwd, "sub"));
		expect((await fixture.run(recall)).text).toBe(recalled(fixture.cwd));
	});

	const endings: [how: string, command: string, outcome: object][] = [
		["exits", "exit 3", { exitCode: 3 }],
		["replaces its shell", "exec sh -c 'exit 4'", { exitCode: 4 }],
		["kills its shell", "kill -9 $$", { killedBy: "SIGKILL" }],
		["fails under set -e", "set -e; false; echo not reached", { exitCode: 1 }],
		["uses an unset variable under set -u", 'set -u; echo "$NEVER_SET"', { exitCode: 127 }],
		["redefines the shell's own commands", "builtin() { :; }; command() { :; }", { exitCode: 0 }],
		["leaves all loops", "break 99", { exitCode: 0 }],
	];
	test.each(endings)("also when a command in between %s", async (_how, command, outcome) => {
		await using fixture = shellFixture();
		mkdirSync(join(fixture.cwd, "sub"));
		await fixture.run(remember);
		expect((await fixture.run(command)).outcome).toMatchObject({ ...outcome, cwd: join(fixture.cwd, "sub") });
		expect((await fixture.run(recall)).text).toBe(recalled(fixture.cwd));
	});

	test("also state set by the command that exits", async () => {
		await using fixture = shellFixture();
		mkdirSync(join(fixture.cwd, "sub"));
		const { outcome } = await fixture.run(`${remember}; exit 9`);
		expect(outcome).toMatchObject({ exitCode: 9, cwd: join(fixture.cwd, "sub") });
		expect((await fixture.run(recall)).text).toBe(recalled(fixture.cwd));
	});

	test("an unset variable stays unset in a new shell", async () => {
		await using fixture = shellFixture();
		await fixture.run("unset HOME; exit");
		expect((await fixture.run('echo "[${HOME-none}]"')).text).toBe("[none]\n");
	});

	test("the session knows where its commands look for programs", async () => {
		await using fixture = shellFixture();
		await fixture.run('PATH="$PWD/a \\"b\\" \\$c:$PATH"');
		await fixture.run("true");
		expect(fixture.session.searchPath?.[0]).toBe(`${fixture.cwd}/a "b" $c`);
	});

	test("an exported function is exported in a new shell too, and a readonly variable is readonly", async () => {
		await using fixture = shellFixture();
		await fixture.run("g() { echo from g; }; export -f g; readonly fixed=1; exit");
		expect((await fixture.run("bash -c g; fixed=2")).text).toMatch(/^from g\n.*fixed: readonly variable\n$/);
	});

	test("strict shell options apply to the command that set them", async () => {
		await using fixture = shellFixture();
		await fixture.run("set -euxo pipefail; set -f -C");
		const { text, outcome } = await fixture.run('false | true; echo "$? $NEVER_SET"; false; echo "$-"');
		expect(text).toBe("0 \nhBc\n");
		expect(outcome.exitCode).toBe(0);
	});

	test("the path through a symbolic link is kept", async () => {
		await using fixture = shellFixture();
		mkdirSync(join(fixture.cwd, "real"));
		symlinkSync(join(fixture.cwd, "real"), join(fixture.cwd, "link"));
		await fixture.run("cd link; exit");
		expect((await fixture.run("pwd; cd ..; pwd")).text).toBe(`${fixture.cwd}/link\n${fixture.cwd}\n`);
	});
});

describe("these affect only one command:", () => {
	test("the variables and the directory passed with it", async () => {
		await using fixture = shellFixture();
		mkdirSync(join(fixture.cwd, "sub"));
		const options = { env: { WORD: `it's "x" $y \\`, HOME: "/h" }, cwd: join(fixture.cwd, "sub") };
		const { text, outcome } = await fixture.run('printenv WORD; echo "$WORD"; echo ~; pwd', options);
		expect(text).toBe(`it's "x" $y \\\nit's "x" $y \\\n/h\n${fixture.cwd}/sub\n`);
		expect(outcome.cwd).toBe(join(fixture.cwd, "sub"));
		expect(fixture.session.cwd).toBe(fixture.cwd);
		expect((await fixture.run('echo "[${WORD-}]"; echo ~; pwd')).text).toBe(
			`[]\n${fixture.cwd}\n${fixture.cwd}\n`,
		);
	});

	test("also if it exits", async () => {
		await using fixture = shellFixture();
		mkdirSync(join(fixture.cwd, "sub"));
		const { outcome } = await fixture.run("x=1; exit 2", { cwd: join(fixture.cwd, "sub") });
		expect(outcome.cwd).toBe(join(fixture.cwd, "sub"));
		expect((await fixture.run('pwd; echo "$PWD $x"')).text).toBe(`${fixture.cwd}\n${fixture.cwd} 1\n`);
	});

	test("its redirections", async () => {
		await using fixture = shellFixture();
		await fixture.run("exec >log 2>&1 3>other </etc/hostname; echo logged");
		expect((await fixture.run("echo heard; cat")).text).toBe("heard\n");
		expect(readFileSync(join(fixture.cwd, "log"), "utf8")).toBe("logged\n");
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
		await using fixture = shellFixture();
		await expect(fixture.run(command, more)).rejects.toThrow(message);
		expect((await fixture.run("echo on")).text).toBe("on\n");
	});

	test("and one after the end of the session", async () => {
		const fixture = shellFixture();
		await fixture[Symbol.asyncDispose]();
		await expect(fixture.run("true")).rejects.toThrow("The shell session has ended.");
	});
});

describe("the output of a command", () => {
	test("cannot imitate its end", async () => {
		await using fixture = shellFixture();
		const forged = String.raw`printf 'ended\000%s\0/\0/\0kept\0' 0; echo 'ended' >&3; echo "on $?"; exit 6`;
		const { text, outcome } = await fixture.run(forged);
		expect(outcome.exitCode).toBe(6);
		expect(text).toMatch(/^ended\x000\x00\/\x00\/\x00kept\x00.*3: Bad file descriptor\non 1\n$/);
	});

	test("may be hundreds of megabytes, without filling memory", async () => {
		await using fixture = shellFixture();
		let bytes = 0;
		let largest = 0;
		const before = process.memoryUsage.rss();
		const count = (chunk: Uint8Array): void => {
			bytes += chunk.length;
			largest = Math.max(largest, chunk.length);
		};
		const signal = new AbortController().signal;
		const size = samples(600_000_000, 200_000_000);
		const command = `head -c ${size} /dev/zero`;
		await fixture.session.run({ command, timeoutMs: 20_000, signal, onOutput: count });
		expect(bytes).toBe(size);
		expect(largest).toBeLessThanOrEqual(4 * 1024 * 1024);
		// Garbage is collected at any time; output that piled up would be all of it.
		Bun.gc(true);
		expect(process.memoryUsage.rss() - before).toBeLessThan(bytes / 2);
	});

	test("to /dev/stdout and /dev/stderr arrives too, in order", async () => {
		await using fixture = shellFixture();
		const { text } = await fixture.run(
			"echo 1; echo 2 >&2; echo 3 >/dev/stderr; echo 4 >/dev/stdout; echo 5",
		);
		expect(text).toBe("1\n2\n3\n4\n5\n");
	});
});

describe("a command of more than 128 KB", () => {
	test("runs", async () => {
		await using fixture = shellFixture();
		const { text } = await fixture.run(`: ${"x".repeat(300_000)}\necho done $LINENO`);
		expect(text).toBe("done 2\n");
	});
});

describe("a directory that was deleted", () => {
	test("is left for its parent, and does not prevent a new shell from starting", async () => {
		await using fixture = shellFixture();
		const gone = mkdtempSync(join(fixture.cwd, "gone-"));
		await fixture.run(`cd ${gone}; x=1`);
		rmSync(gone, { recursive: true });
		expect(fixture.session.cwd).toBe(fixture.cwd);
		expect((await fixture.run("echo on; pwd")).text).toEndWith(`on\n${fixture.cwd}\n`);
		const again = mkdtempSync(join(fixture.cwd, "gone-"));
		await fixture.run(`cd ${again}`);
		rmSync(again, { recursive: true });
		await fixture.run("kill -9 $$");
		expect((await fixture.run('pwd; echo "$PWD $x"')).text).toBe(`${fixture.cwd}\n${fixture.cwd} 1\n`);
	});
});

describe("a directory that was moved", () => {
	test("regression: by a command, is where the session is then, or the new one of its name", async () => {
		await using fixture = shellFixture();
		const { cwd, session } = fixture;
		await fixture.run("mkdir -p p/q; cd p/q");
		await fixture.run(`mv ${cwd}/p/q ${cwd}/q`);
		expect(session.cwd).toBe(`${cwd}/q`);
		expect((await fixture.run("pwd; ls ..")).text).toBe(`${cwd}/q\np\nq\n`);
		await fixture.run(`mv ${cwd}/q ${cwd}/p/q; mkdir ${cwd}/q`);
		expect(session.cwd).toBe(`${cwd}/q`);
		expect((await fixture.run("ls ..")).text).toBe("p\nq\n");
	});

	test("regression: by someone else, is not where the next command runs, which is judged by its name", async () => {
		await using fixture = shellFixture();
		const { cwd, session } = fixture;
		await fixture.run("mkdir -p p/q; cd p/q");
		renameSync(join(cwd, "p/q"), join(cwd, "q"));
		mkdirSync(join(cwd, "p/q"));
		expect(session.cwd).toBe(`${cwd}/p/q`);
		expect((await fixture.run("ls ../..")).text).toBe("p\nq\n");
	});
});

describe("a call while another one runs", () => {
	test("runs concurrently, with the session's earlier state, and does not change the session", async () => {
		await using fixture = shellFixture();
		mkdirSync(join(fixture.cwd, "sub"));
		await fixture.run(remember);
		const first = fixture.run("plain=2; until [ -e ../go ]; do sleep 0.01; done; echo first; exit 5");
		expect(fixture.session.busy).toBe(true);
		const beside = await Promise.all([fixture.run(recall), fixture.run("plain=3; cd /; pwd")]);
		expect(beside.map(({ text }) => text)).toEqual([recalled(fixture.cwd), "/\n"]);
		expect(beside[1].outcome.cwd).toBe("/");
		writeFileSync(join(fixture.cwd, "go"), "");
		expect(await first).toMatchObject({ text: "first\n", outcome: { exitCode: 5 } });
		expect(fixture.session.busy).toBe(false);
		expect((await fixture.run("echo $plain; pwd")).text).toBe(`2\n${fixture.cwd}/sub\n`);
	});

	test("may be the second one of all", async () => {
		await using fixture = shellFixture(async () => "greet() { echo hello; }");
		const both = await Promise.all([fixture.run("sleep 0.05; greet"), fixture.run("greet")]);
		expect(both.map(({ text }) => text)).toEqual(["hello\n", "hello\n"]);
	});
});

describe("a long-running command", () => {
	test("regression: has the state from before its start, and no later state", async () => {
		await using fixture = shellFixture();
		for (let round = 0; round < 10; round++) {
			await fixture.run("x=before");
			const beside = fixture.run("echo $x", { beside: true });
			await fixture.run("x=after");
			expect((await beside).text).toBe("before\n");
		}
	});

	test("may run concurrently from the start, so that the session stays free", async () => {
		await using fixture = shellFixture();
		await fixture.run("x=1");
		const long = fixture.run("until [ -e go ]; do sleep 0.01; done; echo $x; x=2", { beside: true });
		expect(fixture.session.busy).toBe(false);
		await fixture.run("touch go; x=3");
		expect((await long).text).toBe("1\n");
		expect((await fixture.run("echo $x")).text).toBe("3\n");
	});

	test("can be detached with its shell, and the session continues as before", async () => {
		await using fixture = shellFixture();
		await fixture.run("x=1; cd /");
		const started = Promise.withResolvers<void>();
		const long = fixture.run(
			`x=2; echo ready; cd ${fixture.cwd}; until [ -e go ]; do sleep 0.01; done; echo $x`,
			{
				onOutput: () => started.resolve(),
			},
		);
		await started.promise;
		fixture.session.leave();
		expect(fixture.session.busy).toBe(false);
		expect((await fixture.run(`echo $x; pwd; x=3; touch ${fixture.cwd}/go`)).text).toBe("1\n/\n");
		expect(await long).toMatchObject({ text: "ready\n2\n", outcome: { exitCode: 0, cwd: fixture.cwd } });
		expect((await fixture.run("echo $x; pwd")).text).toBe("3\n/\n");
	});

	test("detaching without a running command has no effect", async () => {
		await using fixture = shellFixture();
		await fixture.run("x=1");
		fixture.session.leave();
		expect((await fixture.run("echo $x")).text).toBe("1\n");
	});
});

describe("the session's snapshot", () => {
	test("is requested once, and only when a command runs", async () => {
		let requests = 0;
		await using fixture = shellFixture(async () => `asked=${++requests}; alias greet='echo hello'`);
		expect(requests).toBe(0);
		expect((await fixture.run("greet $asked; exit")).text).toBe("hello 1\n");
		expect((await fixture.run("greet $asked")).text).toBe("hello 1\n");
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
		await using fixture = shellFixture(async () => script);
		expect((await fixture.run("echo on; pwd")).text).toBe(`on\n${fixture.cwd}\n`);
	});

	test("may be unavailable", async () => {
		await using fixture = shellFixture(() => Promise.reject(new Error("no snapshot")));
		expect((await fixture.run("echo on")).text).toBe("on\n");
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
			timeoutMs: 40_000,
			signal,
			onOutput,
		};
		expect(await session.run(command)).toMatchObject({ exitCode: 3, cwd: bin });
		expect(text).toBe(`${join(bin, "sh")} w\n`);
	} finally {
		rmSync(bin, { recursive: true, force: true });
	}
});

needs("mkfifo")("a program that exits silently leaves no shell behind", async () => {
	const home = mkdtempSync(join(tmpdir(), "tau-leave-"));
	try {
		const script = `
			import { ShellSession } from ${JSON.stringify(join(import.meta.dir, "session.ts"))};
			const session = new ShellSession({ cwd: ${JSON.stringify(home)}, env: process.env });
			let text = "";
			await session.run({ command: "sleep 100 & echo $! $$", timeoutMs: 40_000,
				signal: new AbortController().signal, onOutput: (chunk) => { text += Buffer.from(chunk); } });
			process.stdout.write(text);`;
		writeFileSync(join(home, "program.ts"), script);
		const program = Bun.spawn([process.execPath, join(home, "program.ts")], {
			stdout: "pipe",
			timeout: 60_000,
		});
		const pids = (await program.stdout.text()).trim().split(" ").map(Number);
		expect(await program.exited).toBe(0);
		expect(pids).toHaveLength(2);
		const { alive, until } = await import("./testing/shell-fixture.ts");
		await until("both are gone", () => alive(pids).length === 0);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
});

describe("a shell that was started ahead", () => {
	test("runs the command, and only once", async () => {
		await using fixture = shellFixture();
		fixture.session.prepare();
		fixture.session.prepare();
		expect((await fixture.run("A=1; echo $$")).text).toMatch(/^\d+\n$/);
		fixture.session.prepare();
		expect((await fixture.run("echo $A")).text).toBe("1\n");
	});

	test("that cannot be started fails with the command", async () => {
		const launcher = (): never => {
			throw new Error("no sandbox here");
		};
		await using session = new ShellSession({ cwd: "/", env: { PATH: process.env.PATH ?? "" }, launcher });
		session.prepare();
		const { signal } = new AbortController();
		expect(session.run({ command: "true", timeoutMs: 1000, signal, onOutput() {} })).rejects.toThrow(
			"no sandbox",
		);
	});

	test("and never used ends with its session", async () => {
		const { session } = shellFixture();
		session.prepare();
		await session[Symbol.asyncDispose]();
		expect(session.hasLeftovers).toBe(false);
	});
});
