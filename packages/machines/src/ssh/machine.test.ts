/** Another machine behaves as its interface says, also with few tools, and while its connection is lost. */
import { afterAll, beforeAll, expect } from "bun:test";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { testSshd, type TestSshd } from "../../../../test/support/sshd.ts";
import type {
	FileChange,
	MachineFiles,
	MachineShellSession,
	NewContent,
	SearchEvent,
	SessionOutcome,
} from "@tau/sys";
import { openSshMachine, type SshMachine } from "./machine.ts";

const program = "/usr/sbin/sshd";
const overSsh = needs(program, "ssh");
const busybox = Bun.which("busybox");
const overBusybox = needs(program, "ssh", "busybox");
const timeoutMs = 60_000;
const { signal } = new AbortController();
const owned = new AsyncDisposableStack();
let sshd: TestSshd;
let box: SshMachine;
/** The same machine, with a plain sh and the tools of POSIX alone. */
let poor: SshMachine;
/** The same machine, with busybox alone. */
let small: SshMachine;

/** Neither bash, ripgrep nor git, and no GNU head that says so. */
const posixTools =
	"cat chmod chown cksum cp dd find grep id kill ln ls mkdir mkfifo mv ps readlink rm rmdir sleep stat tail tee tr uname wc";

beforeAll(async () => {
	if (!existsSync(program)) return;
	sshd = owned.use(await testSshd());
	box = owned.use(await connectTo(sshd));
	const bin = join(sshd.directory, "bin");
	mkdirSync(bin);
	for (const name of posixTools.split(" ")) {
		const path = Bun.which(name);
		if (path) symlinkSync(path, join(bin, name));
	}
	symlinkSync(Bun.which("dash") ?? "/bin/sh", join(bin, "sh"));
	writeFileSync(join(bin, "head"), '#!/bin/sh\n[ "$1" = --version ] && exit 1\nexec /usr/bin/head "$@"\n', {
		mode: 0o755,
	});
	const withTools = async (directory: string): Promise<SshMachine> => {
		const settings = [`SetEnv PATH=${directory} TMPDIR=${sshd.directory}/tmp`];
		return owned.use(await connectTo(owned.use(await testSshd({ settings })), sshd.work));
	};
	poor = await withTools(bin);
	if (!busybox) return;
	const applets = join(sshd.directory, "busybox");
	mkdirSync(applets);
	for (const name of Bun.spawnSync([busybox, "--list"]).stdout.toString().trim().split("\n"))
		symlinkSync(busybox, join(applets, name));
	small = await withTools(applets);
}, timeoutMs);
afterAll(async () => owned.disposeAsync(), timeoutMs);

async function connectTo(server: TestSshd, path: string = server.work): Promise<SshMachine> {
	const destination = { name: "box", host: "box" };
	return await openSshMachine({ destination, env: process.env, config: server.config }, path, signal);
}

const at = (name: string): string => join(sshd.work, name);
const names = (name: string): string[] => readdirSync(at(name)).toSorted();

interface Ran extends SessionOutcome {
	output: string;
}

function runnerIn(session: MachineShellSession): (command: string, more?: object) => Promise<Ran> {
	return async (command, more = {}) => {
		let output = "";
		const onOutput = (chunk: Uint8Array): void => void (output += Buffer.from(chunk).toString());
		const outcome = await session.run({ command, timeoutMs, signal, onOutput, ...more });
		return { ...outcome, output };
	};
}

async function change(
	files: MachineFiles,
	name: string,
	text: string,
	more: Partial<NewContent> = {},
): Promise<FileChange> {
	const before = await files.readText(name, at(name));
	if (!before.ok) throw new Error(before.reason);
	return { before, after: { text, hasBom: before.text !== undefined && before.hasBom, ...more } };
}

