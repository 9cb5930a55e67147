/** However many repositories a project has, git runs nothing there that a command has changed, and what is the user's stays. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { repositoriesBelow } from "./git-paths.ts";

let root = "";
beforeEach(() => (root = realpathSync(mkdtempSync(join(tmpdir(), "tau-many-")))));
afterEach(() => {
	rmSync(root, { recursive: true, force: true });
});

/** What git takes for a repository, with a setting and a hook of the user. */
function repository(path: string): string {
	for (const name of ["objects", "refs", "hooks"]) mkdirSync(join(path, name), { recursive: true });
	writeFileSync(join(path, "HEAD"), "ref: refs/heads/main\n");
	writeFileSync(join(path, "config"), "[core]\n\tbare = false\n[alias]\n\tmine = !true\n");
	writeFileSync(join(path, "hooks/pre-push"), "#!/bin/sh\n", { mode: 0o755 });
	return path;
}

test("regression: a directory of many others keeps no repository beside it from its protection", () => {
	for (let index = 0; index < 1200; index++) mkdirSync(join(root, `data/${index}`), { recursive: true });
	const names = ["a", "data/0/part", "z"].map((name) => repository(join(root, name, ".git")));
	const { readOnly } = repositoriesBelow(root, "/home/none");
	const expected = [names[0], names[2]].map((path) => join(path ?? "", "config"));
	expect(readOnly.filter((path) => path.endsWith("/config")).toSorted()).toEqual(expected);
});
