/** What another machine, its users and its connection do to Tau: noise, odd names, links, locks, keys that have changed. */
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { testSshd, type TestSshd } from "../../../../test/support/sshd.ts";
import type { MachineFiles } from "@tau/sys";
import { openSshMachine, type SshMachine } from "./machine.ts";

const program = "/usr/sbin/sshd";
const overSsh = needs(program, "ssh", "ssh-keygen");
const timeoutMs = 60_000;
const { signal } = new AbortController();
const owned = new AsyncDisposableStack();
let sshd: TestSshd;
let one: SshMachine;
/** Another Tau on the same machine. */
let other: SshMachine;

beforeAll(async () => {
	if (!existsSync(program)) return;
	sshd = owned.use(await testSshd());
	one = owned.use(await connectTo(sshd));
	other = owned.use(await connectTo(sshd));
}, timeoutMs);
afterAll(async () => owned.disposeAsync(), timeoutMs);

async function connectTo(server: TestSshd): Promise<SshMachine> {
	const destination = { name: "box", host: "box" };
	return await openSshMachine({ destination, env: process.env, config: server.config }, server.work, signal);
}

const at = (name: string): string => join(sshd.work, name);

async function write(files: MachineFiles, path: string, content: (old: string) => string): Promise<string> {
	const before = await files.readText("it", path);
	if (!before.ok) return before.kind;
	const after = { text: content(before.text ?? ""), hasBom: false };
	const done = await files.commit([{ before, after }], { signal });
	return done.ok ? "ok" : done.kind;
}

overSsh(
	"two Taus that change one file lose no change, and leave neither locks nor temporary files",
	async () => {
		const path = at("counter");
		writeFileSync(path, "0");
		const rounds = 15;
		const count = async ({ machine }: SshMachine): Promise<void> => {
			for (let made = 0; made < rounds;) {
				const outcome = await write(machine.files, path, (old) => String(Number(old) + 1));
				if (outcome === "ok") made++;
				else expect(outcome).toBe("changed");
			}
		};
		await Promise.all([count(one), count(other)]);
		expect(readFileSync(path, "utf8")).toBe(String(2 * rounds));
		expect(readdirSync(sshd.work).filter((name) => name.startsWith(".tau-"))).toEqual([]);
		// A lock is given up after the response: what follows on the same connection finds it gone.
		await Promise.all([one, other].map(({ machine }) => machine.files.stat(path)));
		expect(readdirSync(locks())).toEqual([]);
	},
	timeoutMs,
);

const locks = (): string => join(sshd.directory, "tmp", `tau-files-${process.getuid?.() ?? 0}`);

overSsh("a lock whose holder is gone is taken over, also by several at once", async () => {
	const path = at("locked");
	const gone = Bun.spawn(["true"]);
	await gone.exited;
	mkdirSync(locks(), { recursive: true, mode: 0o700 });
	writeFileSync(join(locks(), Bun.hash(path).toString(36)), `${gone.pid}\n`);
	const taus = [one, other].map(({ machine }) => machine.files);
	const planned = await Promise.all(taus.map(async (files) => await files.readText("it", path)));
	const outcomes = await Promise.all(
		planned.map(async (before, index) => {
			if (!before.ok) return before.kind;
			const done = await taus[index]?.commit([{ before, after: { text: "mine", hasBom: false } }], {
				signal,
			});
			return done?.ok ? "ok" : done?.kind;
		}),
	);
	expect(outcomes.toSorted()).toEqual(["changed", "ok"]);
	expect(readFileSync(path, "utf8")).toBe("mine");
});

overSsh("links are resolved there, also to what does not exist", async () => {
	mkdirSync(at("inside"));
	symlinkSync("/etc", at("out"));
	symlinkSync("/srv/none/new", at("dangling"));
	symlinkSync("round", at("round"));
	const paths = ["inside/new/a", "out/passwd", "dangling", "round", "it's\nodd"].map(at);
	expect(await one.judged.realPaths(paths, signal)).toEqual([
		at("inside/new/a"),
		"/etc/passwd",
		"/srv/none/new",
		undefined,
		at("it's\nodd"),
	]);
	// What git would take for a repository, whose settings can name programs.
	mkdirSync(at("bare/objects"), { recursive: true });
	mkdirSync(at("bare/deep"));
	symlinkSync("nowhere", at("bare/refs"));
	writeFileSync(at("bare/HEAD"), "");
	const places = ["inside", "bare/deep"].map(at);
	expect(await one.judged.bareRepository(places, signal)).toBe(at("bare/deep"));
	mkdirSync(at("bare/deep/.git"));
	expect(await one.judged.bareRepository(places, signal)).toBeUndefined();
});

