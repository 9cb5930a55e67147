/** Exactly the files that git and ripgrep ignore are ignored here: compared with both on random trees. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { ripgrepPath } from "../search/ripgrep.ts";
import { listDirectory } from "./directory.ts";
import { readRepositoryExclude, readUserExclude } from "./ignore-sources.ts";
import { walk } from "./walk.ts";

const base = mkdtempSync(join(tmpdir(), "tau-ignore-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Names in the tree and in the rules come from the same small set, so that they match often. */
const names = "a b ab a.log b.ts .hid .hid.log ünï [x] {a} #h !n a*".split(" ");
const name = fc.constantFrom(...names, "sp ace", "new\nline");
const plainSegments =
	"a b ab a.log *.log * a* *b ? [ab] [!a] [^a]* [a-b]* ** .hid .* ünï \\#h \\!n \\[x\\] *.ts a\\* []x]";
const segments = [...plainSegments.split(" "), "sp ace", "sp\\ ace"];
/** Patterns that ripgrep reads differently from git, which is right by definition. */
const gitOnly = { segments: ["{a}", "[z", "[[:alpha:]]", "[![:alpha:]]*"], lines: ["/", "!"] };

function rulesOf(more: Partial<typeof gitOnly> = {}): fc.Arbitrary<string[]> {
	const segment = fc.constantFrom(...segments, ...(more.segments ?? []));
	const rule = fc
		.tuple(
			fc.constantFrom("", "", "", "!"),
			fc.constantFrom("", "", "/"),
			fc.array(segment, { minLength: 1, maxLength: 3 }),
			fc.constantFrom("", "", "/", " ", "  ", "\r"),
		)
		.map(([negation, anchor, parts, end]) => negation + anchor + parts.join("/") + end);
	const other = fc.constantFrom("", "# a", "#b", ...(more.lines ?? []));
	return fc.array(fc.oneof({ weight: 8, arbitrary: rule }, other), { minLength: 1, maxLength: 6 });
}

interface Tree {
	files: string[][];
	/** The directory of an ignore file, and its content. */
	ignores: { at: string[]; kind: ".gitignore" | ".ignore" | "exclude"; rules: string[] }[];
}

function treeOf(
	kinds: readonly Tree["ignores"][number]["kind"][],
	rules: fc.Arbitrary<string[]>,
): fc.Arbitrary<Tree> {
	const at = fc.array(name, { maxLength: 3 });
	return fc.record({
		files: fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 20 }),
		ignores: fc.array(fc.record({ at, kind: fc.constantFrom(...kinds), rules }), {
			minLength: 1,
			maxLength: 4,
		}),
	});
}

let made = 0;

function plant(tree: Tree, isRepository = true): string {
	const root = join(base, String(made++));
	mkdirSync(root);
	if (isRepository) makeRepository(root);
	const writeFixture = (path: string, text: string): void => {
		try {
			mkdirSync(dirname(path), { recursive: true });
			writeFileSync(path, text);
		} catch {
			// If a name is both a file and a directory, the first one stays.
		}
	};
	for (const file of tree.files) writeFixture(join(root, ...file), "text");
	for (const { at, kind, rules } of tree.ignores) {
		const place = kind === "exclude" ? join(root, ".git/info/exclude") : join(root, ...at, kind);
		if (isRepository || kind !== "exclude") writeFixture(place, `${rules.join("\n")}\n`);
	}
	return root;
}

/** The minimum that git accepts as a repository; `git init` would take most of the test's time. */
function makeRepository(root: string): void {
	for (const part of ["info", "objects", "refs"]) mkdirSync(join(root, ".git", part), { recursive: true });
	writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
}

