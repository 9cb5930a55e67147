/** The session's shell lives inside a sandbox, and is the same shell for its user. */
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "bun:test";

import { localMachine, listProcesses, PtySession, runShell, ShellSession } from "@tau/sys";
import { withSandbox } from "./machine.ts";
import { needs } from "../../../../test/support/needs.ts";
import { neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";

const sandboxed = needs(...neededPrograms);

sandboxed("the shell keeps its directory, variables and functions", async () => {
	await using box = await sandboxFixture();
	await box.run("mkdir sub && cd sub; A=1; export B=2; f() { echo function; }");
	const { text, outcome } = await box.run("pwd; echo $A $B; f");
	expect(text).toBe(`${box.cwd}/sub\n1 2\nfunction\n`);
	expect(outcome).toMatchObject({ exitCode: 0, cwd: `${box.cwd}/sub` });
});

sandboxed(
	"the shell stays in a directory that only the sandbox has, and leaves one that a command deletes",
	async () => {
		await using box = await sandboxFixture();
		await box.run("mkdir -p /dev/shm/tau/own && cd /dev/shm/tau/own");
		expect((await box.run("pwd")).text).toBe("/dev/shm/tau/own\n");
		await box.run("rm -r /dev/shm/tau");
		expect((await box.run("pwd")).text).toBe("/dev/shm\n");
	},
);

sandboxed("a shell that a command ended is replaced by one with its state", async () => {
	await using box = await sandboxFixture();
	await box.run("A=kept; cd /tmp; mkdir -p own; cd own; exit 3");
	expect((await box.run("echo $A; pwd")).text).toBe("kept\n/tmp/own\n");
});

sandboxed("the project is writable, the rest is not, and temporary files are private", async () => {
	await using box = await sandboxFixture();
	const { text } = await box.run(
		`echo new > file; echo x > /tmp/tau-private && echo temporary; echo x > ${box.home}/file; echo x > /etc/file`,
	);
	expect(readFileSync(join(box.cwd, "file"), "utf8")).toBe("new\n");
	expect(text).toContain("temporary\n");
	expect(text.match(/Read-only file system/g)).toHaveLength(2);
	expect(existsSync("/tmp/tau-private")).toBe(false);
	expect(readFileSync(box.sandbox.hostPath("/tmp/tau-private"), "utf8")).toBe("x\n");
});

sandboxed("shells that run at the same time share processes, ports and temporary files", async () => {
	await using box = await sandboxFixture();
	await box.run("sleep 300 & echo $! > /tmp/pid");
	const { text } = await box.run("kill -0 $(cat /tmp/pid) && echo alive", { beside: true });
	expect(text).toBe("alive\n");
});

sandboxed.each([
	["in the background", "sleep 31234 &"],
	["in a session of its own, without an environment", "setsid env -i sleep 31234 >/dev/null 2>&1 &"],
	["from a trap, when its shell ends", "trap 'setsid sleep 31234 >/dev/null 2>&1 &' EXIT"],
])("what a command starts %s ends with the sandbox", async (_, command) => {
	await using box = await sandboxFixture();
	await box.run(command);
	// A process that the shell has just started is not yet another program.
	if (command.startsWith("s")) await until(() => box.session.hasLeftovers);
	expect(box.session.hasLeftovers).toBe(command.startsWith("s"));
	await box[Symbol.asyncDispose]();
	const left = listProcesses().filter(({ pid }) => commandLine(pid).includes("sleep\u000031234"));
	expect(left).toEqual([]);
});

sandboxed("an abort ends the command and its children, and the shell survives", async () => {
	await using box = await sandboxFixture();
	await box.run("A=1");
	const abort = new AbortController();
	const { outcome } = await box.run("(sleep 300 & echo ready; wait)", {
		signal: abort.signal,
		onOutput: () => abort.abort(),
	});
	expect(outcome.stopped).toBe("abort");
	expect((await box.run("echo $A; pgrep -x sleep | wc -l")).text).toBe("1\n0\n");
});

sandboxed("the end of the sandbox ends what has left the shell's session", async () => {
	const mark = crypto.randomUUID();
	{
		await using box = await sandboxFixture();
		await box.run(`(setsid env -i bash -c 'exec -a ${mark} sleep 300' >/dev/null 2>&1 &)`);
		await until(() => named(mark).length === 1);
	}
	expect(named(mark)).toEqual([]);
});

sandboxed("a terminal works inside, and Ctrl+C reaches the program alone", async () => {
	await using box = await sandboxFixture();
	const terminal = new PtySession(() => box.sandbox);
	let text = "";
	// A signal that arrives as `sleep` ends counts for bash as one that sleep has handled: a user presses the keys again.
	const press = setInterval(() => {
		if (text.includes("ready")) terminal.write("\u0003");
	}, 100);
	const ended = terminal
		.start({
			command: "trap 'echo caught; exit 7' INT; [ -t 0 ] && echo ready; while :; do sleep 0.05; done",
			cwd: box.cwd,
			env: box.env,
			timeoutMs: 20_000,
			signal: new AbortController().signal,
			onOutput: (chunk) => void (text += new TextDecoder().decode(chunk)),
		})
		.finally(() => clearInterval(press));
	expect((await ended).exitCode).toBe(7);
	expect(text).toContain("caught");
});

sandboxed("a single command runs inside too", async () => {
	await using box = await sandboxFixture();
	let text = "";
	const outcome = await runShell(
		{
			command: "pwd; touch /etc/file; exit 4",
			cwd: box.cwd,
			env: box.env,
			timeoutMs: 20_000,
			signal: new AbortController().signal,
			onOutput: (chunk) => void (text += new TextDecoder().decode(chunk)),
		},
		box.sandbox,
	);
	expect(outcome.exitCode).toBe(4);
	expect(text).toContain(`${box.cwd}\n`);
	expect(text).toContain("Read-only file system");
});

sandboxed("what a sandboxed shell has defined does not follow it outside", async () => {
	await using box = await sandboxFixture();
	let isInside = true;
	await using session = new ShellSession({
		cwd: box.cwd,
		env: box.env,
		launcher: () => (isInside ? box.sandbox : undefined),
	});
	let text = "";
	const run = (command: string): Promise<unknown> =>
		session.run({
			command,
			timeoutMs: 20_000,
			signal: new AbortController().signal,
			onOutput: (chunk) => void (text += new TextDecoder().decode(chunk)),
		});
	await run("mkdir sub; cd sub; ls() { echo taken; }; export PATH=$PWD:$PATH LD_PRELOAD=/tmp/x.so");
	isInside = false;
	text = "";
	await run("ls /; echo $LD_PRELOAD; pwd");
	expect(text).not.toContain("taken");
	expect(text).not.toContain("x.so");
	expect(text).toEndWith(`${box.cwd}/sub\n`);
});

sandboxed("Unix sockets work inside where the settings allow them", async () => {
	const listen = `perl -e 'use Socket; socket(S, PF_UNIX, SOCK_STREAM, 0) && bind(S, pack_sockaddr_un("/tmp/socket")) && listen(S, 1) ? print "listening" : print "refused: $!"'`;
	await using allowed = await sandboxFixture({ unixSockets: true });
	expect((await allowed.run(listen)).text).toBe("listening");
	await using refused = await sandboxFixture();
	expect((await refused.run(listen)).text).toBe("refused: Operation not permitted");
});

sandboxed("file tools see the temporary files of commands, and commands those of file tools", async () => {
	await using box = await sandboxFixture();
	const { files } = withSandbox(localMachine(), () => box.sandbox);
	await box.run("mkdir /tmp/sub; echo inside > /tmp/sub/file");
	const { signal } = new AbortController();
	const read = async (path: string): Promise<string> =>
		Buffer.from(await files.read(path, { signal, maxBytes: 100 })).toString();
	expect(await read("/tmp/sub/file")).toBe("inside\n");
	const before = await files.readText("/tmp/new", "/tmp/new");
	if (!before.ok) throw new Error(before.reason);
	await files.commit([{ before, after: { text: "written", hasBom: false } }], { signal, toolCallId: "1" });
	expect((await box.run("cat /tmp/new")).text).toBe("written");
	expect(existsSync("/tmp/new")).toBe(false);
	await box.run(`ln -s ${box.home}/secret /tmp/link; ln -s ${box.home} /tmp/linked`);
	writeFileSync(join(box.home, "secret"), "secret");
	for (const path of ["/tmp/link", "/tmp/linked/secret"])
		await expect(files.stat(path)).rejects.toThrow("is a link from the session's temporary files");
});

sandboxed(
	"the command lines inside name neither the sandbox's own directory nor what is hidden",
	async () => {
		await using box = await sandboxFixture({ files: { "home/.ssh/id": "x" } });
		const { text } = await box.run("cat /proc/[0-9]*/cmdline | tr '\\0' ' '");
		expect(text).toContain("bwrap");
		expect(text).not.toContain("tau-sandbox-");
		expect(text).not.toContain(".ssh");
	},
);

function named(name: string): number[] {
	return listProcesses()
		.map(({ pid }) => pid)
		.filter((pid) => commandLine(pid).startsWith(name));
}

function commandLine(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "latin1");
	} catch {
		return "";
	}
}