overSsh("names that look like options, commands or several lines are only names", async () => {
	const { files, shell } = one.machine;
	mkdirSync(at("names"));
	const names = [
		"-rf",
		"--",
		"$(touch ran)",
		"`touch ran`",
		"a'b\"c",
		"two\nlines",
		"end\n",
		" ",
		"é*?",
		"\\0",
	];
	for (const name of names) {
		const path = at(join("names", name));
		expect(await write(files, path, () => name)).toBe("ok");
		expect(await write(files, path, (old) => `${old}!`)).toBe("ok");
		expect(readFileSync(path, "utf8")).toBe(`${name}!`);
		expect(await files.stat(path)).toMatchObject({ kind: "file" });
	}
	expect((await files.list(at("names"))).map(({ name }) => name).toSorted()).toEqual(names.toSorted());
	expect(readdirSync(at("names")).toSorted()).toEqual(names.toSorted());
	const found: string[] = [];
	await files.search({ pattern: "!", paths: [at("names")], cwd: at("names") }, (event) => {
		if (event.type === "match") found.push(event.path);
	});
	expect(found).toHaveLength(names.length);
	await using session = shell.session({ cwd: at("names"), env: {} });
	let output = "";
	const onOutput = (chunk: Uint8Array): void => void (output += Buffer.from(chunk).toString());
	const odd = join(at("names"), "a 'b'\n");
	mkdirSync(odd);
	await session.run({ command: "pwd", cwd: odd, timeoutMs, signal, onOutput });
	expect(output).toBe(`${odd}\n`);
	expect(existsSync(at("ran")) || existsSync(at("names/ran"))).toBe(false);
});

overSsh(
	"a profile that prints, and a shell that is strict, disturb nothing",
	async () => {
		const home = join(sshd.directory, "noisy");
		mkdirSync(home);
		writeFileSync(join(home, ".bashrc"), "printf 'noise\\0without an end'; echo more >&2\n");
		writeFileSync(join(home, ".bash_profile"), "printf profile; set -u -o noclobber; IFS=/\n");
		const variables = `HOME=${home} TMPDIR=${sshd.directory}/tmp BASH_ENV=${home}/.bashrc PERL_UNICODE=SDA`;
		const settings = [`SetEnv ${variables}`];
		await using server = await testSshd({ settings });
		await using box = await connectTo(server);
		expect(box.home).toBe(home);
		const path = join(server.work, "a");
		expect(await write(box.machine.files, path, () => "é")).toBe("ok");
		expect(await write(box.machine.files, path, (old) => `${old}é`)).toBe("ok");
		expect(readFileSync(path, "utf8")).toBe("éé");
		await using session = box.machine.shell.session({ cwd: server.work, env: {} });
		for (const command of ["echo one", "echo one"]) {
			let output = "";
			const onOutput = (chunk: Uint8Array): void => void (output += Buffer.from(chunk).toString());
			expect(await session.run({ command, timeoutMs, signal, onOutput })).toMatchObject({ exitCode: 0 });
			expect(output).toBe("one\n");
		}
	},
	timeoutMs,
);

overSsh(
	"a host key that has changed is refused, with the way out; so is an unknown one",
	async () => {
		await using server = await testSshd();
		const known = readFileSync(server.knownHosts, "utf8");
		const [, wrong = ""] = readFileSync(join(server.directory, "user_key.pub"), "utf8").split(" ");
		writeFileSync(server.knownHosts, known.replace(/AAAA\S+/, wrong));
		const changed = connectTo(server);
		await expect(changed).rejects.toThrow(/host key has changed \(now SHA256:.*ssh-keygen -f .* -R /);
		writeFileSync(server.knownHosts, "");
		await expect(connectTo(server)).rejects.toThrow("connect once with ssh box");
	},
	timeoutMs,
);