function behavesAsAMachine(kind: string, machine: () => SshMachine, promise = overSsh): void {
	const folder = kind.replaceAll(" ", "-");
	const path = (name: string): string => `${folder}/${name}`;

	promise(`files are read and changed there, ${kind}`, async () => {
		const { files } = machine().machine;
		mkdirSync(at(folder));
		const odd = path('it\'s "odd" $(x)\nname é');
		writeFileSync(at(odd), "\ufeffone\r\ntwo\r\n", { mode: 0o640 });
		expect(await files.readText("a", at(odd))).toMatchObject({
			text: "one\r\ntwo\r\n",
			hasBom: true,
			mode: 0o640,
		});
		const done = await files.commit([await change(files, odd, "three\r\n")], { signal });
		expect(done).toMatchObject({ ok: true, changes: [{ kind: "changed" }] });
		expect(readFileSync(at(odd), "utf8")).toBe("\ufeffthree\r\n");
		expect(statSync(at(odd)).mode & 0o777).toBe(0o640);
		// Created with its directories, whatever the bytes are.
		const bytes = new Uint8Array(40_000).map((_, index) => (index * 7) % 256);
		const binary = await change(files, path("new/deep/b.bin"), "", { bytes });
		expect(await files.commit([binary], { signal })).toMatchObject({ ok: true });
		expect(new Uint8Array(readFileSync(at(path("new/deep/b.bin"))))).toEqual(bytes);
		expect(await files.read(at(path("new/deep/b.bin")), { signal, maxBytes: 40_000 })).toEqual(
			Buffer.from(bytes),
		);
		const range = { start: 300, end: 900 };
		expect(await files.read(at(path("new/deep/b.bin")), { signal, maxBytes: 1e6, range })).toEqual(
			Buffer.from(bytes.subarray(300, 900)),
		);
		writeFileSync(at(path("new/lines")), "one\ntwo\nthree");
		await using lines = await files.open(at(path("new/lines")), signal);
		expect(await lines?.countLines?.(2, true)).toEqual({ lines: 2, bytes: 8, total: 3 });
		expect(await lines?.countLines?.(9, false)).toEqual({ lines: 2, bytes: 13 });
		expect(await lines?.countLines?.(0, true)).toEqual({ lines: 0, bytes: 0, total: 3 });
		const limited = files.read(at(path("new/deep/b.bin")), { signal, maxBytes: 39_999 });
		await expect(limited).rejects.toMatchObject({ code: "EFBIG" });
		await expect(files.read(at(path("none")), { signal, maxBytes: 1 })).rejects.toMatchObject({
			code: "ENOENT",
		});
		const script = await change(files, path("run.sh"), "#!/bin/sh\n", { executable: true });
		await files.commit([script], { signal });
		expect(statSync(at(path("run.sh"))).mode & 0o111).not.toBe(0);
		symlinkSync("run.sh", at(path("link")));
		expect(await files.lstat(at(path("link")))).toMatchObject({ kind: "link", linkTarget: "run.sh" });
		expect([await files.stat(at(path("none"))), (await files.stat(at(path("link"))))?.kind]).toEqual([
			undefined,
			"file",
		]);
		await expect(files.stat(at(path("run.sh/below")))).rejects.toMatchObject({ code: "ENOTDIR" });
		await files.commit([await change(files, path("link"), "behind the link\n")], { signal });
		expect(readFileSync(at(path("run.sh")), "utf8")).toBe("behind the link\n");
		expect(await files.realpath(at(path("link")))).toBe(at(path("run.sh")));
		expect((await files.list(at(folder))).map(({ name, kind: type }) => `${type} ${name}`)).toEqual([
			`file ${odd.slice(folder.length + 1)}`,
			"link link",
			"directory new",
			"file run.sh",
		]);
		expect(names(path("new/deep"))).toEqual(["b.bin"]);
	});

	promise(`several files change together or not at all, ${kind}`, async () => {
		const { files } = machine().machine;
		const own = `${folder}-several`;
		mkdirSync(at(own));
		for (const name of ["a", "b", "file"]) writeFileSync(at(`${own}/${name}`), name);
		const removal = await files.readEntry("b", at(`${own}/b`));
		if (!removal.ok) throw new Error(removal.reason);
		const all = async (last: FileChange): Promise<FileChange[]> => [
			await change(files, `${own}/a`, "A"),
			{ before: removal },
			await change(files, `${own}/new/c`, "c"),
			last,
		];
		const blocked: FileChange = {
			before: { ok: true, shown: "file/x", target: at(`${own}/file/x`), text: undefined },
			after: { text: "x", hasBom: false },
		};
		expect(await files.commit(await all(blocked), { signal })).toMatchObject({
			ok: false,
			reason: expect.stringContaining("part of its path is a file"),
		});
		expect([names(own), readFileSync(at(`${own}/a`), "utf8")]).toEqual([["a", "b", "file"], "a"]);
		// Somebody else has changed the last one meanwhile.
		const planned = await all(await change(files, `${own}/file`, "mine"));
		writeFileSync(at(`${own}/file`), "theirs!");
		expect(await files.commit(planned, { signal })).toMatchObject({ ok: false, kind: "changed" });
		const created = await change(files, `${own}/appears`, "mine");
		writeFileSync(at(`${own}/appears`), "theirs");
		expect(await files.commit([created], { signal })).toMatchObject({ ok: false, kind: "changed" });
		expect([names(own), readFileSync(at(`${own}/file`), "utf8")]).toEqual([
			["a", "appears", "b", "file"],
			"theirs!",
		]);
		expect(await files.commit(await all(await change(files, `${own}/file`, "F")), { signal })).toMatchObject({
			ok: true,
		});
		expect(names(own)).toEqual(["a", "appears", "file", "new"]);
	});

	promise(`names and contents are found there, ${kind}`, async () => {
		const { files } = machine().machine;
		const own = `${folder}-search`;
		mkdirSync(at(`${own}/src/deep`), { recursive: true });
		writeFileSync(at(`${own}/src/a.ts`), "one\nneedle 1\nthree\n");
		writeFileSync(at(`${own}/src/deep/b.ts`), "no\n");
		writeFileSync(at(`${own}/c.md`), "needle 22\n");
		const found = await files.glob({ root: at(own), pattern: "*.ts", hidden: true, gitignore: true });
		expect(found.entries.map((entry) => entry.path)).toEqual(["src/a.ts", "src/deep/b.ts"]);
		const fuzzy = await files.fuzzyFind({
			root: at(own),
			query: "deepb",
			limit: 5,
			hidden: true,
			gitignore: true,
		});
		expect(fuzzy[0]?.path).toBe("src/deep/b.ts");
		const events: SearchEvent[] = [];
		const options = { pattern: "needle \\d+", paths: [at(own)], cwd: at(own), before: 1, globs: ["*.ts"] };
		const outcome = await files.search(options, (event) => void events.push(event));
		expect(outcome).toMatchObject({ ok: true, matches: 1, files: 1 });
		const lines = events.flatMap((event) =>
			event.type === "end" ? [] : event.lines.map(({ number, text }) => `${number} ${text}`),
		);
		expect(lines).toEqual(["1 one", "2 needle 1"]);
		expect(events[0]?.path).toBe(at(`${own}/src/a.ts`));
		expect(await files.search({ ...options, pattern: "(" }, () => {})).toMatchObject({
			ok: false,
			reason: "pattern",
		});
	});

	promise(
		`commands keep their state there, ${kind}`,
		async () => {
			const { shell } = machine().machine;
			await using session = shell.session({ cwd: sshd.work, env: {} });
			const run = runnerIn(session);
			expect(await run("X=1; export Y='two\nlines'; cd /; pwd; false")).toMatchObject({
				exitCode: 1,
				output: "/\n",
				cwd: "/",
			});
			expect((await run('echo "$X $Y" >&2; pwd')).output).toBe("1 two\nlines\n/\n");
			expect((await run("pwd; echo $Z", { cwd: sshd.work, env: { Z: "it's" } })).output).toBe(
				`${sshd.work}\nit's\n`,
			);
			expect(session.cwd).toBe("/");
			// The jobs and the variables of the shell are the user's alone.
			const short = [..."abcdefghijklmnopqrstuvwxyz", "nl"];
			await run(short.map((name) => `${name}=1`).join("; "));
			const values = short.map((name) => `$${name}`).join("");
			expect((await run(`echo ${values}\necho "two\nlines"`)).output).toBe(
				`${"1".repeat(short.length)}\ntwo\nlines\n`,
			);
			expect((await run("jobs; sleep 0.01 & wait; echo waited")).output).toBe("waited\n");
			const own = await run("sleep 0.1 >/dev/null 2>&1 & echo $!");
			expect((await run("echo $!")).output).toBe(own.output);
			// Printed by what a command left behind, it is not part of the next command's output.
			await run("(while :; do echo noise; sleep 0.01; done) & echo started");
			expect((await run("sleep 0.1; echo quiet")).output).toBe("quiet\n");
			// What is needed between two commands is found without PATH, and files that exist are overwritten.
			await run("OLD=$PATH; PATH=/none; IFS=0123; set -C");
			expect((await run("echo still; PATH=$OLD; unset IFS; set +C")).output).toBe("still\n");
			expect(await run("exit 3")).toMatchObject({ exitCode: 3 });
			expect((await run('echo "$Y"; pwd')).output).toBe("two\nlines\n/\n");
			const stop = new AbortController();
			const endless = { signal: stop.signal, onOutput: () => stop.abort() };
			const stopped = run("echo begun; while :; do :; done", endless);
			expect(await stopped).toMatchObject({ stopped: "abort" });
			const late = await run("sleep 100", { timeoutMs: 100 });
			expect(late).toMatchObject({ stopped: "timeout" });
			expect(late.output).not.toContain("Bad file descriptor");
			expect((await run('echo "$Y"')).output).toBe("two\nlines\n");
			const [slow, fast] = [run("sleep 0.3; echo slow"), run("echo fast")];
			expect([(await fast).output, (await slow).output]).toEqual(["fast\n", "slow\n"]);
			const long = await run("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i + 1)); done");
			expect(long.output.split("\n")).toHaveLength(20_001);
		},
		timeoutMs,
	);
}

