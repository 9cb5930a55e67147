/** Tools work on another machine: its paths do not exist here, and nothing here is changed. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { localMachine, type Machine, type MachineFiles } from "@tau/sys";

import {
	callTool,
	testToolEnv,
	textOf,
	writeArchiveEntry,
	type TestToolEnv,
} from "../../../../test/support/tool-env.ts";
import { builtinTools } from "@tau/integrations/builtin";

/** Where the other machine has its files; the path does not exist here. */
const root = "/other-machine/work";

/** A machine whose `/other-machine/work` is a directory of ours. */
function machineIn(directory: string): Machine {
	const { files, shell } = localMachine();
	const here = (path: string): string => {
		if (path === root || path.startsWith(`${root}/`)) return directory + path.slice(root.length);
		throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
	};
	const there = (path: string): string => root + path.slice(directory.length);
	const seen = <F extends Awaited<ReturnType<MachineFiles["readText"]>>>(file: F): F =>
		file.ok ? { ...file, target: there(file.target) } : file;
	return {
		where: { kind: "ssh", label: "build.example" },
		files: {
			...files,
			stat: async (path) => (path.startsWith(root) ? files.stat(here(path)) : undefined),
			lstat: async (path) => (path.startsWith(root) ? files.lstat(here(path)) : undefined),
			realpath: async (path) => there(await files.realpath(here(path))),
			open: async (path, signal) => files.open(here(path), signal),
			read: async (path, options) => files.read(here(path), options),
			list: async (path) => files.list(here(path)),
			glob: async (options) => ({
				...(await files.glob({ ...options, root: here(options.root) })),
				root: options.root,
			}),
			fuzzyFind: async (options) => files.fuzzyFind({ ...options, root: here(options.root) }),
			search: (options, onEvent) =>
				files.search({ ...options, cwd: here(options.cwd), paths: options.paths.map(here) }, (event) =>
					onEvent({ ...event, path: there(event.path) }),
				),
			readText: async (shown, path) => seen(await files.readText(shown, here(path))),
			readEntry: async (shown, path) => seen(await files.readEntry(shown, here(path))),
			commit: (changes, options) =>
				files.commit(
					changes.map((change) => ({
						...change,
						before: { ...change.before, target: here(change.before.target) },
					})),
					options,
				),
			localPath: () => undefined,
		},
		shell: {
			...shell,
			session: (options) => shell.session({ ...options, cwd: here(options.cwd) }),
		},
	};
}

async function otherPlace(directory: string): Promise<TestToolEnv> {
	return await testToolEnv({
		cwd: root,
		machine: machineIn(directory),
		resolve: (path) => join(root, path),
	});
}

async function call(env: TestToolEnv, name: string, args: Record<string, unknown>): Promise<string> {
	const tool = builtinTools.find((each) => each.name === name);
	if (!tool) throw new Error(`There is no tool ${name}.`);
	return textOf(await callTool(tool.bind(env), args));
}

test("reading, finding, searching, changing and running happen there", async () => {
	await using disk = await testToolEnv();
	const writeFixture = (path: string, text: string): void => {
		mkdirSync(dirname(join(disk.cwd, path)), { recursive: true });
		writeFileSync(join(disk.cwd, path), text);
	};
	writeFixture("src/a.ts", "export const one = 1;\n");
	writeFixture("src/deep/b.ts", "export const needle = 2;\n");
	writeFixture(
		"cells.ipynb",
		JSON.stringify({ cells: [{ cell_type: "code", source: "1", outputs: [] }], metadata: {} }),
	);
	symlinkSync("src/a.ts", join(disk.cwd, "link"));
	await writeArchiveEntry(join(disk.cwd, "a.zip"), "inner.txt", "from the archive");
	await using env = await otherPlace(disk.cwd);

	expect(await call(env, "read", { path: "src/a.ts" })).toContain("export const one = 1;");
	expect(await call(env, "read", { path: "src/a.ts:1" })).toContain("export const one = 1;");
	expect(await call(env, "read", { path: "src" })).toContain("deep/");
	expect(await call(env, "read", { path: "a.zip:inner.txt" })).toContain("from the archive");
	expect(await call(env, "read", { path: "src/aa.ts" })).toContain("Did you mean src/a.ts?");
	expect(await call(env, "ls", {})).toContain("link -> src/a.ts");
	expect(await call(env, "find", { pattern: "*.ts" })).toContain("b.ts");
	expect(await call(env, "grep", { pattern: "needle" })).toContain("src/deep/b.ts");
	expect(await call(env, "ast_grep", { pattern: "const $A = $B" })).toContain("one");
	await call(env, "write", { path: "new/c.txt", content: "written there\n" });
	await call(env, "edit", { path: "src/a.ts", edits: [{ oldText: "one", newText: "uno" }] });
	await call(env, "notebook", { path: "cells.ipynb", action: "edit", cell_index: 0, content: "2" });
	await call(env, "write", { path: "a.zip:second.txt", content: "added" });
	expect(await call(env, "bash", { command: "cat new/c.txt" })).toContain("written there");

	const onDisk = (path: string): string => readFileSync(join(disk.cwd, path), "utf8");
	expect([onDisk("new/c.txt"), onDisk("src/a.ts")]).toEqual(["written there\n", "export const uno = 1;\n"]);
	expect(onDisk("cells.ipynb")).toContain('"2"');
	expect(await call(env, "read", { path: "a.zip" })).toContain("second.txt");
	expect(existsSync("/other-machine")).toBe(false);
});

test("a database there cannot be opened from here, and the error says what to do", async () => {
	await using disk = await testToolEnv();
	{
		using database = new Database(join(disk.cwd, "d.sqlite"), { create: true });
		database.run("CREATE TABLE t(a)");
	}
	await using env = await otherPlace(disk.cwd);
	const reason =
		"d.sqlite is a database on build.example, which cannot be opened from here: use bash with sqlite3.";
	expect(await call(env, "read", { path: "d.sqlite" })).toBe(reason);
	expect(await call(env, "write", { path: "d.sqlite:t", content: "{a: 1}" })).toBe(reason);
});

test("the session's own files are read from where Tau runs", async () => {
	await using disk = await testToolEnv();
	await using env = await otherPlace(disk.cwd);
	const artifact = env.artifacts.open("bash");
	artifact.write(Buffer.from("a long output"));
	artifact[Symbol.dispose]();
	expect(await call(env, "read", { path: `artifact://${artifact.id}` })).toContain("a long output");
});
