/** What counts as code of a project, and which changes of it are noticed. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { limits } from "../support/limits.ts";
import { codeChanges, projectCode } from "./project-code.ts";

let project = "";
beforeEach(() => {
	project = realpathSync(mkdtempSync(join(tmpdir(), "tau-code-")));
});
afterEach(() => rmSync(project, { recursive: true }));

function writeFixture(path: string, text: string): void {
	mkdirSync(dirname(join(project, path)), { recursive: true });
	writeFileSync(join(project, path), text);
}

test("extensions with their parts, hooks, tools, and what settings name are code; other files are not", () => {
	writeFixture(".pi/extensions/a/index.ts", "1");
	writeFixture(".pi/extensions/a/lib/deep.ts", "1");
	writeFixture(".pi/extensions/a/node_modules/x/index.js", "1");
	writeFixture(".claude/settings.json", `{ "hooks": {}, "theme": "dark" }`);
	writeFixture(".tau/tools/t.ts", "1");
	writeFixture(".tau/config.yml", "extensions: [../own.ts]\n");
	writeFixture("own.ts", "1");
	writeFixture("src/index.ts", "1");
	expect(Object.keys(projectCode(project)).toSorted()).toEqual([
		".claude/settings.json",
		".pi/extensions/a/index.ts",
		".pi/extensions/a/lib/deep.ts",
		".tau/config.yml",
		".tau/tools/t.ts",
		"own.ts",
	]);
});

test("new, changed and removed code is distinguished, and settings that name no code may change", () => {
	writeFixture(".tau/extensions/a.ts", "1");
	writeFixture(".tau/extensions/b.ts", "1");
	writeFixture(".claude/settings.json", `{ "hooks": {}, "theme": "dark" }`);
	const before = projectCode(project);
	writeFixture(".claude/settings.json", `{ "theme": "light", "hooks": {} }`);
	expect(codeChanges(before, projectCode(project))).toEqual([]);
	writeFixture(".tau/extensions/a.ts", "2");
	writeFixture(".tau/extensions/c.ts", "1");
	rmSync(join(project, ".tau/extensions/b.ts"));
	expect(codeChanges(before, projectCode(project))).toEqual([
		{ path: ".tau/extensions/a.ts", kind: "changed" },
		{ path: ".tau/extensions/c.ts", kind: "new" },
		{ path: ".tau/extensions/b.ts", kind: "removed" },
	]);
});

type Files = Record<string, string>;

const hooks = (command: string): string =>
	JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
const extension: Files = {
	".tau/extensions/a.ts": 'import { x } from "../../lib/x.ts";\nexport default () => x;',
};

/** What a later version of a repository changes: all of it would run without another file of the list. */
const attacks: [what: string, before: Files, after: Files][] = [
	["hooks of Tau's own file", { ".tau/hooks.json": hooks("true") }, { ".tau/hooks.json": hooks("evil") }],
	[
		"hooks under a key with escapes",
		{ ".claude/settings.json": "{}" },
		{ ".claude/settings.json": hooks("evil").replace("hooks", "h\\u006foks") },
	],
	[
		"the script of a hook",
		{ ".tau/hooks.json": hooks('sh "$CLAUDE_PROJECT_DIR"/scripts/check.sh'), "scripts/check.sh": "true" },
		{ "scripts/check.sh": "evil" },
	],
	[
		"a module that an extension imports from elsewhere",
		{ ...extension, "lib/x.ts": "export const x = 1;" },
		{ "lib/x.ts": "evil" },
	],
	[
		"a module that a module imports",
		{ ...extension, "lib/x.ts": 'export * from "./y";', "lib/y.js": "1" },
		{ "lib/y.js": "evil" },
	],
	[
		"a module whose import is unused",
		{ ".tau/extensions/a.ts": 'import x from "../../x.ts";', "x.ts": "1" },
		{ "x.ts": "evil" },
	],
	[
		"a module behind an alias of tsconfig.json",
		{
			".tau/extensions/a.ts": 'import "@lib/x";',
			"tsconfig.json": '{ "compilerOptions": { "paths": { "@lib/*": ["./lib/*"] } } } // comment',
			"lib/x.ts": "1",
		},
		{ "lib/x.ts": "evil" },
	],
	[
		"a module in a directory, under the name of its JavaScript",
		{ ".tau/extensions/a.ts": 'import "../../lib"; import "../../y.js";', "lib/index.ts": "1", "y.ts": "1" },
		{ "lib/index.ts": "evil" },
	],
	[
		"a module that is required",
		{ ".tau/tools/a.cjs": 'module.exports = require("../../x.cjs");', "x.cjs": "1" },
		{ "x.cjs": "evil" },
	],
	[
		"a hidden module",
		{ ".tau/extensions/a.ts": 'import "./.x.ts";', ".tau/extensions/.x.ts": "1" },
		{ ".tau/extensions/.x.ts": "evil" },
	],
	[
		"an installed package",
		{
			".tau/extensions/a/index.ts": 'import "x";',
			".tau/extensions/a/node_modules/x/package.json": '{ "name": "x", "main": "x.js" }',
			".tau/extensions/a/node_modules/x/x.js": 'require("./lib/part.js")',
			".tau/extensions/a/node_modules/x/lib/part.js": "1",
		},
		{ ".tau/extensions/a/node_modules/x/lib/part.js": "evil" },
	],
	[
		"a package that an installed one depends on",
		{
			".tau/extensions/a/index.ts": 'import "x";',
			".tau/extensions/a/node_modules/x/package.json": '{ "name": "x", "dependencies": { "y": "1" } }',
			".tau/extensions/a/node_modules/x/index.js": "1",
			".tau/extensions/a/node_modules/y/index.js": "1",
		},
		{ ".tau/extensions/a/node_modules/y/index.js": "evil" },
	],
	[
		"a package that settings name by its path",
		{
			".tau/config.yml": "packages: [../own]\n",
			"own/package.json": '{ "name": "own", "tau": { "extensions": ["./e.ts"] } }',
			"own/e.ts": "1",
		},
		{ "own/e.ts": "evil" },
	],
	[
		"a plugin that is switched on",
		{ ".claude/settings.json": "{}" },
		{ ".claude/settings.json": '{ "enabledPlugins": { "x@y": true } }' },
	],
	[
		"a command in a template",
		{ ".claude/commands/t.md": "Look: !`true`" },
		{ ".claude/commands/t.md": "Look: !`evil`" },
	],
	[
		"a command in a template, hidden by a control character",
		{ ".tau/commands/t.md": "Look" },
		{ ".tau/commands/t.md": "Look: !\u0007`evil`" },
	],
	[
		"a file that is named like a member of all objects",
		{ ".tau/config.yml": "extensions: [../constructor]\n", constructor: "1" },
		{ constructor: "evil" },
	],
];

