/** What a file that a prompt reads may say: versions, and nothing that leads to a program. */
import { expect, test } from "bun:test";

import { isPlain, promptNamesIn } from "./prompt-names.ts";

const plain: Readonly<Record<string, readonly string[]>> = {
	".tool-versions": ["", "nodejs 20.11.1\npython 3.12.1 3.11 system # two\n\n# none\n", "ruby 3.3.0\r\n"],
	".node-version": ["v20.11.1", "20\n"],
	".nvmrc": ["lts/iron\n", "lts/*\n", "node"],
	".python-version": ["3.12\n3.11\n", ">=3.9\n", "pypy3.10-7.3.15"],
	".sdkmanrc": ["# x\njava=17.0.1-tem\n"],
	"rust-toolchain": ["nightly-2024-01-01\n", '[toolchain]\nchannel = "stable"\n'],
	"rust-toolchain.toml": [
		'[toolchain]\nchannel = "1.79"\ncomponents = [\n\t"rustfmt", "clippy",\n\t"rust-src"\n] # x\nprofile = "minimal"\n',
	],
	".prototools": ['node = "20"\nbun = "~1.1"\n'],
	"mise.toml": ['min_version = "2024.1.1"\n\n[tools]\nnode = "20"\n"python" = ["3.12", \'3.11\'] # two\n'],
	".mise/conf.d/x.toml": ["[tools]\ngo = 'latest'\n"],
	"package.json": [
		"{}",
		'{"packageManager":"pnpm@9.1.0+sha512.0a","devEngines":{"runtime":{"name":"node","version":">=20 || ^18"}},"scripts":{"x":"path:/x"}}',
		'{"name": "half',
		'\ufeff{"packageManager":"pnpm@9.1.0"}',
	],
};

test.each(Object.entries(plain))("plain versions in %s stay", (name, texts) => {
	expect(texts.filter((text) => !isPlain(`/p/src/${name}`, text))).toEqual([]);
});

const odd: Readonly<Record<string, readonly string[]>> = {
	".tool-versions": [
		"node path:/p/evil",
		"node 20\nnode path:../evil\n",
		"node ../../../p/evil",
		"node ref:x",
		"node {{ exec(command='x') }}",
		"# {{ exec(command='x') }}\n",
		"# x\rnode path:/p/evil",
		"npm:x 1",
		"node",
	],
	".node-version": ["path:/p/evil", "20\npath:/p/evil", "~/evil", "..", "/p/evil"],
	".nvmrc": ["lts/../../evil"],
	".sdkmanrc": ["java=/p/evil", "java=../evil"],
	"rust-toolchain": ["[toolchain]\npath = '/p/evil'\n", "/p/evil"],
	"rust-toolchain.toml": [
		"[toolchain]\npath = '/p/evil'\n",
		'toolchain.path = "evil"',
		'[toolchain]\nchannel = "path:/p/evil"\n',
		'[ "toolchain" ]\npath = "evil"',
		'[toolchain]\nchannel = """\n"""\npath = "evil"',
	],
	".prototools": ['[plugins]\nx = "file://./x"\n', "[env]\nPATH = 'evil'\n"],
	"mise.toml": [
		'env_file = "evil"',
		"[tools]\nnode = 'path:/p/evil'\n",
		"[tools]\nnode = { version = '20', postinstall = 'x' }\n",
		"[tools]\nnode = '20'\n[env]\nA = '1'\n",
		"[tools]\nnode = '20'\n[hooks]\nenter = 'x'\n",
		"[tools.node]\nversion = '20'",
		"# {{ exec(command='x') }}\n[tools]\n",
	],
	".mise/config.toml": ["[env]\n_.source = 'x'"],
	".miserc.toml": ["env = ['x']"],
	".shadowenv.d/x.lisp": [""],
	"pkgx.yaml": ["dependencies: x"],
	"package.json": [
		'{"packageManager":"pnpm@path:/p/evil"}',
		'{"packageManager":"pnpm@\\u0070ath:/p/evil"}',
		'{"devEngines":{"runtime":[{"name":"node","version":"path:/p/evil"}]}}',
		'\ufeff{"devEngines":{"runtime":{"name":"node","version":"path:/p/evil"}}}',
		'{"packageManager":"pnpm@path:/p/evil",}',
		'{"\\u0070ackageManager":"pnpm@path:/p/evil",}',
	],
	".exrc": ["set nu"],
};

test.each(Object.entries(odd))("what leads elsewhere in %s does not", (name, texts) => {
	expect(texts.filter((text) => isPlain(`/p/src/${name}`, text))).toEqual([]);
});

test.each(["versions", "toml"])("long lines of %s are read in the time that they take", (kind) => {
	const name = kind === "toml" ? "mise.toml" : ".tool-versions";
	for (const part of ["a", " ", "a ", '"a" ', '"a",', "[", "#", "lts/"])
		expect(isPlain(`/p/${name}`, `[tools]\nx = [${part.repeat(10_000)}\u0001`)).toBe(false);
});

test("names count where a program reads them", () => {
	const read = (directory: string, ...names: readonly string[]): string[] =>
		names.filter((name) => promptNamesIn(directory)(name, false));
	const usual = [".tool-versions", "mise.toml", ".mise.ci.local.toml", ".python-versions", ".envrc"];
	expect(read("/p/src", ...usual)).toEqual(usual);
	expect(read("/p/src", "config.toml", "x.toml", "main.c", "tool-versions", "mise", "conf.d")).toEqual([]);
	expect(read("/p/src/.config/mise", "config.toml", "config.ci.toml", "x.toml")).toEqual([
		"config.toml",
		"config.ci.toml",
	]);
	expect(read("/p/mise/conf.d", "x.toml", "x.md")).toEqual(["x.toml"]);
	expect(read("/etc/nginx/conf.d", "x.toml")).toEqual([]);
	const ofEditors = [".exrc", ".vimrc", "_vimrc", ".gvimrc", ".nvim.lua", ".irbrc"];
	expect(read("/p/src", ...ofEditors, "settings.json", ".vscode")).toEqual(ofEditors);
	expect(promptNamesIn("/p/src")(".mise", true)).toBe(true);
	expect(promptNamesIn("/p/src")("bin", true)).toBe(false);
});
