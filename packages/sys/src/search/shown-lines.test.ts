/** A search that checks what it shows finds the same as one that does not, and nothing behind a link that was put there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { search, searchUnlinked } from "./search.ts";
import { ShownLines } from "./shown-lines.ts";
import type { SearchEvent, SearchOptions } from "./types.ts";

let root: string;
const at = (name: string): string => join(root, name);

beforeAll(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "tau-shown-")));
	const text = "first\nneedle one\nlast needle äöü\n";
	const files: Record<string, Uint8Array | string> = {
		"plain.txt": text,
		"windows.txt": text.replaceAll("\n", "\r\n"),
		"no-end.txt": "the needle",
		"marked.txt": `\ufeff${text}`,
		"utf-16le.txt": Buffer.from(`\ufeff${text}`, "utf16le"),
		"utf-16be.txt": Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
		"latin1.txt": Buffer.from("a needle \xe4\nb\n", "latin1"),
		"long.txt": `short\n${"x".repeat(2_000_000)} needle\nneedle\n`,
		// More than is read at once, with matches across its parts.
		"many.txt": "a needle in a line of some length, and no end of them\n".repeat(5000),
		"binary.bin": Buffer.from("needle\0needle\nneedle\n"),
	};
	for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function eventsOf(
	run: typeof search,
	options: Omit<SearchOptions, "cwd">,
): Promise<{ events: string[]; outcome: unknown }> {
	const events: SearchEvent[] = [];
	const outcome = await run({ ...options, cwd: root }, (event) => void events.push(event));
	return { events: events.map((event) => JSON.stringify(event)).toSorted(), outcome };
}

test("the same is found in every encoding, with every line end, in long lines and binary files", async () => {
	const kinds: Omit<SearchOptions, "cwd">[] = [
		{ pattern: "needle", paths: [root] },
		{ pattern: "needle", paths: [root], before: 1, after: 1 },
		{ pattern: "needle one.*äöü", paths: [root], multiline: true },
		{ pattern: "needle", paths: [at("binary.bin")] },
		{ pattern: "one$", paths: [at("windows.txt"), at("marked.txt"), at("utf-16be.txt")] },
	];
	for (const options of kinds) {
		const plain = await eventsOf(search, options);
		expect(plain.events.length).toBeGreaterThan(0);
		expect(await eventsOf(searchUnlinked, options)).toEqual(plain);
	}
});

test("what is not in the file at that path is not shown, nor what a link leads to", () => {
	using shown = new ShownLines();
	mkdirSync(at("dir"));
	writeFileSync(at("dir/file"), "the needle\n");
	symlinkSync("dir", at("link"));
	const lines = { text: "the needle\n" };
	expect(shown.has(at("dir/file"), { lines, offset: 0 })).toBe(true);
	expect(shown.has(at("dir/file"), { lines: { text: "a secret!!\n" }, offset: 0 })).toBe(false);
	expect(shown.has(at("link/file"), { lines, offset: 0 })).toBe(false);
	expect(shown.has(at("gone"), { lines, offset: 0 })).toBe(false);
});