behavesAsAMachine("with the usual tools", () => box);
behavesAsAMachine("with the tools of POSIX alone", () => poor);
behavesAsAMachine("with busybox alone", () => small, overBusybox);

overSsh(
	"a file is whole after the connection was lost in the middle of a change",
	async () => {
		const own = owned.use(await connectTo(sshd));
		const { files } = own.machine;
		writeFileSync(at("large"), "old");
		const text = "new line\n".repeat(500_000);
		for (let round = 0; round < 3; round++) {
			const planned = await change(files, "large", `${round}\n${text}`);
			const working = files.commit([planned], { signal });
			await Bun.sleep(round * 4);
			sshd.dropConnections();
			const done = await working;
			const now = readFileSync(at("large"), "utf8");
			// What is reported is what is there, and it is never a part.
			expect(now).toBe(done.ok ? `${round}\n${text}` : (planned.before.text ?? ""));
			if (!done.ok) expect(done.reason).toMatch(/Nothing was changed|read it first/);
		}
		expect(names(".").filter((name) => name.includes(".tau-"))).toEqual([]);
		// Reading connects again by itself.
		sshd.dropConnections();
		expect(await files.stat(at("large"))).toMatchObject({ kind: "file" });
	},
	timeoutMs,
);

overSsh("what is denied or missing is reported as on this machine", async () => {
	const { files } = box.machine;
	mkdirSync(at("dir"));
	writeFileSync(at("binary"), "a\0b");
	const kinds: string[] = [];
	for (const name of ["dir", "binary", "dir/none"]) {
		const found = await files.readText(name, at(name));
		kinds.push(found.ok ? String(found.text) : found.kind);
	}
	expect(kinds).toEqual(["directory", "binary", "undefined"]);
	chmodSync(at("binary"), 0o444);
	await expect(box.machine.shell.start({ command: ["clangd"], cwd: "/", env: {} })).rejects.toThrow(
		"clangd is not started on box",
	);
});
