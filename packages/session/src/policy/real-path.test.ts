/** A path is judged to be within a directory exactly where the system would find it there. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { isWithin, realPath } from "./real-path.ts";

test("however a path is written, it is within a directory if the way from there to it leads down", () => {
	const part = fc.constantFrom("a", "b", "a.b", "..a", ".a", "...", "a\nb", ".", "..", "");
	const path = fc.array(part, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
	fc.assert(
		fc.property(path, path, (one, root) => {
			const way = relative(root, one);
			const isBelow = way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way));
			expect(`${one} ${root} ${isWithin(one, root)}`).toBe(`${one} ${root} ${isBelow}`);
		}),
		{ numRuns: samples(2000) },
	);
});

test.each([
	["/home/me", "/home/me", true],
	["/home/me/.ssh/id", "/home/me/.ssh", true],
	["/home/me/.sshx", "/home/me/.ssh", false],
	["/home/me/.ssh/../x", "/home/me/.ssh", false],
	["/home/me", "/", true],
	["/home", "/home/me", false],
])("%p in %p: %p", (path, root, expected) => {
	expect(isWithin(path, root)).toBe(expected);
});

test("regression: a link to what is not there leads where the system would make it, also through `link/..`", () => {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-real-path-")));
	try {
		for (const name of ["project/src", "project/p", "home"]) mkdirSync(join(base, name), { recursive: true });
		const link = (name: string, target: string): void => symlinkSync(target, join(base, "project", name));
		link("p/there", "../src");
		link("p/later", "../new");
		link("a", "p/there/../../home/.profile");
		link("b", "p/later/../../home/.profile");
		link("c", "p/none/../x");
		link("d", "a");
		link("loop", "loop");
		const leadsTo = (name: string): string => relative(base, realPath(join(base, "project", name)));
		expect(["a", "b", "d"].map(leadsTo)).toEqual(["home/.profile", "home/.profile", "home/.profile"]);
		expect(["c", "x/y", "p/there/x", "loop"].map(leadsTo)).toEqual([
			"project/p/x",
			"project/x/y",
			"project/src/x",
			"project/loop",
		]);
	} finally {
		rmSync(base, { recursive: true, force: true });
	}
});
