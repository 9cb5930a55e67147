/** Isolated trees: everything is visible, nothing reaches the project but by a merge, and nothing is lost. */
import { afterAll, beforeEach, describe, expect } from "bun:test";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { localMachine } from "@tau/sys";
import { runAsUser } from "../sandbox/testing/as-user.ts";
import { isolate, leftoverTrees, reopenTree } from "./isolate.ts";
import type { IsolatedTree, IsolateOptions, IsolationMode } from "./types.ts";

const base = mkdtempSync(join(tmpdir(), "tau-isolation-"));
afterAll(() => {
	// The kernel leaves directories of overlays that their owner cannot list.
	Bun.spawnSync(["chmod", "-R", "u+rwX", base]);
	rmSync(base, { recursive: true, force: true });
});

const signal = new AbortController().signal;
let count = 0;
let root = "";
let trees = "";

beforeEach(() => {
	const home = join(base, `${++count}`);
	root = join(home, "project");
	trees = join(home, "trees");
	mkdirSync(root, { recursive: true });
});

function write(path: string, text: string | Uint8Array): void {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), text);
}

function read(path: string): string {
	return readFileSync(join(root, path), "utf8");
}

function git(...args: string[]): string {
	const { stdout, stderr, exitCode } = Bun.spawnSync(
		["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always", ...args],
		{ cwd: root, env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" } },
	);
	if (exitCode !== 0) throw new Error(stderr.toString());
	return stdout.toString();
}

/** A repository with a committed, a changed, a deleted, an untracked and an ignored file. */
function dirtyRepository(): void {
	git("init", "-q", "-b", "main");
	write(".gitignore", "ignored/\n");
	write("kept.txt", "one\ntwo\nthree\nfour\nfive\n");
	write("changed.txt", "old\n");
	write("deleted.txt", "gone\n");
	write("dir/moved.txt", "a file that moves\n");
	write("picture.bin", new Uint8Array([0, 1, 2, 255]));
	symlinkSync("kept.txt", join(root, "link"));
	git("add", "-A");
	git("commit", "-qm", "first");
	write("changed.txt", "new\n");
	rmSync(join(root, "deleted.txt"));
	write("untracked.txt", "untracked\n");
	write("latin.txt", new Uint8Array([0xe9, 10]));
	write("ignored/dependency.js", "ignored\n");
}

/** Waits until the versions that the tree began with are known. */
async function recorded(tree: IsolatedTree): Promise<void> {
	const end = Date.now() + 60_000;
	while (!existsSync(join(tree.directory, "base.json"))) {
		if (Date.now() > end) throw new Error("The first versions were never recorded.");
		await Bun.sleep(5);
	}
}

function open(mode: IsolationMode, more: Partial<IsolateOptions> = {}): Promise<IsolatedTree> {
	return isolate(localMachine(), {
		root,
		cwd: root,
		mode,
		directory: trees,
		isTrusted: true,
		signal,
		...more,
	});
}

async function run(tree: IsolatedTree, command: string): Promise<string> {
	let output = "";
	const env = { PATH: process.env.PATH ?? "", HOME: base, GIT_CONFIG_GLOBAL: "/dev/null" };
	const onOutput = (chunk: Uint8Array): void => void (output += new TextDecoder().decode(chunk));
	const timeoutMs = 20_000;
	const { exitCode } = await tree.machine.shell.run({
		command,
		cwd: tree.cwd,
		env,
		signal,
		timeoutMs,
		onOutput,
	});
	if (exitCode !== 0) throw new Error(`${command}: ${output}`);
	return output;
}

async function edit(tree: IsolatedTree, path: string, text: string): Promise<void> {
	const { files } = tree.machine;
	const before = await files.readText(path, join(tree.cwd, path));
	if (!before.ok) throw new Error(before.reason);
	const done = await files.commit([{ before, after: { text, hasBom: false } }], { signal });
	if (!done.ok) throw new Error(done.reason);
}

/** All files of the project with their contents, without git's own. */
function snapshot(path = root): Record<string, string> {
	return Object.fromEntries(
		readdirSync(path, { withFileTypes: true }).flatMap((entry): [string, string][] => {
			const at = join(path, entry.name);
			if (entry.name === ".git") return [];
			if (entry.isDirectory()) return Object.entries(snapshot(at));
			if (entry.isSymbolicLink()) return [[at, `-> ${readlinkSync(at)}`]];
			return [[at, `${lstatSync(at).mode & 0o777} ${readFileSync(at).toString("base64")}`]];
		}),
	);
}

describe.each(["overlay", "worktree", "copy"] as const)("%s", (mode) => {
	const test = needs("git", ...(mode === "overlay" ? ["overlay"] : []));

	test("shows uncommitted and untracked files, to commands and to file tools", async () => {
		dirtyRepository();
		await using tree = await open(mode, { include: ["ignored"] });
		expect(tree.mode).toBe(mode);
		expect(
			await run(
				tree,
				"cat changed.txt untracked.txt ignored/dependency.js; readlink link; ls deleted.txt || true",
			),
		).toBe("new\nuntracked\nignored\nkept.txt\nls: cannot access 'deleted.txt': No such file or directory\n");
		const { files } = tree.machine;
		expect(await files.readText("u", join(tree.cwd, "untracked.txt"))).toMatchObject({ text: "untracked\n" });
		expect([...(await files.read(join(tree.cwd, "latin.txt"), { signal, maxBytes: 9 }))]).toEqual([0xe9, 10]);
		expect((await files.list(tree.cwd)).map(({ name }) => name)).toContain("changed.txt");
		expect(await tree.changes(signal)).toEqual({ files: [], isCut: false });
	});

	test("file tools and commands see each other's changes, and the project sees neither", async () => {
		dirtyRepository();
		const before = snapshot();
		await using tree = await open(mode);
		await run(tree, "echo by-command > made.txt; mkdir -p deep/er && echo x > deep/er/file.ts");
		expect(await tree.machine.files.readText("m", join(tree.cwd, "made.txt"))).toMatchObject({
			text: "by-command\n",
		});
		await edit(tree, "made.txt", "by-tool\n");
		expect(await run(tree, "cat made.txt")).toBe("by-tool\n");
		const found = await tree.machine.files.glob({ pattern: "**/*.ts", root: tree.cwd });
		expect(found.root).toBe(tree.cwd);
		expect(found.entries.map(({ path }) => path)).toEqual(["deep/er/file.ts"]);
		const matches: string[] = [];
		const outcome = await tree.machine.files.search(
			{ pattern: "by-tool", paths: [tree.cwd], cwd: tree.cwd },
			(event) => {
				if (event.type === "match") matches.push(event.path);
			},
		);
		expect(outcome).toMatchObject({ ok: true, problems: [] });
		expect(matches).toEqual([join(tree.cwd, "made.txt")]);
		expect(snapshot()).toEqual(before);
		expect((await tree.merge({ signal })).conflicts).toEqual([]);
		expect(read("made.txt")).toBe("by-tool\n");
	});

	test("merges new, changed, deleted, moved and binary files, modes and links", async () => {
		dirtyRepository();
		const index = readFileSync(join(root, ".git/index"));
		{
			await using tree = await open(mode);
			await run(
				tree,
				[
					"echo more >> kept.txt",
					"rm untracked.txt",
					"mkdir new && mv dir/moved.txt new/name.txt && rmdir dir",
					"printf '\\000\\377' > picture.bin",
					"printf '#!/bin/sh\\n' > script.sh && chmod 755 script.sh",
					"ln -s script.sh other && ln -sfn changed.txt link",
					"chmod 600 changed.txt",
					"git add -A && git -c user.name=t -c user.email=t@t commit -qm inside",
				].join(" && "),
			);
			const { files } = await tree.changes(signal);
			expect(files).toContainEqual({ path: "new/name.txt", kind: "renamed", renamedFrom: "dir/moved.txt" });
			const outcome = await tree.merge({ signal });
			expect(outcome).toMatchObject({ conflicts: [] });
			expect(outcome.merged.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
				"changed changed.txt",
				"changed kept.txt",
				"changed link",
				"renamed new/name.txt",
				"created other",
				"changed picture.bin",
				"created script.sh",
				"deleted untracked.txt",
			]);
			expect((await tree.changes(signal)).files).toEqual([]);
		}
		expect(read("kept.txt")).toEndWith("five\nmore\n");
		expect(existsSync(join(root, "untracked.txt"))).toBe(false);
		expect(existsSync(join(root, "dir"))).toBe(false);
		expect(read("new/name.txt")).toBe("a file that moves\n");
		expect([...readFileSync(join(root, "picture.bin"))]).toEqual([0, 255]);
		expect(statSync(join(root, "script.sh")).mode & 0o777).toBe(0o755);
		expect(statSync(join(root, "changed.txt")).mode & 0o777).toBe(0o600);
		expect([readlinkSync(join(root, "link")), readlinkSync(join(root, "other"))]).toEqual([
			"changed.txt",
			"script.sh",
		]);
		// The commit that the agent made is its own.
		expect(git("log", "--format=%s").trim()).toBe("first");
		expect(readFileSync(join(root, ".git/index")).equals(index)).toBe(true);
		expect(readdirSync(trees)).toEqual([]);
		expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
	});

	test("merges what both sides changed line by line, and reports what overlaps", async () => {
		dirtyRepository();
		const atStart = new Map([
			["kept.txt", read("kept.txt")],
			["changed.txt", read("changed.txt")],
		]);
		await using tree = await open(mode, {
			contentAt: (path) => {
				const text = atStart.get(path.slice(root.length + 1));
				return text === undefined ? undefined : { kind: "file", bytes: Buffer.from(text), mode: 0o644 };
			},
		});
		await edit(tree, "kept.txt", "one\ntwo\nthree\nfour\nFIVE\n");
		await edit(tree, "changed.txt", "agent\n");
		await Bun.sleep(12);
		write("kept.txt", "ONE\ntwo\nthree\nfour\nfive\n");
		write("changed.txt", "project\n");
		const { merged, conflicts } = await tree.merge({ signal });
		expect(merged.map(({ path }) => path)).toEqual(["kept.txt"]);
		expect(read("kept.txt")).toBe("ONE\ntwo\nthree\nfour\nFIVE\n");
		expect(conflicts).toEqual([
			{
				path: "changed.txt",
				reason: "both have changed the same lines",
				marked: "<<<<<<< project\nproject\n=======\nagent\n>>>>>>> agent\n",
			},
		]);
		expect(read("changed.txt")).toBe("project\n");
	});

	test("merges with what the user changed in an editor meanwhile, committed or not, now or later", async () => {
		git("init", "-q", "-b", "main");
		const lines = (changes: Readonly<Record<number, string>> = {}) =>
			Array.from({ length: 20 }, (_, at) => `${changes[at + 1] ?? `line ${at + 1}`}\n`).join("");
		for (const name of ["committed.txt", "dirty.txt", "deleted.txt"]) write(name, lines());
		git("add", "-A");
		git("commit", "-qm", "first");
		write("dirty.txt", lines({ 10: "not committed" }));
		write("untracked.txt", lines());
		let left = "";
		{
			await using tree = await open(mode);
			left = tree.directory;
			for (const name of ["committed.txt", "deleted.txt"]) await edit(tree, name, lines({ 3: "agent" }));
			await run(tree, "sed -i '3s/.*/agent/' dirty.txt untracked.txt");
			await recorded(tree);
			write("committed.txt", lines({ 16: "editor" }));
			write("untracked.txt", lines({ 16: "editor" }));
			rmSync(join(root, "deleted.txt"));
			const { merged, conflicts } = await tree.merge({ signal });
			expect(merged.map(({ path }) => path)).toEqual(["committed.txt", "dirty.txt", "untracked.txt"]);
			expect(conflicts.map(({ path }) => path)).toEqual(["deleted.txt"]);
			await run(tree, "sed -i '4s/.*/again/' dirty.txt");
		}
		for (const name of ["committed.txt", "untracked.txt"])
			expect(read(name)).toBe(lines({ 3: "agent", 16: "editor" }));
		write("dirty.txt", lines({ 10: "not committed", 16: "editor" }));
		await using tree = await reopenTree(localMachine(), left, signal);
		await tree.merge({ signal });
		expect(read("dirty.txt")).toBe(lines({ 3: "agent", 4: "again", 10: "not committed", 16: "editor" }));
		rmSync(join(root, "deleted.txt"), { force: true });
		await run(tree, "rm deleted.txt");
	});

	test("a tree with changes is kept, found, and merged later", async () => {
		dirtyRepository();
		{
			await using tree = await open(mode, { label: "writer" });
			await edit(tree, "kept.txt", "work\n");
			expect(leftoverTrees(trees)).toEqual([]);
		}
		const [left, ...others] = leftoverTrees(trees);
		expect(others).toEqual([]);
		expect(left?.record).toMatchObject({ mode, root, label: "writer" });
		{
			await using tree = await reopenTree(localMachine(), left?.path ?? "", signal);
			expect((await tree.changes(signal)).files).toEqual([{ path: "kept.txt", kind: "changed" }]);
			expect((await tree.merge({ signal })).conflicts).toEqual([]);
		}
		expect(read("kept.txt")).toBe("work\n");
		expect(leftoverTrees(trees)).toEqual([]);
	});

	test("files of submodules are merged, and those that git ignores are not", async () => {
		dirtyRepository();
		const other = join(base, `${count}-library`);
		mkdirSync(other);
		git("-C", other, "init", "-q", "-b", "main");
		writeFileSync(join(other, "lib.c"), "int one;\n");
		git("-C", other, "add", "-A");
		git("-C", other, "commit", "-qm", "library");
		git("submodule", "--quiet", "add", other, "lib");
		git("commit", "-qm", "with a library");
		write("lib/dirty.c", "int dirty;\n");
		await using tree = await open(mode);
		expect(await run(tree, "cat lib/lib.c lib/dirty.c")).toBe("int one;\nint dirty;\n");
		await run(tree, "echo 'int two;' >> lib/lib.c; mkdir -p ignored; echo built > ignored/out.js");
		expect((await tree.merge({ signal })).merged).toEqual([{ path: "lib/lib.c", kind: "changed" }]);
		expect(read("lib/lib.c")).toBe("int one;\nint two;\n");
		expect(existsSync(join(root, "ignored/out.js"))).toBe(false);
	});
});

