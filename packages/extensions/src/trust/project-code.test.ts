/** What counts as code of a project, and which changes of it are noticed. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { codeChanges, projectCode } from "./project-code.ts";

let project = "";
beforeEach(() => {
	project = realpathSync(mkdtempSync(join(tmpdir(), "tau-code-")));
});
afterEach(() => rmSync(project, { recursive: true }));

function put(path: string, text: string): void {
	mkdirSync(dirname(join(project, path)), { recursive: true });
	writeFileSync(join(project, path), text);
}

test("extensions with their parts, hooks, tools, and what settings name are code; other files are not", () => {
	put(".pi/extensions/a/index.ts", "1");
	put(".pi/extensions/a/lib/deep.ts", "1");
	put(".pi/extensions/a/node_modules/x/index.js", "1");
	put(".claude/settings.json", `{ "hooks": {}, "theme": "dark" }`);
	put(".tau/tools/t.ts", "1");
	put(".tau/config.yml", "extensions: [../own.ts]\n");
	put("own.ts", "1");
	put("src/index.ts", "1");
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
	put(".tau/extensions/a.ts", "1");
	put(".tau/extensions/b.ts", "1");
	put(".claude/settings.json", `{ "hooks": {}, "theme": "dark" }`);
	const before = projectCode(project);
	put(".claude/settings.json", `{ "theme": "light", "hooks": {} }`);
	expect(codeChanges(before, projectCode(project))).toEqual([]);
	put(".tau/extensions/a.ts", "2");
	put(".tau/extensions/c.ts", "1");
	rmSync(join(project, ".tau/extensions/b.ts"));
	expect(codeChanges(before, projectCode(project))).toEqual([
		{ path: ".tau/extensions/a.ts", kind: "changed" },
		{ path: ".tau/extensions/c.ts", kind: "new" },
		{ path: ".tau/extensions/b.ts", kind: "removed" },
	]);
});
