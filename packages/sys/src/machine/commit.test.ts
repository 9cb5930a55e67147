/** A file is replaced completely or stays unchanged, keeps its attributes, and several change together or not at all. */
import { describe, expect, test } from "bun:test";
import {
	chmodSync,
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { testToolEnv, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import type { FileChange, NewContent } from "./change.ts";
import { commit, type Committed } from "./commit.ts";
import { readEntry, readTextFile, readTextFileOrNone } from "./text-file.ts";

const isRoot = process.getuid?.() === 0;
const never = { signal: new AbortController().signal };

function change(env: TestToolEnv, name: string, text: string, more: Partial<NewContent> = {}): FileChange {
	const before = readTextFileOrNone(name, env.resolve(name));
	if (!before.ok) throw new Error(before.reason);
	const hasBom = before.text !== undefined && before.hasBom;
	return { before, after: { text, hasBom, ...more } };
}

function removal(env: TestToolEnv, name: string): FileChange {
	const before = readEntry(name, env.resolve(name));
	if (!before.ok) throw new Error(before.reason);
	return { before };
}

const write = (env: TestToolEnv, name: string, text: string): Promise<Committed> =>
	commit([change(env, name, text)], never);
const content = (env: TestToolEnv, name: string) => readFileSync(env.resolve(name), "utf8");
const names = (env: TestToolEnv) => readdirSync(env.cwd).toSorted();

describe("a file that is replaced", () => {
	test("keeps its permissions", async () => {
		await using env = await testToolEnv();
		const path = env.resolve("a");
		writeFileSync(path, "old");
		for (const mode of [0o755, 0o600, 0o664, 0o4711]) {
			chmodSync(path, mode);
			expect(await write(env, "a", `mode ${mode}`)).toMatchObject({ ok: true });
			expect(statSync(path).mode & 0o7777).toBe(mode);
		}
	});

	test("keeps its byte order mark and its line endings", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("a"), "\ufeffone\r\ntwo\r\n");
		const file = readTextFile("a", env.resolve("a"));
		expect(file).toMatchObject({ text: "one\r\ntwo\r\n", hasBom: true });
		await write(env, "a", "three\r\n");
		expect(content(env, "a")).toBe("\ufeffthree\r\n");
	});

	test("behind a link: the link is kept, also through several links and directories", async () => {
		await using env = await testToolEnv();
		mkdirSync(env.resolve("real"));
		writeFileSync(env.resolve("real/a"), "old");
		symlinkSync("real", env.resolve("dir"));
		symlinkSync("dir/a", env.resolve("one"));
		symlinkSync(env.resolve("one"), env.resolve("two"));
		await write(env, "two", "new");
		expect(content(env, "real/a")).toBe("new");
		const links = [readlinkSync(env.resolve("two")), readlinkSync(env.resolve("one"))];
		expect(links).toEqual([env.resolve("one"), "dir/a"]);
		const [through, direct] = ["two", "real/a"].map((name) => readTextFile(name, env.resolve(name)));
		expect(through?.ok && direct?.ok && through.target === direct.target).toBe(true);
	});

	test("behind a dangling link is created at its target", async () => {
		await using env = await testToolEnv();
		symlinkSync("later/a", env.resolve("link"));
		expect(await write(env, "link", "new")).toMatchObject({ ok: true });
		expect(lstatSync(env.resolve("link")).isSymbolicLink()).toBe(true);
		expect(content(env, "later/a")).toBe("new");
	});

	test("behind links in a cycle is refused", async () => {
		await using env = await testToolEnv();
		symlinkSync("b", env.resolve("a"));
		symlinkSync("a", env.resolve("b"));
		const found = readTextFile("a", env.resolve("a"));
		expect(found).toMatchObject({ ok: false, reason: "Cannot read a: a cycle of links" });
	});

	test("leaves its other hard links with the old text, and they are counted", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("a"), "old");
		linkSync(env.resolve("a"), env.resolve("b"));
		expect(readTextFile("a", env.resolve("a"))).toMatchObject({ links: 2 });
		await write(env, "a", "new");
		expect([content(env, "a"), content(env, "b")]).toEqual(["new", "old"]);
	});

	test("keeps its owner if the process may change owners", async () => {
		await using env = await testToolEnv();
		const path = env.resolve("a");
		writeFileSync(path, "old");
		if (isRoot) Bun.spawnSync(["chown", "1234:1235", path]);
		const { uid, gid } = statSync(path);
		await write(env, "a", "new");
		expect(statSync(path)).toMatchObject({ uid, gid });
	});
});

