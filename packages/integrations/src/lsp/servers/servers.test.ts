/** Which servers there are, where they are found, and how the user changes them. */
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { testToolEnv, type TestToolEnv } from "../../../../../test/support/tool-env.ts";
import { serversOf } from "../language-servers.ts";
import { serverTable } from "./table.ts";

/** A home directory and a project with these files; programs are executable. */
async function project(files: readonly string[]): Promise<TestToolEnv> {
	const env = await testToolEnv();
	for (const file of files) {
		const path = file.replace(/^~/, env.env.HOME ?? "");
		const absolute = path.startsWith("/") ? path : join(env.cwd, path);
		mkdirSync(dirname(absolute), { recursive: true });
		writeFileSync(absolute, "");
		chmodSync(absolute, 0o755);
	}
	return { ...env, env: { HOME: env.env.HOME, PATH: join(env.env.HOME ?? "", "path") } };
}

async function commandFor(env: TestToolEnv, name: string): Promise<string | undefined> {
	const [main] = await serversOf(env).chosen(join(env.cwd, name));
	const [program] = main?.command ?? [];
	return program?.replace(env.cwd, "project").replace(env.env.HOME ?? "", "~");
}

test("more than 40 languages have a server, each with a command and a way to install it", () => {
	const languages = new Set(serverTable.flatMap(({ files }) => Object.values(files)));
	expect(languages.size).toBeGreaterThan(60);
	expect(serverTable.length).toBeGreaterThan(60);
	expect(new Set(serverTable.map(({ name }) => name)).size).toBe(serverTable.length);
	for (const { install, command, files } of serverTable) {
		expect(install).not.toBe("");
		expect(command[0]).not.toBe("");
		expect(Object.keys(files).length).toBeGreaterThan(0);
	}
});

test.each([
	[
		"the project's own before the user's",
		"a.py",
		"project/node_modules/.bin/pyright-langserver",
		["node_modules/.bin/pyright-langserver", "~/path/pyright-langserver"],
	],
	["on PATH", "a.go", "~/path/gopls", ["~/path/gopls", "~/go/bin/gopls"]],
	["where Go installs programs", "a.go", "~/go/bin/gopls", ["~/go/bin/gopls"]],
	[
		"in a virtual environment",
		"a.py",
		"project/.venv/bin/pyright-langserver",
		[".venv/bin/pyright-langserver"],
	],
	[
		"where Mason keeps it",
		"a.lua",
		"~/.local/share/nvim/mason/bin/lua-language-server",
		["~/.local/share/nvim/mason/bin/lua-language-server"],
	],
	[
		"in the newest extension of VS Code",
		"a.rs",
		"~/.vscode/extensions/rust-lang.rust-analyzer-0.3.10/server/rust-analyzer",
		[
			"~/.vscode/extensions/rust-lang.rust-analyzer-0.3.9/server/rust-analyzer",
			"~/.vscode/extensions/rust-lang.rust-analyzer-0.3.10/server/rust-analyzer",
		],
	],
	["under another name", "a.py", "~/path/basedpyright-langserver", ["~/path/basedpyright-langserver"]],
])("a server is found %s", async (_where, name, command, files) => {
	await using env = await project([name, ...files]);
	expect(await commandFor(env, name)).toBe(command);
});

test("TypeScript 7 of the project is preferred, an older one is not asked to be a server", async () => {
	const files = ["a.ts", "node_modules/.bin/tsc", "~/path/typescript-language-server"];
	await using env = await project(files);
	const manifest = join(env.cwd, "node_modules/typescript/package.json");
	mkdirSync(dirname(manifest));
	writeFileSync(manifest, '{ "version": "5.9.3" }');
	expect(await commandFor(env, "a.ts")).toBe("~/path/typescript-language-server");
	writeFileSync(manifest, '{ "version": "7.0.2" }');
	await serversOf(env).reload();
	expect(await commandFor(env, "a.ts")).toBe("project/node_modules/.bin/tsc");
});

test("the user switches servers off, changes them and adds some; mistakes are reported", async () => {
	await using env = await project(["a.go", "a.my", "~/path/gopls", "~/path/golsp", "~/path/mine"]);
	const set = (value: Record<string, unknown>): Promise<unknown> =>
		env.settings.set("lsp.servers", value, "session");
	await set({ gopls: { command: "golsp", args: ["-x"] }, mine: { command: ["mine"], extensions: ["my"] } });
	expect(await commandFor(env, "a.go")).toBe("~/path/golsp");
	expect(await commandFor(env, "a.my")).toBe("~/path/mine");
	await set({ gopls: { disabled: true }, mine: { command: ["mine"] }, other: { command: 7, files: {} } });
	expect(await commandFor(env, "a.go")).toBeUndefined();
	expect(serversOf(env).problems).toEqual([
		'lsp.servers.mine: it needs files, such as { ".abc": "abc" }.',
		expect.stringMatching(/^lsp\.servers\.other\.command: /),
	]);
});