describe.each(["overlay", "copy"] as const)("%s", (mode) => {
	const test = needs(...(mode === "overlay" ? ["overlay"] : []));

	test("works without git", async () => {
		write("a.txt", "a\n");
		await using tree = await open(mode);
		await run(tree, "echo b > b.txt; rm a.txt");
		const { merged } = await tree.merge({ signal });
		expect(merged).toEqual([
			{ path: "a.txt", kind: "deleted" },
			{ path: "b.txt", kind: "created" },
		]);
		expect(readdirSync(root)).toEqual(["b.txt"]);
	});
});

needs("overlay")("a link to the project's own path stays in the tree", async () => {
	write("target.txt", "old\n");
	symlinkSync(join(root, "target.txt"), join(root, "absolute"));
	await using tree = await open("overlay");
	await edit(tree, "absolute", "new\n");
	expect(read("target.txt")).toBe("old\n");
	expect(await run(tree, "cat target.txt absolute")).toBe("new\nnew\n");
	expect(await tree.machine.files.realpath(join(root, "absolute"))).toBe(join(root, "target.txt"));
	expect(await tree.machine.files.stat(join(root, "absolute"))).toMatchObject({ size: 4 });
});

needs("overlay")("a directory that became a link is not written through", async () => {
	const outside = join(base, `${count}-outside`);
	mkdirSync(outside);
	write("dir/file.txt", "old\n");
	await using tree = await open("overlay");
	await edit(tree, "dir/file.txt", "new\n");
	rmSync(join(root, "dir"), { recursive: true });
	symlinkSync(outside, join(root, "dir"));
	const { conflicts, merged } = await tree.merge({ signal });
	expect(merged).toEqual([]);
	expect(conflicts).toMatchObject([{ path: "dir/file.txt" }]);
	expect(readdirSync(outside)).toEqual([]);
});

needs("git", "overlay")("where no overlay can be mounted, the next kind is used and says why", async () => {
	dirtyRepository();
	await using tree = await open("auto", { directory: join(root, "ignored/trees") });
	expect(tree.mode).toBe("worktree");
	expect(tree.reason).toContain("the directory for trees is inside of the project");
	await using other = await open("auto", { directory: trees });
	expect(other.mode).toBe("overlay");
});

needs("overlay")("a directory that its owner cannot list is deleted with the tree", async () => {
	write("a.txt", "a\n");
	{
		await using tree = await open("overlay");
		await run(tree, "mkdir closed && chmod 000 closed");
		expect(await tree.changes(signal)).toMatchObject({ files: [] });
	}
	expect(readdirSync(trees)).toEqual([]);
});

const asUser = needs("root", "setpriv", "unshare", "git", "overlay");

asUser(
	"all of this holds for a user without rights",
	async () => {
		const { code, report } = await runAsUser(import.meta.path);
		expect(`${code} ${code === 0 ? "" : report}`).toBe("0 ");
	},
	180_000,
);
