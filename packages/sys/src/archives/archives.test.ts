import { describe, expect, test } from "bun:test";
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { unzipSync, zipSync, type Zippable } from "fflate";
import { samples } from "../../../../test/support/depth.ts";
import { limits } from "../limits.ts";
import { localMachine } from "../machine/index.ts";
import { addToArchive, listArchive, readArchiveEntry } from "./archive-file.ts";
import { archiveKind } from "./index.ts";

/** Adds one file to an archive on disk, as the `write` tool does. */
async function writeArchiveEntry(path: string, entry: string, content: Uint8Array | string) {
	const { files } = localMachine();
	const signal = new AbortController().signal;
	const there = await files.stat(path);
	const before = there
		? await files.readEntry(path, await files.realpath(path))
		: await files.readText(path, path);
	if (!before.ok) return before;
	const old = there ? await files.read(path, { signal, maxBytes: limits.archiveBytes }) : undefined;
	const made = await addToArchive(path, old, entry, content);
	if (!made.ok) return made;
	const after = { text: "", hasBom: false, bytes: made.bytes };
	const done = await files.commit([{ before, after }], { signal });
	return done.ok ? { ok: true as const, created: old === undefined } : done;
}

interface Folder extends AsyncDisposable {
	path: string;
	at(name: string): string;
}