describe("a new file", () => {
	test("gets the missing directories", async () => {
		await using env = await testToolEnv();
		expect(await write(env, "x/y/z", "new")).toMatchObject({ ok: true });
		expect(content(env, "x/y/z")).toBe("new");
	});

	test("that is executable can be executed by everyone who may read it", async () => {
		await using env = await testToolEnv();
		await commit([change(env, "s", "#!/bin/sh\n", { executable: true })], never);
		const { mode } = statSync(env.resolve("s"));
		expect(mode & 0o111).toBe((mode & 0o444) >> 2);
	});

	test("is not written over one that appeared in the meantime", async () => {
		await using env = await testToolEnv();
		const planned = change(env, "a", "mine");
		writeFileSync(env.resolve("a"), "theirs");
		expect(await commit([planned], never)).toMatchObject({ ok: false, kind: "changed" });
		expect(content(env, "a")).toBe("theirs");
	});
});

describe("a failed write is reported, and nothing is lost", () => {
	test("a file that another program changed in the meantime", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("a"), "old");
		const planned = change(env, "a", "mine");
		writeFileSync(env.resolve("a"), "theirs");
		expect(await commit([planned], never)).toMatchObject({ ok: false, kind: "changed" });
		expect([content(env, "a"), names(env)]).toEqual(["theirs", ["a"]]);
	});

	test("a file that is marked read-only", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("a"), "old", { mode: 0o444 });
		const done = await write(env, "a", "new");
		// Root may write everything.
		const refused = { ok: false, kind: "denied", reason: "No permission to write a." };
		expect<object>(done).toMatchObject(isRoot ? { ok: true } : refused);
		expect(content(env, "a")).toBe(isRoot ? "new" : "old");
	});

	test("a file below a file", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("a"), "old");
		const before = readTextFileOrNone("a/b", env.resolve("a/b"));
		const done = before.ok ? await commit([{ before, after: { text: "x", hasBom: false } }], never) : before;
		expect(done).toMatchObject({ ok: false, reason: expect.stringContaining("is a file, not a directory") });
		expect(names(env)).toEqual(["a"]);
	});

	test("a directory, a pipe, a binary file, a file that is not UTF-8", async () => {
		await using env = await testToolEnv();
		mkdirSync(env.resolve("d"));
		Bun.spawnSync(["mkfifo", env.resolve("p")]);
		writeFileSync(env.resolve("b"), "a\0b");
		writeFileSync(env.resolve("l"), new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
		const kinds = ["d", "p", "b", "l", "none"].map((name) => {
			const found = readTextFile(name, env.resolve(name));
			return found.ok ? "ok" : found.kind;
		});
		expect(kinds).toEqual(["directory", "special", "binary", "encoding", "missing"]);
	});

	test("an aborted write", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("a"), "old");
		await expect(commit([change(env, "a", "new")], { signal: AbortSignal.abort() })).rejects.toThrow();
		expect([content(env, "a"), names(env)]).toEqual(["old", ["a"]]);
	});
});

