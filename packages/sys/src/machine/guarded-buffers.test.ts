/** An editor opens files by their names: a link that appears on the way must not lead it out of the project. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { EditorBuffers } from "./buffers.ts";
import { guardedBuffers } from "./guarded-buffers.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-editor-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const [root, outside] = [join(base, "project"), join(base, "outside")];
const [folder, aside] = [join(root, "d"), join(root, "aside")];
const path = join(folder, "x");
const { signal } = new AbortController();

function linkOut(): void {
	renameSync(folder, aside);
	symlinkSync(outside, folder);
}

function putBack(): void {
	unlinkSync(folder);
	renameSync(aside, folder);
}

/** Reads and writes as an editor does; `around` happens while it is asked. */
function editor(around: { before(): void; after(): void }): { files: EditorBuffers; asked: () => number } {
	let asked = 0;
	const during = <T>(work: () => T): T => {
		asked++;
		around.before();
		try {
			return work();
		} finally {
			around.after();
		}
	};
	const files = guardedBuffers(
		{
			read: async (file) => during(() => readFileSync(file, "utf8")),
			write: async (file, text) => during(() => writeFileSync(file, text)),
		},
		[root],
	);
	return { files: files ?? {}, asked: () => asked };
}

const nothing = { before() {}, after() {} };

beforeEach(() => {
	rmSync(join(base, "project"), { recursive: true, force: true });
	for (const directory of [folder, outside]) mkdirSync(directory, { recursive: true });
	writeFileSync(path, "inside");
	writeFileSync(join(outside, "x"), "secret");
});

test("a file of the project is read and written, also in a directory that does not exist yet", async () => {
	const { files } = editor(nothing);
	expect(await files.read?.(path, signal)).toBe("inside");
	expect(await files.write?.(path, "new", signal)).toBe(true);
	const makes = editor({ ...nothing, before: () => mkdirSync(join(folder, "e"), { recursive: true }) });
	expect(await makes.files.write?.(join(folder, "e/y"), "new", signal)).toBe(true);
});

test("what an editor read over a link that was there for a moment is not shown", async () => {
	const { files, asked } = editor({ before: linkOut, after: putBack });
	expect(await files.read?.(path, signal)).toBeUndefined();
	expect(asked()).toBeGreaterThan(0);
});

test("a directory that has become a link is left to Tau, which does not follow it", async () => {
	linkOut();
	const { files, asked } = editor(nothing);
	expect(await files.read?.(path, signal)).toBeUndefined();
	expect(await files.write?.(path, "new", signal)).toBe(false);
	expect([asked(), readFileSync(join(outside, "x"), "utf8")]).toEqual([0, "secret"]);
});