async function folder(): Promise<Folder> {
	const path = await mkdtemp(join(tmpdir(), "tau-archives-"));
	return {
		path,
		at: (name) => join(path, name),
		[Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
	};
}

async function run(cwd: string, ...command: string[]): Promise<string> {
	const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe" });
	const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	if (code !== 0) throw new Error(`${command.join(" ")}: ${err}`);
	return out;
}

/** A tree with what archives have trouble with, packed by the real tar. */
async function packed(at: Folder, archive: string): Promise<string> {
	const long = `${"deep/".repeat(30)}file-with-a-name.txt`;
	await mkdir(at.at(`tree/${"deep/".repeat(30)}`), { recursive: true });
	await Bun.write(at.at("tree/a.txt"), "alpha\n");
	await Bun.write(at.at("tree/empty"), "");
	await Bun.write(at.at("tree/grüße.txt"), "hallo");
	await Bun.write(at.at(`tree/${long}`), "deep down");
	await Bun.write(at.at("tree/run.sh"), "#!/bin/sh\n");
	await chmod(at.at("tree/run.sh"), 0o755);
	await symlink("/etc/passwd", at.at("tree/link"));
	const flags = archive.endsWith("gz") ? "-czf" : "-cf";
	await run(at.path, "tar", flags, archive, "-C", "tree", ".");
	return at.at(archive);
}

async function text(path: string, entry: string): Promise<string> {
	const result = await readArchiveEntry(path, entry);
	if (!result.ok) throw new Error(result.message);
	return new TextDecoder().decode(result.bytes);
}

async function paths(path: string): Promise<string[]> {
	const result = await listArchive(path);
	if (!result.ok) throw new Error(result.message);
	return result.entries.map((entry) => entry.path);
}

const bytes = (label: string): Uint8Array => new TextEncoder().encode(label);

test("the name determines the kind of a new archive", () => {
	expect(["a.zip", "b.TAR", "c.tar.gz", "d.tgz", "e.gz", "zip"].map(archiveKind)).toEqual([
		"zip",
		"tar",
		"tar.gz",
		"tar.gz",
		undefined,
		undefined,
	]);
});

describe.each(["a.tar", "a.tar.gz", "a.tgz"])("%s", (name) => {
	test("lists and reads what the real tar packed", async () => {
		await using at = await folder();
		const archive = await packed(at, name);
		const long = `${"deep/".repeat(30)}file-with-a-name.txt`;
		const listed = await listArchive(archive);
		const entries = listed.ok ? listed.entries : [];
		expect(entries.find(({ path }) => path === "a.txt")).toEqual({ path: "a.txt", kind: "file", size: 6 });
		expect(entries.find(({ path }) => path === "deep")?.kind).toBe("directory");
		expect(entries.find(({ path }) => path === "link")).toMatchObject({
			kind: "link",
			target: "/etc/passwd",
		});
		expect(await text(archive, "a.txt")).toBe("alpha\n");
		expect(await text(archive, "./empty")).toBe("");
		expect(await text(archive, "grüße.txt")).toBe("hallo");
		expect(await text(archive, long)).toBe("deep down");
	});

	test("the real tar unpacks what was written, with everything else unchanged", async () => {
		await using at = await folder();
		const archive = await packed(at, name);
		const long = `${"n/".repeat(60)}new.txt`;
		expect(await writeArchiveEntry(archive, "run.sh", "#!/bin/bash\n")).toEqual({ ok: true, created: false });
		expect(await writeArchiveEntry(archive, "sub/neu-ä.txt", bytes("x".repeat(513)))).toMatchObject({
			ok: true,
		});
		expect(await writeArchiveEntry(archive, long, "long")).toMatchObject({ ok: true });
		await mkdir(at.at("out"));
		await run(at.path, "tar", "-xf", archive, "-C", "out");
		expect(await Bun.file(at.at("out/run.sh")).text()).toBe("#!/bin/bash\n");
		expect((await stat(at.at("out/run.sh"))).mode & 0o777).toBe(0o755);
		expect((await lstat(at.at("out/link"))).isSymbolicLink()).toBe(true);
		expect(await Bun.file(at.at("out/sub/neu-ä.txt")).text()).toBe("x".repeat(513));
		expect(await Bun.file(at.at(`out/${long}`)).text()).toBe("long");
		expect(await Bun.file(at.at("out/a.txt")).text()).toBe("alpha\n");
		expect((await paths(archive)).filter((path) => path === "run.sh")).toHaveLength(1);
	});

	test("names that the old format stores in two parts are joined", async () => {
		await using at = await folder();
		const long = `${"long-folder/".repeat(9)}file.txt`;
		await Bun.write(at.at(`tree/${long}`), "found");
		const flags = name.endsWith("gz") ? "-czf" : "-cf";
		await run(at.path, "tar", "--format=ustar", flags, name, "-C", "tree", ".");
		expect(await text(at.at(name), long)).toBe("found");
	});

	test("a new archive is created, with its directory", async () => {
		await using at = await folder();
		const archive = at.at(`new/folder/${name}`);
		expect(await writeArchiveEntry(archive, "one.txt", "1")).toEqual({ ok: true, created: true });
		expect(await run(at.path, "tar", "-tf", archive)).toBe("one.txt\n");
	});
});

describe("zip", () => {
	const tree: Zippable = {
		"a.txt": [bytes("alpha\n"), { level: 9 }],
		"stored.bin": [new Uint8Array(100), { level: 0 }],
		"sub/": new Uint8Array(),
		"sub/grüße.txt": bytes("hallo"),
		"run.sh": [bytes("#!/bin/sh\n"), { os: 3, attrs: (0o100755 << 16) >>> 0 }],
		link: [bytes("/etc/passwd"), { os: 3, attrs: (0o120777 << 16) >>> 0 }],
	};

	async function zipped(at: Folder): Promise<string> {
		const bare = Buffer.from(zipSync(tree));
		bare.writeUInt16LE(4, bare.length - 2);
		await Bun.write(at.at("a.zip"), Buffer.concat([bare, Buffer.from("kept")]));
		return at.at("a.zip");
	}

	test("lists and reads what another library packed", async () => {
		await using at = await folder();
		const archive = await zipped(at);
		expect(await listArchive(archive)).toEqual({
			ok: true,
			entries: [
				{ path: "a.txt", kind: "file", size: 6 },
				{ path: "stored.bin", kind: "file", size: 100 },
				{ path: "sub", kind: "directory", size: 0 },
				{ path: "sub/grüße.txt", kind: "file", size: 5 },
				{ path: "run.sh", kind: "file", size: 10 },
				{ path: "link", kind: "link", size: 11 },
			],
		});
		expect(await text(archive, "a.txt")).toBe("alpha\n");
		expect(await text(archive, "sub/grüße.txt")).toBe("hallo");
		expect(await text(archive, "stored.bin")).toBe("\0".repeat(100));
	});

	test("another library unpacks what was written, with everything else unchanged", async () => {
		await using at = await folder();
		const archive = await zipped(at);
		const before = await listArchive(archive);
		expect(await writeArchiveEntry(archive, "run.sh", "#!/bin/bash\n")).toEqual({ ok: true, created: false });
		expect(await writeArchiveEntry(archive, "new/ü.txt", "x".repeat(5000))).toMatchObject({ ok: true });
		const unpacked = unzipSync(await Bun.file(archive).bytes());
		expect(Object.keys(unpacked).toSorted()).toEqual([...Object.keys(tree), "new/ü.txt"].toSorted());
		expect(new TextDecoder().decode(unpacked["run.sh"])).toBe("#!/bin/bash\n");
		expect(unpacked["new/ü.txt"]).toHaveLength(5000);
		expect(unpacked["stored.bin"]).toEqual(new Uint8Array(100));
		const after = await listArchive(archive);
		const kinds = (list: typeof after): string[] => (list.ok ? list.entries.map(({ kind }) => kind) : []);
		expect(kinds(after).slice(0, 6)).toEqual(kinds(before));
		const raw = Buffer.from(await Bun.file(archive).bytes());
		expect(raw.toString("latin1").endsWith("kept")).toBe(true);
		// The mode is in the upper half of the attributes, eight bytes before the name of the entry's last record.
		const name = raw.lastIndexOf("run.sh");
		expect(raw.readUInt32LE(name - 8) >>> 16).toBe(0o100755);
	});

	test("an archive with a program in front of it is read and written", async () => {
		await using at = await folder();
		const archive = await zipped(at);
		const plain = await Bun.file(archive).bytes();
		await Bun.write(archive, Buffer.concat([Buffer.from("#!/bin/sh\nexit\n"), plain]));
		expect(await text(archive, "a.txt")).toBe("alpha\n");
		expect(await writeArchiveEntry(archive, "b.txt", "beta")).toMatchObject({ ok: true });
		expect(await text(archive, "sub/grüße.txt")).toBe("hallo");
		expect((await Bun.file(archive).text()).startsWith("#!/bin/sh")).toBe(true);
		const unpacked = unzipSync(await Bun.file(archive).bytes());
		expect(new TextDecoder().decode(unpacked["b.txt"])).toBe("beta");
	});

	test("an encrypted entry is named as such", async () => {
		await using at = await folder();
		const locked = Buffer.from(zipSync({ "secret.txt": bytes("hush") }));
		locked.writeUInt16LE(1, 6);
		locked.writeUInt16LE(1, locked.indexOf("PK\x01\x02", 0, "latin1") + 8);
		await Bun.write(at.at("a.zip"), locked);
		expect(await listArchive(at.at("a.zip"))).toMatchObject({ ok: true, entries: [{ encrypted: true }] });
		const read = await readArchiveEntry(at.at("a.zip"), "secret.txt");
		expect(read).toMatchObject({ ok: false, problem: "encrypted" });
	});

	test("an entry that unpacks to more than it declares, or to other bytes, is rejected", async () => {
		await using at = await folder();
		const bomb = Buffer.from(zipSync({ big: [new Uint8Array(5_000_000), { level: 9 }] }));
		bomb.writeUInt32LE(10, bomb.indexOf("PK\x01\x02", 0, "latin1") + 24);
		await Bun.write(at.at("bomb.zip"), bomb);
		const stopped = await readArchiveEntry(at.at("bomb.zip"), "big");
		expect(stopped).toMatchObject({ ok: false, problem: "damaged" });
		// It is not unpacked and then measured, but stopped at the declared size.
		expect(stopped.ok ? "" : stopped.message).toContain("cannot unpack");

		const huge = Buffer.from(zipSync({ big: bytes("x") }));
		huge.writeUInt32LE(limits.archiveEntryBytes + 1, huge.indexOf("PK\x01\x02", 0, "latin1") + 24);
		await Bun.write(at.at("huge.zip"), huge);
		expect(await readArchiveEntry(at.at("huge.zip"), "big")).toMatchObject({
			ok: false,
			problem: "too-large",
		});

		const changed = Buffer.from(zipSync({ note: [bytes("hello"), { level: 0 }] }));
		changed.write("jello", changed.indexOf("hello"));
		await Bun.write(at.at("changed.zip"), changed);
		expect(await readArchiveEntry(at.at("changed.zip"), "note")).toMatchObject({
			ok: false,
			problem: "damaged",
		});
	});
});

describe("what archives try", () => {
	test.each(["../evil", "/etc/evil", "a/../../evil", "C:\\evil", "", ".", "a\0b", "dir/"])(
		"no entry is written to %j",
		async (entry) => {
			await using at = await folder();
			expect(await writeArchiveEntry(at.at("a.zip"), entry, "x")).toMatchObject({ ok: false });
			expect(await readdir(at.path)).toEqual([]);
		},
	);

	test("an entry that leads out of the archive is listed unchanged and reads as bytes, nothing else", async () => {
		await using at = await folder();
		await Bun.write(at.at("a.zip"), zipSync({ "../../etc/passwd": bytes("mine"), "/abs": bytes("abs") }));
		expect(await paths(at.at("a.zip"))).toEqual(["../../etc/passwd", "/abs"]);
		expect(await text(at.at("a.zip"), "../../etc/passwd")).toBe("mine");
	});

	test("a link is named and not followed, nor replaced", async () => {
		await using at = await folder();
		const archive = await packed(at, "a.tar");
		const read = await readArchiveEntry(archive, "link");
		expect(read).toMatchObject({ ok: false, problem: "not-a-file" });
		expect(read.ok ? "" : read.message).toContain("/etc/passwd");
		expect(await writeArchiveEntry(archive, "link", "x")).toMatchObject({ ok: false, problem: "not-a-file" });
	});

	test("a gzip bomb is stopped at the bound", async () => {
		await using at = await folder();
		const member = gzipSync(Buffer.alloc(64 * 1024 * 1024));
		// Members of one gzip file are unpacked one after the other.
		await Bun.write(at.at("a.tgz"), Buffer.concat(Array.from({ length: 5 }, () => member)));
		expect(await listArchive(at.at("a.tgz"))).toMatchObject({ ok: false, problem: "too-large" });
	});
});

describe("refusals are values", () => {
	test("a path that is missing, not an archive, or truncated", async () => {
		await using at = await folder();
		expect(await listArchive(at.at("none.zip"))).toMatchObject({ ok: false, problem: "missing" });
		await Bun.write(at.at("text.zip"), "just text");
		expect(await listArchive(at.at("text.zip"))).toMatchObject({ ok: false, problem: "not-an-archive" });
		const written = await writeArchiveEntry(at.at("text.zip"), "a", "b");
		expect(written).toMatchObject({ ok: false, problem: "not-an-archive" });
		await Bun.write(at.at("text.tgz"), gzipSync("just text"));
		expect(await listArchive(at.at("text.tgz"))).toMatchObject({ ok: false, problem: "not-an-archive" });
		expect(await listArchive(at.path)).toMatchObject({ ok: false, problem: "not-an-archive" });
		const whole = await packed(at, "a.tar.gz");
		await Bun.write(at.at("cut.tar.gz"), (await Bun.file(whole).bytes()).slice(0, 200));
		expect(await listArchive(at.at("cut.tar.gz"))).toMatchObject({ ok: false, problem: "damaged" });
	});

	test("a missing entry is reported with similar names", async () => {
		await using at = await folder();
		await Bun.write(at.at("a.zip"), zipSync({ "docs/readme.md": bytes("x") }));
		const result = await readArchiveEntry(at.at("a.zip"), "docs/raedme.md");
		expect(result).toMatchObject({ ok: false, problem: "not-found" });
		expect(result.ok ? "" : result.message).toContain("docs/readme.md");
	});

	test("a file with any bytes in it is an answer, never a crash", async () => {
		await using at = await folder();
		const zip = zipSync({ a: bytes("alpha"), b: new Uint8Array(2000) });
		const seeds = [zip, await Bun.file(await packed(at, "s.tar")).bytes()];
		const anyChange = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 });
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...seeds), anyChange, fc.nat(), async (seed, changes, cut) => {
				const broken = seed.slice(0, seed.length - (cut % 40));
				for (const [place, value] of changes) broken[place % broken.length] = value;
				await Bun.write(at.at("fuzz"), broken);
				const listed = await listArchive(at.at("fuzz"));
				const entries = listed.ok ? listed.entries.slice(0, 5) : [];
				for (const { path } of entries) await readArchiveEntry(at.at("fuzz"), path);
				await writeArchiveEntry(at.at("fuzz"), "new", "x");
			}),
			{ numRuns: samples(150) },
		);
	});
});

test("the archive keeps its mode, a link to it stays a link, and no temporary file is left behind", async () => {
	await using at = await folder();
	await Bun.write(at.at("real.zip"), zipSync({ a: bytes("1") }));
	await chmod(at.at("real.zip"), 0o640);
	await symlink("real.zip", at.at("link.zip"));
	expect(await writeArchiveEntry(at.at("link.zip"), "b", "2")).toMatchObject({ ok: true });
	expect((await lstat(at.at("link.zip"))).isSymbolicLink()).toBe(true);
	expect((await stat(at.at("real.zip"))).mode & 0o777).toBe(0o640);
	expect((await readdir(at.path)).toSorted()).toEqual(["link.zip", "real.zip"]);
});