describe("several files", () => {
	test("change together", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("a"), "a");
		writeFileSync(env.resolve("b"), "b");
		const changes = [change(env, "a", "A"), removal(env, "b"), change(env, "new/c", "c")];
		expect(await commit(changes, never)).toMatchObject({ ok: true });
		expect([content(env, "a"), content(env, "new/c"), names(env)]).toEqual(["A", "c", ["a", "new"]]);
	});

	test("stay as they were, down to the directories, when one cannot be written", async () => {
		await using env = await testToolEnv();
		for (const name of ["a", "b", "file"]) writeFileSync(env.resolve(name), name);
		const blocked: FileChange = {
			before: { ok: true, shown: "file/x", target: env.resolve("file/x"), text: undefined },
			after: { text: "x", hasBom: false },
		};
		const changes = [change(env, "a", "A"), removal(env, "b"), change(env, "new/deep/c", "c"), blocked];
		expect(await commit(changes, never)).toMatchObject({ ok: false });
		expect([content(env, "a"), content(env, "b"), names(env)]).toEqual(["a", "b", ["a", "b", "file"]]);
	});

	test("are put back when one fails after others were written", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("a"), "a", { mode: 0o640 });
		writeFileSync(env.resolve("b"), "b");
		mkdirSync(env.resolve("d"));
		const inode = statSync(env.resolve("a")).ino;
		// That a directory is at the path of the last file shows only when it is moved there.
		const changes = [
			change(env, "a", "A"),
			removal(env, "b"),
			change(env, "new", "file"),
			change(env, "other/x", "x"),
			overDirectory(env, "d"),
		];
		expect(await commit(changes, never)).toMatchObject({ ok: false });
		expect([content(env, "a"), content(env, "b"), names(env)]).toEqual(["a", "b", ["a", "b", "d"]]);
		expect(existsSync(env.resolve("other"))).toBe(false);
		expect(statSync(env.resolve("a")).ino).toBe(inode);
	});

	function overDirectory(env: TestToolEnv, name: string): FileChange {
		const target = env.resolve(name);
		const { ino, size, mtimeNs, ctimeNs } = statSync(target, { bigint: true });
		const stamp = `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
		const facts = { mode: 0o755, owner: { uid: 0, gid: 0 }, links: 1, stamp };
		return {
			before: { ok: true, shown: name, target, text: "", hasBom: false, ...facts },
			after: { text: "x", hasBom: false },
		};
	}

	test("deleting a link keeps its target", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("a"), "a");
		symlinkSync("a", env.resolve("link"));
		expect(await commit([removal(env, "link")], never)).toMatchObject({ ok: true });
		expect(names(env)).toEqual(["a"]);
	});

	test("binary files can be deleted too", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("b"), "a\0b");
		expect(await commit([removal(env, "b")], never)).toMatchObject({ ok: true });
		expect(names(env)).toEqual([]);
	});
});

const imports = `
	import { commit } from ${JSON.stringify(join(import.meta.dir, "commit.ts"))};
	import { readTextFile } from ${JSON.stringify(join(import.meta.dir, "text-file.ts"))};
	const never = { signal: new AbortController().signal };
`;

needs("bash", "prlimit")("a disk that runs full costs nothing", async () => {
	await using env = await testToolEnv();
	writeFileSync(env.resolve("a"), "old");
	const program = `${imports}
		const before = readTextFile("a", ${JSON.stringify(env.resolve("a"))});
		const done = await commit([{ before, after: { text: "x".repeat(100_000), hasBom: false } }], never);
		process.stdout.write(JSON.stringify(done));
	`;
	// The kernel writes part of the file here, as it does when a disk runs full.
	const limited = ["bash", "-c", `trap "" XFSZ; ulimit -S -f 16; exec "$@"`, "bash"];
	const child = Bun.spawn([...limited, process.execPath, "-e", program], {
		stdout: "pipe",
		cwd: import.meta.dir,
	});
	const [text] = await Promise.all([child.stdout.text(), child.exited]);
	expect(JSON.parse(text)).toMatchObject({ ok: false, reason: expect.stringContaining("Cannot write a") });
	expect([content(env, "a"), names(env)]).toEqual(["old", ["a"]]);
});

test("processes that increment a number in one file at the same time lose no increment", async () => {
	await using env = await testToolEnv();
	writeFileSync(env.resolve("count"), "0");
	const program = `${imports}
		for (let done = 0; done < 40; ) {
			const before = readTextFile("count", ${JSON.stringify(env.resolve("count"))});
			if (!before.ok) throw new Error(before.reason);
			const text = String(Number(before.text) + 1);
			const outcome = await commit([{ before, after: { text, hasBom: false } }], never);
			if (outcome.ok) done++;
			else if (outcome.kind !== "changed") throw new Error(outcome.reason);
		}
	`;
	const children = Array.from({ length: 3 }, () =>
		Bun.spawn([process.execPath, "-e", program], { stderr: "pipe", cwd: import.meta.dir }),
	);
	const ends = await Promise.all(
		children.map(async (child) => [await child.exited, await child.stderr.text()]),
	);
	expect(ends).toEqual([0, 0, 0].map((code) => [code, ""]));
	expect([content(env, "count"), names(env)]).toEqual(["120", ["count"]]);
});