async function until(condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!condition() && performance.now() < deadline) await Bun.sleep(10);
}

sandboxed("the files of the sandbox itself are out of reach where TMPDIR is in the project", async () => {
	await using outer = await sandboxFixture();
	const code = `
		import { sandboxFixture } from "./testing/sandbox-fixture.ts";
		await using box = await sandboxFixture({ cwd: ${JSON.stringify(outer.cwd)} });
		const { text } = await box.run("cd ${outer.cwd} && touch ours && for d in tau-sandbox-*; do echo evil > $d/filter; ls $d; done; ls");
		console.log(text);
	`;
	const child = Bun.spawn([process.execPath, "-e", code], {
		cwd: import.meta.dir,
		env: { ...process.env, TMPDIR: outer.cwd },
		stdout: "pipe",
	});
	const text = await child.stdout.text();
	expect(text).toMatch(/filter: Permission denied/);
	expect(text).toContain("ours");
	expect(text).not.toMatch(/^filter$/m);
});

sandboxed("a program that stays open runs inside, and ends with its owner", async () => {
	await using box = await sandboxFixture();
	const { shell } = withSandbox(localMachine(), () => box.sandbox);
	const command = [
		"sh",
		"-c",
		"read -r path; echo x > $path && echo written; echo x > inside; sleep 300",
	] as const;
	const program = await shell.start({ command, cwd: box.cwd, env: { PATH: process.env.PATH ?? "" } });
	program.input.write(`${join(box.home, "file")}\n`);
	let errors = "";
	for await (const chunk of program.errors) {
		errors += chunk;
		if (errors.includes("\n")) break;
	}
	expect(errors).toContain("Read-only file system");
	await program[Symbol.asyncDispose]();
	expect(readFileSync(join(box.cwd, "inside"), "utf8")).toBe("x\n");
	expect((await box.run("pgrep -x sleep | wc -l")).text).toBe("0\n");
});

needs("root", ...neededPrograms)(
	"a secret of another user behind a directory that only its owner may enter keeps no command from running",
	async () => {
		// Outside of the directories for temporary files, which commands do not share.
		const below = mkdtempSync(join(homedir(), ".tau-closed-"));
		const secret = join(below, "other/secret");
		try {
			mkdirSync(dirname(secret), { mode: 0o700 });
			writeFileSync(secret, "a key");
			for (const path of [secret, dirname(secret)]) chownSync(path, 65_534, 65_534);
			await using box = await sandboxFixture({ below, hidden: [secret] });
			const { text, outcome } = await box.run(`cat ${secret} || echo closed`);
			expect(text).toBe(`cat: ${secret}: Permission denied\nclosed\n`);
			expect(outcome.exitCode).toBe(0);
		} finally {
			rmSync(below, { recursive: true });
		}
	},
);
