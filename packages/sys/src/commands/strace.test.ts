import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { some } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { fixtureLines } from "./fixtures/read.ts";
import { commandFacts, matchesRule, parseCommandRule, type CommandFacts } from "./index.ts";

/** Where the commands run inside of the sandbox. */
const place = { cwd: "/tmp/strace/p", home: "/tmp/strace/home" };

/** Programs that known programs start as part of themselves. */
const helpers: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
	Object.entries({
		git: "git less pager sh basename sed gettext envsubst uname",
		tar: "sh gzip",
		zcat: "gzip",
		gunzip: "gzip",
		zgrep: "gzip grep sed sh",
		man: "less pager groff troff grotty nroff preconv tbl col locale zsoelim sh",
		which: "sh",
		yq: "jq",
		npm: "node",
		"apt-cache": "dpkg",
	}).map(([name, list]) => [name, list.split(" ")]),
);

const newest = 60;

const folder = await mkdtemp(join(tmpdir(), "tau-strace-"));
afterAll(() => rm(folder, { recursive: true, force: true }), 60_000);

/** One of five is about 100 commands and 120 attacks; the newest ones, which are the last, always run. */
const fixtures = (name: "strace.txt" | "attacks.txt"): string[] => {
	const lines = fixtureLines(name);
	return [...new Set([...some(lines, Math.ceil(lines.length / 5)), ...lines.slice(-newest)])];
};
const commands = fixtures("strace.txt");
/** Ways to change a file behind words that look harmless. */
const attacks = fixtures("attacks.txt");
const logOf = (index: number): string => join(folder, "logs", String(index).padStart(4, "0"));
let running: Promise<unknown> | undefined;

/** Runs all commands once, for both tests. */
function runAll(): Promise<unknown> {
	return (running ??= (async () => {
		for (const name of ["tree", "commands", "logs"]) await mkdir(join(folder, name));
		await makeTree(join(folder, "tree"));
		const scripts = [...commands, ...attacks].map((script, index) =>
			writeFile(join(folder, "commands", String(index).padStart(4, "0")), `${script}\n`),
		);
		await Promise.all(scripts);
		await Promise.all(["0", "1"].map(runShard));
	})());
}

async function makeTree(tree: string): Promise<void> {
	for (const name of ["src/lib", "backup", "empty", "logs"])
		await mkdir(join(tree, name), { recursive: true });
	const files: Record<string, string> = {
		"notes.txt": "hello world\nsecond line a/b\n\n# TODO: more\nlast line\n",
		"todo.txt": "one\ntwo\n",
		l: "a\n",
		m: "a\nb\n",
		"names.txt": "bob\nalice\nbob\ncarol\n",
		"data.csv": "name,count\na,3\nb,12\nc,7\n",
		"config.ini": "# comment\nkey=value\n",
		"app.log": "started\n",
		"-weird": "x\n",
		"src/main.c": "#include <stdio.h>\nint main(void) { return 0; }\n",
		"src/lib/util.c": "int f(void) { return 1; }\n",
		"src/lib/util.h": "int f(void);\n",
		"run.sh": "#!/bin/bash\necho run\nls > /dev/null\n",
		Makefile: "hello:\n\t@echo hello\n",
		evil: "a[$(touch pwned)]\n",
		"evil-list": "([$(touch pwned)]=1)\n",
		"evil-format": "-va[$(touch pwned)]\n",
		"evil-test": "-v a[$(touch${IFS}pwned)]\n",
		"fix.patch": "--- todo.txt\n+++ todo.txt\n@@ -1,2 +1,2 @@\n-one\n+uno\n two\n",
	};
	for (const [name, text] of Object.entries(files)) await writeFile(join(tree, name), text);
	await symlink("notes.txt", join(tree, "alink"));
	const script = `set -e; cd "$1"; chmod +x run.sh; gzip -c notes.txt > text.gz; tar czf archive.tgz todo.txt
		git init -q -b main; git config user.name t; git config user.email t@example.com; git add .; git commit -qm first
		find . -exec touch -h -d '2024-01-01' {} +`;
	const made = Bun.spawnSync(["bash", "-c", script, "_", tree]);
	if (made.exitCode !== 0) throw new Error(made.stderr.toString());
}

/** Programs that were started although neither the facts nor the helpers of a predicted program name them. */
function unpredictedIn(trace: string, facts: CommandFacts): string[] {
	const names = new Set(facts.programs.map(({ name }) => name));
	const open = new Set(facts.programs.filter(({ effect }) => effect === "exec").map(({ name }) => name));
	const calls = trace.split("\n").map((line) => /^(\d+)\s+(.*)$/u.exec(line) ?? []);
	// Read first: the return of a fork may stand behind what the child did.
	const parents = new Map<string, string>();
	for (const [, pid = "", call = ""] of calls) {
		const child = /(?:clone3?|v?fork)\b.*= (\d+)$/u.exec(call)?.[1];
		if (child !== undefined) parents.set(child, pid);
	}
	/** The predicted program that each process belongs to. */
	const owners = new Map<string, string>();
	const ownerOf = (pid: string): string | undefined => {
		const parent = parents.get(pid);
		return owners.get(pid) ?? (parent === undefined ? undefined : ownerOf(parent));
	};
	const pending = new Map<string, string>();
	const missed: string[] = [];
	for (const [, pid = "", call = ""] of calls) {
		const owner = ownerOf(pid);
		const path = /^execve\("((?:[^"\\]|\\.)*)"/u.exec(call)?.[1];
		if (path !== undefined) pending.set(pid, basename(path));
		if (!/^(?:execve\(|<\.\.\. execve resumed).*= 0$/u.test(call)) continue;
		const program = pending.get(pid) ?? "";
		if (owner === undefined || names.has(program)) owners.set(pid, program);
		else if (!open.has(owner) && !(helpers[owner] ?? []).includes(program) && !program.startsWith("git-"))
			missed.push(`${owner} started ${program}`);
	}
	return missed;
}

