/** Which files of a package are its extensions. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

import { entriesOf } from "./entries.ts";

let root = "";

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "tau-entries-"));
	for (const name of [
		"extensions/a.ts",
		"extensions/b.js",
		"extensions/README.md",
		"extensions/a.test.ts",
		"extensions/deep/index.ts",
		"extensions/old.ts",
	]) {
		mkdirSync(dirname(join(root, name)), { recursive: true });
		writeFileSync(join(root, name), "");
	}
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function named(...extensions: string[]): { files: string[]; errors: string[] } {
	writeFileSync(join(root, "package.json"), JSON.stringify({ pi: { extensions } }));
	const { files, problems } = entriesOf(root);
	return { files: files.map((file) => relative(root, file)), errors: problems.map(({ error }) => error) };
}

test("a manifest selects them by globs with exceptions", () => {
	expect(named("./extensions/*.ts", "!**/old.ts")).toEqual({ files: ["extensions/a.ts"], errors: [] });
	expect(named("extensions/*", "-extensions/old.ts").files).toEqual([
		"extensions/a.ts",
		"extensions/b.js",
		"extensions/deep/index.ts",
	]);
});

test("a path that names nothing is reported, a glob that matches nothing is not", () => {
	expect(named("./extensions/gone.ts", "./nowhere/*.ts")).toEqual({
		files: [],
		errors: ["It names ./extensions/gone.ts, which does not exist."],
	});
});

test("a glob cannot lead out of the package", () => {
	expect(named("../*/extensions/a.ts")).toEqual({
		files: [],
		errors: ['"../*/extensions/a.ts" points outside the package and was not loaded.'],
	});
});