test.each(attacks)("a change is noticed of %s", (_what, before, after) => {
	for (const [path, text] of Object.entries(before)) writeFixture(path, text);
	const code = projectCode(project);
	expect(codeChanges(code, projectCode(project))).toEqual([]);
	for (const [path, text] of Object.entries(after)) writeFixture(path, text);
	expect(codeChanges(code, projectCode(project))).not.toEqual([]);
});

test("nothing is downloaded to find out what a module imports", () => {
	writeFixture(".git/HEAD", "ref: refs/heads/main\n");
	writeFixture(".tau/extensions/a.ts", 'import { x } from "is-odd"; export default () => x;');
	expect(Object.keys(projectCode(project))).toEqual([".tau/extensions/a.ts"]);
});

test("in a subdirectory, hooks of the repository count too", () => {
	writeFixture(".git/HEAD", "ref: refs/heads/main\n");
	writeFixture(".claude/settings.json", hooks("true"));
	writeFixture("sub/file", "");
	const code = projectCode(join(project, "sub"));
	writeFixture(".claude/settings.json", hooks("evil"));
	expect(codeChanges(code, projectCode(join(project, "sub")))).toEqual([
		{ path: "../.claude/settings.json", kind: "changed" },
	]);
});

test("links lead to what they show: a directory, a module and its imports", () => {
	writeFixture("real/extensions/a.ts", 'import "./part.ts";');
	writeFixture("real/extensions/part.ts", "1");
	symlinkSync("real", join(project, ".tau"));
	const code = projectCode(project);
	writeFixture("real/extensions/part.ts", "evil");
	expect(codeChanges(code, projectCode(project)).map(({ path }) => path)).toContain(
		".tau/extensions/part.ts",
	);
});

test("files beyond the bounds share an entry, and their changes are noticed", () => {
	for (let at = 0; at < limits.codeFiles + 20; at++) writeFixture(`.tau/extensions/${10_000 + at}.txt`, "1");
	const code = projectCode(project);
	expect(Object.keys(code)).toHaveLength(limits.codeFiles + 1);
	expect(codeChanges(code, projectCode(project))).toEqual([]);
	writeFixture(`.tau/extensions/${10_000 + limits.codeFiles + 10}.txt`, "2");
	expect(codeChanges(code, projectCode(project))).toEqual([{ path: "(other files)", kind: "changed" }]);
});
