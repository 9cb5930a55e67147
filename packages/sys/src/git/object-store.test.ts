/** Git's index and objects are read as git itself reads them, and what cannot be read is no error. */
import { afterEach, beforeEach, expect } from "bun:test";
import {
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { GitIndex } from "./index-file.ts";
import { GitObjects } from "./object-store.ts";

const test = needs("git");

let base = "";
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), "tau-objects-"))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

function git(...args: string[]): string {
	const name = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
	const env = { HOME: base, PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1" };
	const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...name, ...args], {
		cwd: join(base, "repo"),
		env,
	});
	if (exitCode !== 0) throw new Error(stderr.toString());
	return stdout.toString("latin1");
}

function put(path: string, text: string): void {
	mkdirSync(dirname(join(base, "repo", path)), { recursive: true });
	writeFileSync(join(base, "repo", path), text);
}

/** Files of which several versions exist, so that packs have deltas. */
function plant(): void {
	mkdirSync(join(base, "repo"));
	git("init", "-q", ".");
	for (let version = 0; version < 4; version++) {
		for (let at = 0; at < 30; at++) {
			const lines = Array.from(
				{ length: 200 },
				(_, line) => `line ${line} ${line === version * 7 ? at : ""}`,
			);
			put(`dir${at % 3}/file ${at}.txt`, lines.join("\n"));
		}
		put("a", "".padEnd(version));
		put("a.b/c", "c");
		put("ä\n", "odd");
		git("add", "-A");
		git("commit", "-qm", String(version));
	}
}

/** As `git ls-files` has it: object and path. */
function listed(): [oid: string, path: string][] {
	return git("ls-files", "-sz")
		.split("\0")
		.filter((line) => line !== "")
		.map((line) => [line.slice(7, 47), line.slice(line.indexOf("\t") + 1)]);
}

test.each([["2"], ["4"]])("an index of version %s", (version) => {
	plant();
	git("update-index", "--index-version", version);
	const index = GitIndex.read(join(base, "repo/.git"));
	const all = listed();
	expect(index?.size).toBe(all.length);
	expect(all.map((_, at) => [index?.oid(at), index?.path(at)])).toEqual(all);
	for (const [at, [, path]] of all.entries()) expect(index?.find(path)).toBe(at);
	expect([index?.find("dir1"), index?.find("z"), index?.find("")]).toEqual([undefined, undefined, undefined]);
	const below = index?.below("dir1/");
	expect((below?.to ?? 0) - (below?.from ?? 0)).toBe(10);
});

test("a file is clean until its facts change", () => {
	plant();
	// The file is older than the index: git trusts what it noted then.
	utimesSync(join(base, "repo/a.b/c"), 1000, 1000);
	git("update-index", "--refresh");
	git("update-index", "--index-version", "4");
	const index = GitIndex.read(join(base, "repo/.git"));
	const isClean = (path: string): boolean => {
		const at = index?.find(path);
		const stats = lstatSync(join(base, "repo", path), { bigint: true });
		return at !== undefined && index?.isClean(at, stats) === true;
	};
	expect(isClean("a.b/c")).toBe(true);
	put("a.b/c", "d");
	expect(isClean("a.b/c")).toBe(false);
});

test.each([["loose"], ["packed"], ["borrowed"]])(
	"%s objects, and none of them after a bit has changed",
	(kind) => {
		plant();
		if (kind !== "loose") git("gc", "-q", "--aggressive");
		let gitDir = join(base, "repo/.git");
		if (kind === "borrowed") {
			git("clone", "-q", "--shared", ".", "../other");
			gitDir = join(base, "other/.git");
		}
		const all = listed();
		{
			using objects = new GitObjects(gitDir);
			for (const [oid, path] of all) {
				const file = join(base, "repo", Buffer.from(path, "latin1").toString());
				expect(objects.blob(oid)?.equals(readFileSync(file))).toBe(true);
				expect(objects.isPacked(oid)).toBe(kind !== "loose");
			}
			expect(objects.blob("0".repeat(40))).toBeUndefined();
		}
		if (kind !== "packed") return;
		const packs = join(gitDir, "objects/pack");
		const pack = join(packs, readdirSync(packs).find((name) => name.endsWith(".pack")) ?? "");
		rmSync(pack.replace(/pack$/, "rev"), { force: true });
		const bytes = readFileSync(pack).map((byte, at) => (at % 50 === 20 ? byte ^ 0x10 : byte));
		rmSync(pack);
		writeFileSync(pack, bytes);
		using damaged = new GitObjects(gitDir);
		for (const [oid, path] of all) {
			const content = damaged.blob(oid);
			if (content)
				expect(content.toString()).toBe(
					readFileSync(join(base, "repo", Buffer.from(path, "latin1").toString()), "utf8"),
				);
		}
	},
);

test("an index that refers to another one, or is none, is not read", () => {
	plant();
	git("update-index", "--split-index");
	expect(GitIndex.read(join(base, "repo/.git"))).toBeUndefined();
	writeFileSync(join(base, "repo/.git/index"), "DIRC something else entirely, and long enough");
	expect(GitIndex.read(join(base, "repo/.git"))).toBeUndefined();
	expect(GitIndex.read(join(base, "nowhere"))).toBeUndefined();
});
