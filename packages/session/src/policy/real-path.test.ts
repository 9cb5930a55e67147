/** A path is judged to be within a directory exactly where the system would find it there. */
import { expect, test } from "bun:test";
import { isAbsolute, relative } from "node:path";
import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { isWithin } from "./real-path.ts";

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