/** Files that differ from the tree as it was, without those that a listed write explains. */
function unlistedChanges(before: string, after: string, facts: CommandFacts): string[] {
	if (
		facts.programs.some(({ effect }) => effect === "exec") ||
		facts.writes.some(({ path }) => path === undefined)
	)
		return [];
	if (facts.programs.some(({ name, effect }) => name === "git" && effect === "write")) return [];
	const lines = (text: string): Map<string, string> =>
		new Map(text.split("\n").map((line) => [line.split("\t", 1)[0] ?? "", line]));
	const old = lines(before);
	const now = lines(after);
	// The time of a directory changes with its entries.
	const isSame = (name: string): boolean =>
		old.get(name) === now.get(name) || (now.get(name)?.split("\t")[1] === "d" && old.has(name));
	const changed = [...new Set([...old.keys(), ...now.keys()])].filter((name) => name !== "" && !isSame(name));
	return changed.filter((name) => {
		const path = join(place.cwd, name);
		return !facts.writes.some(
			(write) =>
				path === write.path ||
				path.startsWith(`${write.path}/`) ||
				write.path?.startsWith(`${path}/`) ||
				path.startsWith(`${write.path}.`),
		);
	});
}

/** Runs every second command. */
async function runShard(shard: string): Promise<void> {
	const bind = (kind: string, from: string, to: string): string[] => [kind, from, `/tmp/strace/${to}`];
	const sandbox = Bun.spawn(
		"bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-net --unshare-pid --die-with-parent"
			.split(" ")
			.concat(
				bind("--ro-bind", join(folder, "tree"), "tree"),
				bind("--ro-bind", join(folder, "commands"), "commands"),
			)
			.concat(bind("--bind", join(folder, "logs"), "logs"), ["--dir", place.home])
			.concat(bind("--ro-bind", new URL("fixtures/strace.sh", import.meta.url).pathname, "run.sh"))
			.concat("bash", "/tmp/strace/run.sh", shard, String(commands.length)),
		{ stdin: "ignore", stdout: "ignore", stderr: "pipe" },
	);
	const [code, errors] = await Promise.all([sandbox.exited, sandbox.stderr.text()]);
	if (code !== 0) throw new Error(errors);
}

describe("the kernel as strace", () => {
	needs("strace", "git", "a working bwrap")(
		"every program that a command starts and every file that it changes was predicted",
		async () => {
			await runAll();
			const before = await readFile(`${logOf(0)}.tree`, "utf8");
			let unknown = 0;
			const missed: string[] = [];
			for (const [index, command] of commands.entries()) {
				const facts = commandFacts(command, place);
				if (facts.unknown !== undefined) {
					unknown++;
					continue;
				}
				const log = logOf(index);
				const trace = await readFile(`${log}.trace`, "utf8");
				for (const started of unpredictedIn(trace, facts)) missed.push(`${command}: ${started}`);
				const after = await readFile(`${log}.tree`, "utf8");
				for (const name of unlistedChanges(before, after, facts)) missed.push(`${command}: changed ${name}`);
			}
			expect(missed).toEqual([]);
			expect(unknown / commands.length).toBeLessThan(0.1);
		},
		300_000,
	);

	needs("strace", "git", "a working bwrap")(
		"no command that really changes a file passes as reading, nor behind a rule for git log",
		async () => {
			await runAll();
			const rule = parseCommandRule("git log:*");
			if ("problem" in rule) throw new Error(rule.problem);
			const before = await readFile(`${logOf(0)}.tree`, "utf8");
			const passed: string[] = [];
			let effective = 0;
			for (const [index, attack] of attacks.entries()) {
				const after = await readFile(`${logOf(commands.length + index)}.tree`, "utf8");
				if (before === after) continue;
				effective++;
				const { programs, writes, unknown } = commandFacts(attack, place);
				const isAllowed = programs.every((run) => run.effect === "read" || matchesRule(rule, run));
				if (isAllowed && writes.length === 0 && unknown === undefined) passed.push(attack);
			}
			expect(passed).toEqual([]);
			expect(effective).toBeGreaterThan(attacks.length * 0.6);
		},
		300_000,
	);

	test("the commands are many, and different", () => {
		expect(new Set(commands).size).toBe(commands.length);
		expect(fixtureLines("strace.txt").length).toBeGreaterThan(300);
	});
});
