/** The pictures of the README show a session that would really go that way, and nothing else. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { edits, makeProject } from "./project.ts";

const root = join(import.meta.dir, "../..");

test("the tests of the pictured project fail, and pass after the edits of the played model", () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-pictures-test-"));
	try {
		makeProject(directory);
		const run = () => Bun.spawnSync(["node", "test/cart.test.js"], { cwd: directory }).exitCode;
		expect(run()).toBe(1);
		const path = join(directory, "src/cart.js");
		const before = readFileSync(path, "utf8");
		writeFileSync(
			path,
			edits.reduce((text, { oldText, newText }) => text.replace(oldText, newText), before),
		);
		expect(run()).toBe(0);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

test("the README shows each picture dark and light, and none of them is of the demo", () => {
	const readme = readFileSync(join(root, "README.md"), "utf8");
	const pictures = [...readme.matchAll(/docs\/pictures\/[\w-]+\.svg/g)].map(([path]) => path).toSorted();
	expect(pictures).toEqual(
		["commands-light", "commands", "session-light", "session"].map((name) => `docs/pictures/${name}.svg`),
	);
	for (const path of pictures) expect(readFileSync(join(root, path), "utf8")).not.toMatch(/demo/i);
	expect(readFileSync(join(root, "docs/pictures/session.svg"), "utf8")).toContain("Both failures came from");
});

test("every picture of the docs is shown on a page, and every one shown is there", () => {
	const pages = ["README.md", ...new Bun.Glob("docs/**/*.md").scanSync(root)];
	const shown = pages.flatMap((page) =>
		[...readFileSync(join(root, page), "utf8").matchAll(/pictures\/([\w-]+\.svg)/g)].map(([, name]) => name),
	);
	const stored = [...new Bun.Glob("*.svg").scanSync(join(root, "docs/pictures"))];
	expect([...new Set(shown)].toSorted()).toEqual(stored.toSorted());
});
