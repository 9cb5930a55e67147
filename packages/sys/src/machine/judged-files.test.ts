/** The machine of a judged call: it reaches what was judged, and what may be touched unasked, and nothing else. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { withJudged, type JudgedFiles } from "./judged-files.ts";
import { localMachine } from "./local.ts";
import type { MachineFiles } from "./machine.ts";

const { signal } = new AbortController();
let root: string;
const at = (name: string): string => join(root, name);

beforeEach(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "tau-judged-")));
	for (const name of ["real", "secret"]) {
		mkdirSync(at(name));
		writeFileSync(at(`${name}/file`), `in ${name}\n`);
	}
	symlinkSync("real", at("link"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Everything below `secret` needs a question; the call names the paths of `judged`. */
function files(judged: Readonly<Record<string, string>> = {}, more: Partial<JudgedFiles> = {}): MachineFiles {
	const real = new Map(Object.entries(judged).map(([path, leads]) => [at(path), at(leads)]));
	return withJudged(localMachine(), {
		realPath: (path) => real.get(path),
		allows: (_kind, path) => [...real.values()].includes(path) || !path.startsWith(at("secret")),
		accepts: () => true,
		changed: () => {},
		...more,
	}).files;
}

/** What `link` leads to is replaced after the judgment. */
function swap(target: string): void {
	symlinkSync(target, at("next"));
	renameSync(at("next"), at("link"));
}

describe("a link that was replaced since the judgment", () => {
	test("leads nowhere that needs a question", async () => {
		const judged = files({ "link/file": "real/file", link: "real" });
		swap("secret");
		const all = [
			judged.stat(at("link/file")),
			judged.read(at("link/file"), { signal, maxBytes: 100 }),
			judged.open(at("link/file"), signal),
			judged.list(at("link")),
			judged.glob({ root: at("link"), pattern: "*" }),
			judged.fuzzyFind({ root: at("link"), query: "file", limit: 5 }),
			judged.search({ pattern: "in", paths: [at("link")], cwd: root }, () => {}),
			judged.realpath(at("link/file")),
		];
		for (const one of await Promise.allSettled(all))
			expect(one).toMatchObject({ status: "rejected", reason: { code: "EMOVED" } });
		expect(await judged.readText("link/file", at("link/file"))).toMatchObject({ ok: false, kind: "moved" });
	});

	test("leads where no question is needed", async () => {
		mkdirSync(at("other"));
		writeFileSync(at("other/file"), "in other\n");
		const judged = files({ "link/file": "real/file" });
		swap("other");
		expect(await judged.readText("link/file", at("link/file"))).toMatchObject({ text: "in other\n" });
	});

	test("does not move a change that was planned before", async () => {
		const judged = files({ "link/file": "real/file" });
		const before = await judged.readText("link/file", at("link/file"));
		if (!before.ok) throw new Error(before.reason);
		swap("secret");
		const done = await judged.commit([{ before, after: { text: "new\n", hasBom: false } }], { signal });
		expect(done).toMatchObject({ ok: true, changes: [{ path: at("real/file") }] });
		expect(readFileSync(at("secret/file"), "utf8")).toBe("in secret\n");
	});
});

describe("a directory that became a link since the judgment", () => {
	test("is neither read nor written", async () => {
		const judged = files({ "real/file": "real/file", "real/new/x": "real/new/x" });
		const before = await judged.readText("file", at("real/file"));
		const absent = await judged.readText("x", at("real/new/x"));
		if (!before.ok || !absent.ok) throw new Error("not read");
		renameSync(at("real"), at("aside"));
		symlinkSync("secret", at("real"));
		for (const file of [before, absent]) {
			const change = { before: file, after: { text: "new\n", hasBom: false } };
			expect(await judged.commit([change], { signal })).toMatchObject({ ok: false, kind: "moved" });
		}
		expect(await judged.readText("file", at("real/file"))).toMatchObject({ ok: false, kind: "moved" });
		expect(readFileSync(at("secret/file"), "utf8")).toBe("in secret\n");
		expect(existsSync(at("secret/new"))).toBe(false);
	});
});

test("a change of what was not judged is refused", async () => {
	const before = await localMachine().files.readText("file", at("secret/file"));
	if (!before.ok) throw new Error(before.reason);
	const done = await files().commit([{ before, after: { text: "new\n", hasBom: false } }], { signal });
	expect(done).toMatchObject({ ok: false, kind: "moved" });
	expect(readFileSync(at("secret/file"), "utf8")).toBe("in secret\n");
});

test("a file in another state than the approved one is not worked with; the call's own change is", async () => {
	const stamps = new Map<string, string | undefined>([[at("real/file"), "another"]]);
	const judged = files(
		{},
		{
			accepts: (path, stamp) => !stamps.has(path) || stamps.get(path) === stamp,
			changed: (path) => void stamps.delete(path),
		},
	);
	expect(await judged.readText("file", at("real/file"))).toMatchObject({
		ok: false,
		kind: "stale",
		reason: "file has changed since the user approved the call. Nothing was written.",
	});
	const before = await localMachine().files.readText("file", at("real/file"));
	if (!before.ok) throw new Error(before.reason);
	await judged.commit([{ before, after: { text: "new\n", hasBom: false } }], { signal });
	expect(await judged.readText("file", at("real/file"))).toMatchObject({ text: "new\n" });
});

test("a link itself can be looked at and deleted, wherever it leads", async () => {
	symlinkSync("secret/file", at("pointer"));
	const judged = files({ pointer: "pointer" });
	expect(await judged.lstat(at("pointer"))).toMatchObject({ kind: "link", linkTarget: "secret/file" });
	const before = await judged.readEntry("pointer", at("pointer"));
	expect(before).toMatchObject({ ok: true, text: "" });
	if (!before.ok) throw new Error(before.reason);
	expect(await judged.commit([{ before }], { signal })).toMatchObject({ ok: true });
	expect(existsSync(at("secret/file"))).toBe(true);
});

test("matches of a search have the paths that the call named", async () => {
	const judged = files({ link: "real" });
	const paths: string[] = [];
	await judged.search({ pattern: "in", paths: [at("link")], cwd: root }, ({ path }) => void paths.push(path));
	expect(new Set(paths)).toEqual(new Set([at("link/file")]));
});

test("a file that the machine keeps elsewhere is written where the call was judged to write", async () => {
	const local = localMachine();
	const plain = local.files.unlinked();
	// As a sandbox does with the session's temporary files.
	const kept: MachineFiles = {
		...plain,
		readText: (shown, path) => plain.readText(shown, path.replace(at("shown"), at("secret"))),
	};
	const machine = { ...local, files: { ...local.files, unlinked: () => kept } };
	const judged = withJudged(machine, {
		realPath: (path) => path,
		allows: (_kind, path) => path === at("shown/new"),
		accepts: () => true,
		changed: () => {},
	}).files;
	const before = await judged.readText("new", at("shown/new"));
	if (!before.ok) throw new Error(before.reason);
	const after = { text: "written\n", hasBom: false };
	expect(await judged.commit([{ before, after }], { signal })).toMatchObject({ ok: true });
	expect(readFileSync(at("secret/new"), "utf8")).toBe("written\n");
	// What it did not name is refused there as anywhere.
	const other = await plain.readText("file", at("secret/file"));
	if (!other.ok) throw new Error(other.reason);
	expect(await judged.commit([{ before: other, after }], { signal })).toMatchObject({ kind: "moved" });
});
