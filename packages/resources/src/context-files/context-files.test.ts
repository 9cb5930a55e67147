/** Context files of the user and the project reach the model in order and within limits, and nothing else does. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { shortenHome } from "@tau/utils";
import * as fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { samples } from "../../../../test/support/depth.ts";
import { writeTestFile } from "../../../../test/support/files.ts";
import { projectRoot } from "./find.ts";
import { withImports } from "./imports.ts";
import { limits } from "./limits.ts";
import { loadContextFiles } from "./load.ts";

let home = "";
let repo = "";
beforeEach(() => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "tau-context-")));
	repo = join(home, "code", "project");
	mkdirSync(join(repo, ".git"), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const writeFixture = (path: string, text: string | Uint8Array): string =>
	writeTestFile(join(home, path), text);

async function load(cwd = repo): Promise<{ said: string[]; notices: string[]; paths: string[] }> {
	mkdirSync(cwd, { recursive: true });
	const { files, notices } = await loadContextFiles({ cwd, agentDir: join(home, ".tau/agent"), home });
	return {
		said: files.map(({ content }) => content),
		paths: files.map(({ path }) => path.slice(home.length + 1)),
		notices,
	};
}

describe("which files are read", () => {
	test("the user's, then the project's from its root down to the working directory", async () => {
		writeFixture(".tau/agent/AGENTS.md", "me");
		writeFixture("code/AGENTS.md", "not of this project");
		writeFixture("code/project/AGENTS.md", "root");
		writeFixture("code/project/packages/a/AGENTS.md", "near");
		writeFixture("code/project/packages/b/AGENTS.md", "elsewhere");
		const { said: lines } = await load(join(repo, "packages/a/src"));
		expect(lines).toEqual(["me", "root", "near"]);
	});

	test("those of added directories come between the user's and the project's, and cannot link out", async () => {
		writeFixture(".tau/agent/AGENTS.md", "me");
		writeFixture("code/project/AGENTS.md", "root");
		writeFixture("code/lib/AGENTS.md", "of the library");
		writeFixture("secret", "secret");
		mkdirSync(join(home, "code/evil"));
		symlinkSync(join(home, "secret"), join(home, "code/evil/AGENTS.md"));
		const directories = [join(home, "code/lib"), join(home, "code/evil"), join(home, "code/gone")];
		const options = { cwd: repo, agentDir: join(home, ".tau/agent"), home, directories };
		const { files, notices } = await loadContextFiles(options);
		expect(files.map(({ content }) => content)).toEqual(["me", "of the library", "root"]);
		expect(notices).toHaveLength(1);
	});

	test("only one per directory of the files that other programs read, since they are mostly the same", async () => {
		writeFixture("code/project/AGENTS.md", "agents");
		writeFixture("code/project/CLAUDE.md", "claude");
		writeFixture("code/project/sub/CLAUDE.md", "only claude");
		const { said: lines } = await load(join(repo, "sub"));
		expect(lines).toEqual(["agents", "only claude"]);
	});

	test.each([".omp/AGENTS.md", ".pi/AGENTS.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"])(
		"%s of a project is read if there is no AGENTS.md",
		async (path) => {
			writeFixture(`code/project/${path}`, "of another program");
			expect((await load()).said).toEqual(["of another program"]);
			writeFixture("code/project/AGENTS.md", "for all");
			expect((await load()).said).toEqual(["for all"]);
		},
	);

	test("files for Tau only and local files are added to them", async () => {
		writeFixture("code/project/CLAUDE.md", "team");
		writeFixture("code/project/.tau/AGENTS.md", "tau");
		writeFixture("code/project/CLAUDE.local.md", "mine");
		expect((await load()).said).toEqual(["team", "tau", "mine"]);
	});

	test("the user's file of another program is read if there is none for Tau", async () => {
		writeFixture(".claude/CLAUDE.md", "claude");
		writeFixture(".codex/AGENTS.md", "codex");
		expect((await load()).said).toEqual(["claude"]);
		writeFixture(".tau/agent/AGENTS.md", "tau");
		expect((await load()).said).toEqual(["tau"]);
	});

	test("a link to the same file does not repeat it", async () => {
		writeFixture("code/project/AGENTS.md", "once");
		mkdirSync(join(repo, "sub"));
		symlinkSync("../AGENTS.md", join(repo, "sub/CLAUDE.md"));
		expect((await load(join(repo, "sub"))).said).toEqual(["once"]);
	});

	test("a link that leads out of the project is not followed, and is reported", async () => {
		writeFixture("secret.md", "key");
		symlinkSync("../../secret.md", join(repo, "AGENTS.md"));
		const { said: lines, notices } = await load();
		expect(lines).toEqual([]);
		expect(notices[0]).toContain("points outside");
	});

	test("the user's own file may be a link to anywhere", async () => {
		writeFixture("dotfiles/agents.md", "mine");
		mkdirSync(join(home, ".tau/agent"), { recursive: true });
		symlinkSync(join(home, "dotfiles/agents.md"), join(home, ".tau/agent/AGENTS.md"));
		expect((await load()).said).toEqual(["mine"]);
	});

	test("outside of a repository only the directory itself is searched", async () => {
		writeFixture("plain/AGENTS.md", "above");
		writeFixture("plain/here/AGENTS.md", "here");
		expect((await load(join(home, "plain/here"))).said).toEqual(["here"]);
	});
});

describe("files of other users", () => {
	test("regression: cannot crowd out the user's own", async () => {
		writeFixture(".tau/agent/AGENTS.md", "me");
		const large = "x".repeat(limits.fileBytes);
		for (const name of ["AGENTS.md", "AGENTS.local.md", "CLAUDE.local.md"])
			writeFixture(`code/project/${name}`, large);
		const { said: lines } = await load();
		expect(lines[0]).toBe("me");
		expect(lines).toHaveLength(4);
	});

	test("regression: above the directories of the user and of the working directory's owner are not read", async () => {
		const [me, stranger] = [process.geteuid?.() ?? 0, 4242];
		writeFixture("code/project/AGENTS.md", "theirs");
		const cwd = join(repo, "sub/dir");
		mkdirSync(cwd, { recursive: true });
		writeFixture("code/project/sub/dir/AGENTS.md", "mine");
		const rootFor = (owners: Record<string, number>): string =>
			projectRoot(cwd, (directory) => owners[directory] ?? me);
		expect(rootFor({})).toBe(repo);
		expect(rootFor({ [repo]: stranger })).toBe(cwd);
		expect(rootFor({ [join(repo, "sub")]: stranger })).toBe(cwd);
		expect(rootFor({ [cwd]: stranger, [repo]: stranger })).toBe(repo);
		const { files } = await loadContextFiles({
			cwd,
			agentDir: join(home, ".tau/agent"),
			home,
			ownerOf: (directory) => (directory === repo ? stranger : me),
		});
		expect(files.map(({ content }) => content)).toEqual(["mine"]);
	});
});

describe("imports", () => {
	test("replace their name, from within imports too", async () => {
		writeFixture("code/project/AGENTS.md", "See @docs/style.md and\n@./docs/build.md.");
		writeFixture("code/project/docs/style.md", "tabs\n");
		writeFixture("code/project/docs/build.md", "make, as in @more.md");
		writeFixture("code/project/docs/more.md", "make -j");
		expect((await load()).said).toEqual(["See tabs and\nmake, as in make -j"]);
	});

	test("ignore addresses, packages, code and unknown names", async () => {
		writeFixture("code/project/style.md", "no");
		const text = "Write to a@style.md, use @types/node, `@style.md`\n```\n@style.md\n```\n@missing.md";
		writeFixture("code/project/AGENTS.md", text);
		expect((await load()).said).toEqual([text]);
	});

	test("never leave the project", async () => {
		writeFixture("secret.md", "key");
		writeFixture("code/project/AGENTS.md", "@../../secret.md @~/secret.md @link.md");
		symlinkSync("../../secret.md", join(repo, "link.md"));
		const { said: lines, notices } = await load();
		expect(lines.join()).not.toContain("key");
		expect(notices).toHaveLength(2);
		expect(notices[0]).toContain("is outside");
	});

	test("that form cycles or nest too deep are left out and reported", async () => {
		writeFixture("code/project/AGENTS.md", "a @b.md");
		writeFixture("code/project/b.md", "b @AGENTS.md");
		const circle = await load();
		expect(circle.said).toEqual(["a b @AGENTS.md"]);
		expect(circle.notices[0]).toContain("imports itself");
		for (let depth = 0; depth < 9; depth++)
			writeFixture(`code/project/d${depth}.md`, `${depth} @d${depth + 1}.md`);
		writeFixture("code/project/AGENTS.md", "@d0.md");
		const deep = await load();
		expect(deep.said).toEqual(["0 1 2 3 4 @d5.md"]);
		expect(deep.notices[0]).toContain("deep");
	});

	test("never throw, whatever the content", async () => {
		const path = writeFixture("code/project/AGENTS.md", "");
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: anyCharacter }), async (text) => {
				const done = await withImports(path, text, repo);
				expect(typeof done.text).toBe("string");
			}),
			{ numRuns: samples(100) },
		);
	});
});

describe("limits", () => {
	test("a long file is cut between characters, and model and user are informed", async () => {
		writeFixture("code/project/AGENTS.md", "ä".repeat(limits.fileBytes));
		const { said: lines, notices } = await load();
		expect(lines[0]).toMatch(/^ä+\n\[truncated here: read .*AGENTS\.md for the rest\]$/);
		expect(notices[0]).toContain("was truncated");
	});

	test("if not all files fit, the nearest are used", async () => {
		const text = "x".repeat(limits.fileBytes - 100);
		for (const path of ["", "a/", "a/b/", "a/b/c/"]) writeFixture(`code/project/${path}AGENTS.md`, text);
		const { paths, said: lines } = await load(join(repo, "a/b/c"));
		expect(paths.at(-1)).toBe("code/project/a/b/c/AGENTS.md");
		expect(lines.at(-1)).toBe(text);
		expect(Buffer.byteLength(lines.join(""))).toBeLessThan(limits.totalBytes + 1000);
	});

	test("binary content and terminal sequences do not reach the model", async () => {
		writeFixture("code/project/AGENTS.md", new Uint8Array([65, 0, 66]));
		expect((await load()).notices[0]).toContain("not a text file");
		writeFixture("code/project/AGENTS.md", "a\u001b[2Jb");
		expect((await load()).said).toEqual(["ab"]);
	});

	test("anything but a regular file is skipped and reported without waiting for it", async () => {
		symlinkSync("/dev/zero", join(repo, "AGENTS.md"));
		mkdirSync(join(repo, ".tau/AGENTS.md"), { recursive: true });
		const { said: lines, notices } = await load();
		expect(lines).toEqual([]);
		const left = ["AGENTS.md", ".tau/AGENTS.md"].map(
			(name) => `${shortenHome(join(repo, name))} was skipped: it is not a file.`,
		);
		expect(notices.toSorted()).toEqual(left.toSorted());
	});

	test("an empty file adds nothing", async () => {
		writeFixture("code/project/AGENTS.md", "\n \n");
		expect((await load()).said).toEqual([]);
	});
});