function environment(): Record<string, string> {
	return { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", GIT_CONFIG_NOSYSTEM: "1" };
}

async function filesOf(root: string, options = { hidden: true, gitignore: true }): Promise<string[]> {
	const { entries } = await walk({ root, ...options });
	return entries.filter(({ kind }) => kind === "file").map(({ path }) => path);
}

function splitNul(bytes: Uint8Array): string[] {
	return new TextDecoder()
		.decode(bytes)
		.split("\0")
		.filter((text) => text !== "");
}

needs("git")(
	"git ignores the same files",
	async () => {
		await fc.assert(
			fc.asyncProperty(treeOf([".gitignore", ".gitignore", "exclude"], rulesOf(gitOnly)), async (tree) => {
				const root = plant(tree);
				const all = await filesOf(root, { hidden: true, gitignore: false });
				const check = Bun.spawnSync(["git", "check-ignore", "-z", "--stdin", "--no-index"], {
					cwd: root,
					env: environment(),
					stdin: Buffer.from(all.map((path) => `${path}\0`).join("")),
				});
				const ignored = new Set(splitNul(check.stdout));
				expect(await filesOf(root)).toEqual(all.filter((path) => !ignored.has(path)));
				rmSync(root, { recursive: true });
			}),
			{ numRuns: samples(60, 20) },
		);
	},
	180_000,
);

test("ripgrep lists the same files, with hidden ones and without, from the root and from below", async () => {
	const rg = await ripgrepPath();
	await fc.assert(
		fc.asyncProperty(
			treeOf([".gitignore", ".gitignore", ".ignore", "exclude"], rulesOf()),
			fc.boolean(),
			fc.boolean(),
			async (tree, hidden, isRepository) => {
				const root = plant(tree, isRepository);
				const args = ["--files", "--null", "--no-config", "--glob=!.git", ...(hidden ? ["--hidden"] : [])];
				const below = join(root, "a");
				const isDirectory = statSync(below, { throwIfNoEntry: false })?.isDirectory() === true;
				for (const from of isDirectory ? [root, below] : [root]) {
					const listed = Bun.spawnSync([rg, ...args], { cwd: from, env: environment() });
					const ours = await filesOf(from, { hidden, gitignore: true });
					expect(ours.toSorted()).toEqual(splitNul(listed.stdout).toSorted());
				}
				rmSync(root, { recursive: true });
			},
		),
		{ numRuns: 40 },
	);
});

describe("an ignored path", () => {
	function tree(files: Record<string, string>): string {
		const root = join(base, `plain${made++}`);
		for (const [path, text] of Object.entries(files)) {
			mkdirSync(dirname(join(root, path)), { recursive: true });
			writeFileSync(join(root, path), text);
		}
		return root;
	}

	test("in a nested repository depends on its own rules only", async () => {
		const root = tree({
			".git/HEAD": "",
			".gitignore": "*.log",
			"in/.git/HEAD": "",
			"in/a.log": "",
			"b.log": "",
		});
		expect(await filesOf(root)).toEqual([".gitignore", "in/a.log"]);
	});

	test("regression: /** matches everything below, not only beside", async () => {
		const root = tree({ ".git/HEAD": "", ".gitignore": "/**\n!a/", "a/b": "", c: "" });
		expect(await filesOf(root)).toEqual([]);
	});

	test("a .gitignore outside of a repository has no effect, an .ignore does", async () => {
		const root = tree({ ".gitignore": "a", ".ignore": "b", a: "", b: "" });
		expect(await filesOf(root)).toEqual([".gitignore", ".ignore", "a"]);
	});

	test("a directory that is named explicitly is listed although it is ignored", async () => {
		const root = tree({ ".git/HEAD": "", ".gitignore": "dist/", "dist/a": "", "dist/deep/b": "" });
		expect(await filesOf(root)).toEqual([".gitignore"]);
		expect(await filesOf(join(root, "dist"))).toEqual(["a", "deep/b"]);
	});

	test("the exclude list of a worktree is that of its repository", async () => {
		const root = tree({
			"main/.git/info/exclude": "*.tmp",
			"main/.git/worktrees/w/commondir": "../..\n",
			"w/.git": "gitdir: ../main/.git/worktrees/w\n",
			"w/a.tmp": "",
			"w/b": "",
		});
		expect(await filesOf(join(root, "w"))).toEqual(["b"]);
		expect(await readRepositoryExclude(join(root, "none"))).toBeUndefined();
	});

	test("the user's own list is read from git's location", async () => {
		const root = tree({
			"home/.gitconfig": '[user]\n\texcludesfile = no\n[core]\n\texcludesFile = "~/mine"\n',
			"home/mine": "*.a",
			"other/git/ignore": "*.b",
		});
		const verdicts = async (env: Record<string, string>) => {
			const file = await readUserExclude(env);
			return ["x.a", "x.b"].map((path) => file?.verdict("", path, false));
		};
		expect(await verdicts({ HOME: join(root, "home") })).toEqual(["ignored", undefined]);
		expect(await verdicts({ HOME: join(root, "none"), XDG_CONFIG_HOME: join(root, "other") })).toEqual([
			undefined,
			"ignored",
		]);
		expect(await readUserExclude({})).toBeUndefined();
	});

	test("is marked in the list of a directory, which is complete", async () => {
		const root = tree({ ".git/HEAD": "", ".gitignore": "*.log\nout/", "a.log": "", "out/x": "", "b.ts": "" });
		const listed = await listDirectory(root);
		expect(listed.map(({ name: own, isIgnored }) => own + (isIgnored ? " ignored" : ""))).toEqual([
			".git",
			".gitignore",
			"a.log ignored",
			"b.ts",
			"out ignored",
		]);
	});
});

describe("a walk", () => {
	test("lists links as links, follows none, and never enters .git", async () => {
		const root = join(base, "links");
		mkdirSync(join(root, "dir"), { recursive: true });
		mkdirSync(join(root, ".git"));
		writeFileSync(join(root, "dir/file"), "");
		symlinkSync("dir", join(root, "toDir"));
		symlinkSync("..", join(root, "dir/up"));
		symlinkSync("gone", join(root, "dangling"));
		const { entries } = await walk({ root, hidden: true, gitignore: true });
		expect(entries).toEqual([
			{ path: "dangling", kind: "link" },
			{ path: "dir", kind: "directory" },
			{ path: "dir/file", kind: "file" },
			{ path: "dir/up", kind: "link" },
			{ path: "toDir", kind: "link" },
		]);
	});

	test("of a path that is not a directory is refused", async () => {
		const plain = join(base, "plain");
		writeFileSync(plain, "");
		const ask = (root: string) => walk({ root, hidden: true, gitignore: true });
		await expect(ask(join(base, "nowhere"))).rejects.toThrow("ENOENT");
		await expect(ask(plain)).rejects.toThrow("ENOTDIR");
	});

	test("stops when it is aborted", async () => {
		const controller = new AbortController();
		const walking = walk({ root: "/usr", hidden: true, gitignore: false, signal: controller.signal });
		controller.abort(new Error("enough"));
		await expect(walking).rejects.toThrow("enough");
	});

	test("a rule with exponential backtracking takes no time", async () => {
		const root = join(base, "evil");
		mkdirSync(join(root, ".git"), { recursive: true });
		writeFileSync(join(root, ".gitignore"), `${"*a".repeat(100)}b\n${"**/a/".repeat(50)}b\n`);
		writeFileSync(join(root, "a".repeat(250)), "");
		expect(await filesOf(root)).toHaveLength(2);
	});
});
