/** Extensions are found in the directories of pi, omp and Tau, in a stable order. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { writeTestFile } from "../../../../test/support/files.ts";
import { discoverExtensions, type Discovery, type DiscoverRequest } from "./discover.ts";
import { isTrusted, setTrusted, trustFile, trustOf } from "../trust/trust.ts";

let base = "";
let home = "";
let cwd = "";
let agentDir = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-discover-"));
	[home, cwd, agentDir] = [join(base, "home"), join(base, "project"), join(base, "home/.tau/agent")];
	for (const directory of [cwd, agentDir]) mkdirSync(directory, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function writeFixture(path: string, text = "export default () => {};"): string {
	return writeTestFile(join(base, path), text);
}

function discover(more: Partial<DiscoverRequest> = {}): Promise<Discovery> {
	return discoverExtensions({
		cwd,
		home,
		agentDir,
		explicit: [],
		configured: [],
		disabled: [],
		withDiscovery: true,
		isTrusted: true,
		...more,
	});
}

function pathsOf({ extensions }: Discovery): string[] {
	return extensions.map(({ path }) => path.slice(base.length + 1));
}

test("the order: the project's before the user's, Tau's before omp's before pi's, then -e, then settings", async () => {
	const configured = writeFixture("elsewhere/set.ts");
	const explicit = writeFixture("elsewhere/cli.ts");
	writeFixture("home/.pi/agent/extensions/f.ts");
	writeFixture("project/.pi/extensions/e.js");
	writeFixture("home/.omp/agent/extensions/d.ts");
	writeFixture("project/.omp/extensions/c.ts");
	writeFixture("home/.tau/agent/extensions/b.ts");
	writeFixture("project/.tau/extensions/a.ts");
	const discovery = await discover({ explicit: [explicit], configured: [configured] });
	expect(pathsOf(discovery)).toEqual([
		"project/.tau/extensions/a.ts",
		"home/.tau/agent/extensions/b.ts",
		"project/.omp/extensions/c.ts",
		"home/.omp/agent/extensions/d.ts",
		"project/.pi/extensions/e.js",
		"home/.pi/agent/extensions/f.ts",
		"elsewhere/cli.ts",
		"elsewhere/set.ts",
	]);
	expect(discovery.extensions.map(({ sourceInfo: { scope, source } }) => `${scope} ${source}`)).toEqual([
		"project tau",
		"user tau",
		"project omp",
		"user omp",
		"project pi",
		"user pi",
		"temporary cli",
		"user settings",
	]);
});

test("in a directory: modules, and folders with an index or a manifest; nothing deeper, hidden or for tests", async () => {
	const at = "home/.tau/agent/extensions";
	for (const name of ["one.ts", "two.mjs", "two.test.ts", "types.d.ts", "notes.md", ".hidden.ts"])
		writeFixture(`${at}/${name}`);
	writeFixture(`${at}/with-index/index.ts`);
	writeFixture(`${at}/with-index/index.js`);
	writeFixture(`${at}/with-index/helper.ts`);
	writeFixture(`${at}/deep/er/index.ts`);
	writeFixture(`${at}/node_modules/x/index.ts`);
	writeFixture(
		`${at}/packed/package.json`,
		JSON.stringify({ omp: { extensions: ["./src/a.ts", "src/b.js"] } }),
	);
	writeFixture(`${at}/packed/src/a.ts`);
	writeFixture(`${at}/packed/src/b.js`);
	expect(pathsOf(await discover()).map((path) => path.slice(at.length + 1))).toEqual([
		"one.ts",
		"packed/src/a.ts",
		"packed/src/b.js",
		"two.mjs",
		"with-index/index.ts",
	]);
});

describe("a manifest", () => {
	test("for Tau takes precedence over one for omp and for pi", async () => {
		const of = (name: string) => ({ extensions: [name] });
		writeFixture("pack/package.json", JSON.stringify({ pi: of("p.ts"), omp: of("o.ts"), tau: of("t.ts") }));
		for (const name of ["p", "o", "t"]) writeFixture(`pack/${name}.ts`);
		const discovery = await discover({ explicit: [join(base, "pack")] });
		expect(pathsOf(discovery)).toEqual(["pack/t.ts"]);
		expect(discovery.extensions[0]?.sourceInfo).toMatchObject({
			origin: "package",
			baseDir: join(base, "pack"),
		});
	});

	test("that points out of its package, also through a link, is rejected with a reason", async () => {
		writeFixture("outside.ts");
		writeFixture("pack/inside.ts");
		symlinkSync(join(base, "outside.ts"), join(base, "pack/link.ts"));
		writeFixture(
			"pack/package.json",
			JSON.stringify({ pi: { extensions: ["../outside.ts", "link.ts", "inside.ts", "gone.ts"] } }),
		);
		const discovery = await discover({ explicit: [join(base, "pack")] });
		expect(pathsOf(discovery)).toEqual(["pack/inside.ts"]);
		expect(discovery.problems.map(({ error }) => error)).toEqual([
			'"../outside.ts" points outside the package and was not loaded.',
			'"link.ts" points outside the package and was not loaded.',
			"It names gone.ts, which does not exist.",
		]);
	});

	test.each(["{", '{"pi": {"extensions": "a.ts"}}', '{"pi": {"extensions": [1]}}'])(
		"%s is reported, and affects nothing else",
		async (text) => {
			writeFixture("pack/package.json", text);
			const other = writeFixture("other.ts");
			const discovery = await discover({ explicit: [join(base, "pack"), other] });
			expect(pathsOf(discovery)).toEqual(["other.ts"]);
			expect(discovery.problems).toHaveLength(1);
			expect(discovery.problems[0]?.path).toBe(join(base, "pack/package.json"));
		},
	);
});

test("a path is resolved against the directory or home, and a missing one is reported", async () => {
	writeFixture("project/local/ext.ts");
	writeFixture("home/mine.ts");
	const discovery = await discover({ explicit: ["local/ext.ts", "~/mine.ts", "./gone.ts"] });
	expect(pathsOf(discovery)).toEqual(["project/local/ext.ts", "home/mine.ts"]);
	expect(discovery.problems).toEqual([{ path: join(cwd, "gone.ts"), error: "No such file or directory." }]);
});

test("a file is loaded once, however often it is named, and one with the same name of another program is ignored", async () => {
	const own = writeFixture("home/.tau/agent/extensions/git.ts");
	const other = writeFixture("home/.pi/agent/extensions/git/index.ts");
	const discovery = await discover({ explicit: [own, own] });
	expect(pathsOf(discovery)).toEqual(["home/.tau/agent/extensions/git.ts"]);
	expect(discovery.shadowed).toEqual([other]);
});

test("packages of several programs whose files lie in src are known by their folders", async () => {
	const manifest = '{ "pi": { "extensions": ["./src/index.ts"] } }';
	for (const place of ["home/.omp/agent/extensions/one", "home/.pi/agent/extensions/two"]) {
		writeFixture(`${place}/package.json`, manifest);
		writeFixture(`${place}/src/index.ts`);
	}
	expect(pathsOf(await discover())).toEqual([
		"home/.omp/agent/extensions/one/src/index.ts",
		"home/.pi/agent/extensions/two/src/index.ts",
	]);
	expect(pathsOf(await discover({ disabled: ["one"] }))).toEqual([
		"home/.pi/agent/extensions/two/src/index.ts",
	]);
});

test.each(["foo", "extension-module:foo"])("%s is disabled in every directory", async (id) => {
	writeFixture("home/.tau/agent/extensions/foo.ts");
	writeFixture("home/.tau/agent/extensions/bar.ts");
	const discovery = await discover({ disabled: [id], explicit: [writeFixture("x/foo/index.ts")] });
	expect(pathsOf(discovery)).toEqual(["home/.tau/agent/extensions/bar.ts"]);
	expect(discovery.disabled).toHaveLength(2);
});

test("without discovery only the files named on the command line are found", async () => {
	writeFixture("home/.tau/agent/extensions/a.ts");
	const discovery = await discover({
		withDiscovery: false,
		explicit: [writeFixture("b.ts")],
		configured: [writeFixture("c.ts")],
	});
	expect(pathsOf(discovery)).toEqual(["b.ts"]);
});

describe("git", () => {
	test("what it ignores in a project is left out unless the settings name it; the user's own is not affected", async () => {
		writeFixture(".git/HEAD", "ref: refs/heads/main\n");
		writeFixture(".gitignore", "hidden.ts\nhome/\n");
		const hidden = writeFixture("project/.tau/extensions/hidden.ts");
		const tool = writeFixture("project/.claude/tools/hidden.ts");
		writeFixture("project/.tau/extensions/shown.ts");
		writeFixture("home/.tau/agent/extensions/mine.ts");
		const discovery = await discover();
		expect(pathsOf(discovery)).toEqual([
			"project/.tau/extensions/shown.ts",
			"home/.tau/agent/extensions/mine.ts",
		]);
		expect(discovery.ignored).toEqual([hidden, tool]);
		expect((await discover({ isTrusted: false })).untrusted).not.toContain(hidden);
		expect(pathsOf(await discover({ configured: [hidden] }))).toContain("project/.tau/extensions/hidden.ts");
		writeFixture("project/.tau/config.yml", "extensions: [./extensions/hidden.ts]\n");
		expect(pathsOf(await discover())).toContain("project/.tau/extensions/hidden.ts");
	});
});

describe("trust", () => {
	test("code of an untrusted project is found but not loaded", async () => {
		const project = writeFixture("project/.pi/extensions/x.ts");
		writeFixture("home/.tau/agent/extensions/mine.ts");
		const discovery = await discover({ isTrusted: false });
		expect(pathsOf(discovery)).toEqual(["home/.tau/agent/extensions/mine.ts"]);
		expect(discovery.untrusted).toEqual([project]);
	});

	test("paths in a project's settings resolve against their file, and load only with trust", async () => {
		const one = writeFixture("project/.tau/one.ts");
		const two = writeFixture("project/tools/two.ts");
		writeFixture(
			"project/.tau/config.yml",
			"extensions: [./one.ts, ../tools/two.ts, ./gone.ts, '-builtin:x', 7]\n",
		);
		writeFixture(
			"project/.pi/settings.json",
			'{ "extensions": ["../tools/two.ts", "~/mine.ts"], /* and */ }',
		);
		writeFixture("project/.omp/config.yml", "extensions: [[[");
		const discovery = await discover({ isTrusted: false });
		expect(pathsOf(discovery)).toEqual([]);
		expect(discovery.untrusted).toEqual([one, two, two]);
		const trusted = await discover();
		expect(pathsOf(trusted)).toEqual(["project/.tau/one.ts", "project/tools/two.ts"]);
		expect(trusted.extensions[0]?.sourceInfo).toMatchObject({ source: "settings", scope: "project" });
		expect(trusted.problems).toMatchObject([{ path: join(base, "project/.tau/gone.ts") }]);
		expect(pathsOf(await discover({ withDiscovery: false }))).toEqual([]);
	});

	test("regression: omp's settings resolve paths against the project, as omp documents it", async () => {
		writeFixture("project/.omp/extensions/x.ts");
		const own = writeFixture("project/lib/own.ts");
		const beside = writeFixture("project/.omp/beside.ts");
		writeFixture(
			"project/.omp/settings.json",
			'{ "extensions": ["./lib/own.ts", "./beside.ts", "./.omp/extensions/x.ts"] }',
		);
		expect((await discover()).problems).toEqual([]);
		expect(pathsOf(await discover())).toContain("project/lib/own.ts");
		expect((await discover({ isTrusted: false })).untrusted).toEqual(expect.arrayContaining([own, beside]));
	});

	test("an answer applies to the directory and below, a nearer one overrides it, and both are stored", async () => {
		expect([isTrusted(cwd, agentDir), trustOf(cwd, agentDir)]).toEqual([false, undefined]);
		setTrusted(cwd, agentDir, true);
		mkdirSync(join(cwd, "vendor/lib"), { recursive: true });
		setTrusted(join(cwd, "vendor"), agentDir, false);
		expect(
			[cwd, join(cwd, "src"), join(cwd, "vendor/lib"), base].map((path) => isTrusted(path, agentDir)),
		).toEqual([true, true, false, false]);
		expect(statSync(trustFile(agentDir)).mode & 0o777).toBe(0o600);
	});

	test("is not inherited through a link to another directory", async () => {
		setTrusted(cwd, agentDir, true);
		mkdirSync(join(base, "evil"));
		symlinkSync(join(base, "evil"), join(cwd, "link"));
		expect(isTrusted(join(cwd, "link"), agentDir)).toBe(false);
	});

	test.each(["", "{", "[]", '{"projects": {"/": "yes"}}'])(
		"a trust.json with %p grants nothing",
		async (text) => {
			writeFileSync(trustFile(agentDir), text);
			expect(isTrusted(cwd, agentDir)).toBe(false);
		},
	);
});
