/** Files that are open in an editor: what it shows is what is read, and nothing that was typed there is lost. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { withBuffers, type EditorBuffers } from "./buffers.ts";
import { localMachine } from "./local.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-buffers-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const path = join(directory, "a.txt");
const { signal } = new AbortController();

/** Keeps texts by path; `saves`: whether it writes them to the disk. */
function editor(texts: Record<string, string>, saves = false): EditorBuffers {
	return {
		read: async (file) => texts[file],
		async write(file, text) {
			if (!(file in texts)) return false;
			texts[file] = text;
			if (saves) writeFileSync(file, text);
			return true;
		},
	};
}

async function change(buffers: EditorBuffers, text: string, meanwhile?: () => void): Promise<string> {
	const { files } = withBuffers(localMachine(), buffers);
	const before = await files.readText("a.txt", path);
	if (!before.ok) return before.reason;
	meanwhile?.();
	const done = await files.commit([{ before, after: { text, hasBom: false } }], { signal });
	return done.ok ? done.changes.map(({ kind }) => kind).join() : done.kind;
}

beforeEach(() => writeFileSync(path, "saved\n"));

test("what is not saved is read, whole and in part, and has a state of its own", async () => {
	const { files } = withBuffers(localMachine(), editor({ [path]: "unsaved\n" }));
	const text = await files.readText("a.txt", path);
	const disk = await localMachine().files.readText("a.txt", path);
	expect(text).toMatchObject({ ok: true, text: "unsaved\n" });
	expect(
		text.ok && text.text !== undefined && disk.ok && disk.text !== undefined && text.stamp !== disk.stamp,
	).toBe(true);
	const bytes = await files.read(path, { signal, maxBytes: 100, range: { start: 2, end: 7 } });
	expect(Buffer.from(bytes).toString()).toBe("saved");
	await using opened = await files.open(path, signal);
	const into = new Uint8Array(4);
	expect(await opened?.readInto(into, 0)).toBe(4);
	expect(Buffer.from(into).toString()).toBe("unsa");
});

test.each([true, false])(
	"a change reaches the editor and the disk, whether the editor saves it (%p)",
	async (saves) => {
		const texts = { [path]: "unsaved\n" };
		expect(await change(editor(texts, saves), "new\n")).toBe("changed");
		expect([texts[path], readFileSync(path, "utf8")]).toEqual(["new\n", "new\n"]);
	},
);

test("what the user types, or another program writes, after a file was read is not overwritten", async () => {
	const texts = { [path]: "saved\n" };
	expect(await change(editor(texts), "new\n", () => (texts[path] = "typed\n"))).toBe("changed");
	expect([texts[path], readFileSync(path, "utf8")]).toEqual(["typed\n", "saved\n"]);
	const others = { [path]: "saved\n" };
	expect(await change(editor(others), "new\n", () => writeFileSync(path, "by another\n"))).toBe("changed");
	expect([others[path], readFileSync(path, "utf8")]).toEqual(["saved\n", "by another\n"]);
});

test("an editor that keeps line ends and marks apart has the same text; one that fails leaves the file to the disk", async () => {
	writeFileSync(path, "\ufeffone\r\ntwo\r\n");
	const { files } = withBuffers(localMachine(), editor({ [path]: "one\ntwo\n" }));
	expect(await files.readText("a.txt", path)).toMatchObject({ text: "one\r\ntwo\r\n", hasBom: true });
	writeFileSync(path, "saved\n");
	expect(await change(editor({}), "new\n")).toBe("changed");
	expect(readFileSync(path, "utf8")).toBe("new\n");
});

test("of a file that is not text, the bytes are those of the disk", async () => {
	writeFileSync(path, Buffer.from([0, 1, 2]));
	const { files } = withBuffers(localMachine(), editor({ [path]: "taken for text" }));
	expect([...(await files.read(path, { signal, maxBytes: 10 }))]).toEqual([0, 1, 2]);
});

test("a file that is too long to ask the editor about is changed on the disk, and not in the editor", async () => {
	const long = "x".repeat(8 * 1024 * 1024 + 1);
	writeFileSync(path, long);
	const texts = { [path]: "typed and not saved\n" };
	expect(await change(editor(texts), "new\n")).toBe("changed");
	expect([texts[path], readFileSync(path, "utf8")]).toEqual(["typed and not saved\n", "new\n"]);
});
