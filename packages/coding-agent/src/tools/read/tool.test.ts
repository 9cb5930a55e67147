/** A file is read in numbered lines that a model can go on from, and whatever a file holds is harmless. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";

import type { AgentToolResult } from "@tau/agent";

import { callTool, testPlace, textOf } from "../../testing/place.ts";
import { limits as shared } from "../limits.ts";
import { limits } from "./limits.ts";
import { Page } from "./page.ts";
import { streamLines } from "./stream-lines.ts";
import { read } from "./tool.ts";

let cwd = "";
beforeAll(() => {
	cwd = mkdtempSync(join(tmpdir(), "tau-read-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function run(args: Record<string, unknown>): Promise<AgentToolResult> {
	await using place = await testPlace({ cwd });
	return await callTool(read.bind(place), args);
}

async function readText(
	text: string | Uint8Array,
	args: Record<string, unknown> = {},
): Promise<AgentToolResult & { text: string }> {
	writeFileSync(join(cwd, "file"), text);
	const result = await run({ path: "file", ...args });
	return { ...result, text: textOf(result) };
}

/** The lines without their numbers, which have to count from `first`. */
function unnumbered(text: string, first = 1): string[] {
	return text.split("\n").map((line, index) => {
		const [, number, rest] = /^ *(\d+) {2}(.*)$/s.exec(line) ?? [];
		expect(Number(number)).toBe(first + index);
		return rest ?? "";
	});
}

describe("a text file", () => {
	const texts: [what: string, text: string, lines: string[]][] = [
		["comes in numbered lines", "one\ntwo\n", ["one", "two"]],
		["needs no newline at its end", "one\ntwo", ["one", "two"]],
		["keeps its empty lines and its blanks", "\n  a\t\n\n", ["", "  a\t", ""]],
		["may be one newline", "\n", [""]],
		["may have Windows line ends", "one\r\ntwo\r\n", ["one", "two"]],
		["may start with a byte order mark", "\ufeffone\n", ["one"]],
		["may have any script", "grün\n日本語 👨‍👩‍👧\n", ["grün", "日本語 👨‍👩‍👧"]],
		["has no lines but those that end in a newline", "a\u2028b\u2029c\x85d\ve\n", ["a b cde"]],
	];
	test.each(texts)("%s", async (_, text, lines) => {
		const result = await readText(text);
		expect(unnumbered(result.text)).toEqual(lines);
		expect(result.isError).toBeUndefined();
	});

	test("in broken UTF-8 shows what is broken and nothing else", async () => {
		const { text } = await readText(new Uint8Array([0x61, 0xff, 0x62, 0x0a, 0xc3]));
		expect(unnumbered(text)).toEqual(["a\ufffdb", "\ufffd"]);
	});

	test("that is empty is said to be", async () => {
		for (const empty of ["", "\ufeff"]) {
			expect(await readText(empty)).toMatchObject({ text: "file is empty.", details: { totalLines: 0 } });
		}
	});

	test("with numbers that line up", async () => {
		const { text } = await readText("x\n".repeat(1000));
		expect(new Set(text.split("\n").map((line) => line.indexOf("x"))).size).toBe(1);
	});
});

describe("a part of a file", () => {
	const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");
	const parts: [
		what: string,
		args: Record<string, number>,
		first: number,
		last: number,
		note: string | undefined,
	][] = [
		["from a line on", { offset: 8 }, 8, 10, undefined],
		["so many lines", { limit: 3 }, 1, 3, "[lines 1-3 of 10; go on with offset 4]"],
		["so many from a line on", { offset: 4, limit: 2 }, 4, 5, "[lines 4-5 of 10; go on with offset 6]"],
		["the last line", { offset: 10, limit: 1 }, 10, 10, undefined],
		["more than there is", { offset: 9, limit: 100 }, 9, 10, undefined],
	];
	test.each(parts)("%s", async (_, args, first, last, note) => {
		const { text, details } = await readText(ten, args);
		const lines = text.split("\n");
		expect(note === undefined ? undefined : lines.pop()).toBe(note);
		expect(unnumbered(lines.join("\n"), first)).toEqual(
			Array.from({ length: last - first + 1 }, (_none, index) => `line ${first + index}`),
		);
		expect(details).toEqual({
			totalLines: 10,
			firstLine: first,
			lastLine: last,
			truncated: note !== undefined,
		});
	});

	test("past its end is an error that says how long it is", async () => {
		expect(await readText(ten, { offset: 11 })).toMatchObject({
			isError: true,
			text: "file has 10 lines; offset 11 is past its end.",
		});
	});

	const refused: [what: string, name: string, value: number][] = [
		["line 0", "offset", 0],
		["a line before the first", "offset", -1],
		["half a line", "offset", 1.5],
		["no lines", "limit", 0],
		["more lines than one call gives", "limit", limits.lines + 1],
	];
	test.each(refused)("%s is refused by name", async (_, name, value) => {
		await expect(readText(ten, { [name]: value })).rejects.toThrow(`${name}: `);
	});
});

describe("a long file", () => {
	test("of short lines comes in parts of so many", async () => {
		const total = limits.lines + 7;
		const first = await readText("x\n".repeat(total));
		const note = `\n[lines 1-${limits.lines} of ${total}; go on with offset ${limits.lines + 1}]`;
		expect(first.text.slice(-note.length)).toBe(note);
		const rest = await readText("x\n".repeat(total), { offset: limits.lines + 1 });
		expect(unnumbered(rest.text, limits.lines + 1)).toHaveLength(7);
	});

	test("of long lines is bounded in bytes, and every part goes on where the last one ended", async () => {
		const whole = Array.from({ length: 120 }, (_, index) => `${index}`.padEnd(1500, "é"));
		const lines: string[] = [];
		for (let parts = 1; lines.length < whole.length; parts++) {
			expect(parts).toBeLessThan(20);
			const offset = lines.length + 1;
			const { text } = await readText(whole.join("\n"), { offset });
			expect(Buffer.byteLength(text)).toBeLessThan(limits.bytes + 100);
			lines.push(...unnumbered(text.replace(/\n\[lines .*\]$/, ""), offset));
		}
		expect(lines).toEqual(whole);
	});

	test("in one line is cut, and says so", async () => {
		const { text } = await readText("x".repeat(1_000_000));
		expect(text).toBe(`     1  ${"x".repeat(limits.lineChars)}… [line cut]`);
	});

	test("in a line that just fits is not cut, whatever ends it", async () => {
		const line = "x".repeat(limits.lineChars);
		expect(unnumbered((await readText(`${line}\r\n${line}`)).text)).toEqual([line, line]);
	});

	test("says that it cuts a line even where the line leaves a sequence open", async () => {
		const { text } = await readText(`\x1b]0;${"x".repeat(limits.lineChars)}`);
		expect(text).toBe("     1  … [line cut]");
	});

	test("larger than can be paged through is refused with the way out", async () => {
		const path = join(cwd, "huge");
		const file = Bun.spawnSync(["truncate", "-s", String(limits.readFileBytes + 1), path]);
		expect(file.exitCode).toBe(0);
		const result = await run({ path: "huge" });
		expect(result.isError).toBe(true);
		expect(textOf(result)).toBe(
			`huge has ${limits.readFileBytes + 1} bytes, too many to read. Use bash with sed, head or grep.`,
		);
	});
});

describe("what a terminal would obey", () => {
	test("is taken out, and costs no line", async () => {
		const { text } = await readText("\x1b[31mred\x1b[0m\n\x1b]0;title\nnext\x07\n\x9b2Jlast\n");
		expect(unnumbered(text)).toEqual(["red", "", "next", "last"]);
	});

	test("for every file: as many lines as the file has, none with a control in it", () => {
		const piece = fc.constantFrom(
			"a",
			"\n",
			"\r",
			"\t",
			"\x1b",
			"[",
			"]",
			"0;",
			"m",
			"\x07",
			"\x9b",
			"\u2028",
			"\u202e",
			"é",
		);
		fc.assert(
			fc.property(fc.array(piece, { minLength: 1 }), (pieces) => {
				const text = pieces.join("");
				const cut = cutLines(text, 1, limits.lines);
				const lines = text.endsWith("\n") ? text.split("\n").length - 1 : text.split("\n").length;
				expect(cut).toMatchObject({ shown: lines, total: lines, last: lines });
				expect(unnumbered(cut.text)).toHaveLength(lines);
				expect(cut.text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]/);
			}),
		);
	});
});

describe("what is no text", () => {
	test("is refused as binary, with the way to look at it", async () => {
		const { text, isError } = await readText(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1]));
		expect(isError).toBe(true);
		expect(text).toBe("Cannot read binary file file. Look at it with bash: file file, or xxd file | head");
	});

	test("far behind a start that is text costs only its own bytes", async () => {
		const start = "text\n".repeat(shared.binaryProbeBytes / 5 + 1);
		const { text, isError } = await readText(`${start}a\0b\n`, { offset: start.split("\n").length });
		expect(isError).toBeUndefined();
		expect(text).toEndWith("  ab");
	});

	test("and no file, such as a pipe or a device, is refused", async () => {
		for (const path of ["/dev/zero", "/dev/null"]) {
			expect(textOf(await run({ path }))).toBe(`${path} is not a regular file.`);
		}
	});
});

describe("what cannot be read is named", () => {
	const bad: [what: string, path: string, message: RegExp][] = [
		["a file that is not there", "nowhere/at all", /^There is no file nowhere\/at all\.$/],
		["a file below a file", "plain/below", /^Cannot read plain\/below: .*ENOTDIR/],
		["a link to nothing", "dangling", /^There is no file dangling\.$/],
		["a link to itself", "loop", /^Cannot read loop: .*ELOOP/],
		["a name that no file can have", "a\0b", /^Cannot read a\0b: .*null bytes/],
		["a name that is too long", "x".repeat(5000), /^Cannot read x+: .*ENAMETOOLONG/],
	];
	beforeAll(() => {
		writeFileSync(join(cwd, "plain"), "text");
		symlinkSync("gone", join(cwd, "dangling"));
		symlinkSync("loop", join(cwd, "loop"));
	});
	test.each(bad)("%s", async (_, path, message) => {
		const result = await run({ path });
		expect(result.isError).toBe(true);
		expect(textOf(result)).toMatch(message);
	});

	test("no path at all", async () => {
		await expect(run({})).rejects.toThrow("path: ");
		await expect(run({ path: "" })).rejects.toThrow("path: ");
	});
});

describe("a directory", () => {
	function directory(name: string, files: readonly string[]): string {
		mkdirSync(join(cwd, name));
		for (const file of files) writeFileSync(join(cwd, name, file), "");
		return name;
	}

	test("lists its names in order, folders with a slash", async () => {
		const path = directory("some", ["b.ts", "a.ts", ".hidden"]);
		mkdirSync(join(cwd, path, "lib"));
		const result = await run({ path });
		expect(textOf(result)).toBe(".hidden\na.ts\nb.ts\nlib/");
		expect(result.details).toEqual({ entries: 4, truncated: false });
	});

	test("that is empty is said to be", async () => {
		expect(textOf(await run({ path: directory("none", []) }))).toBe("none is an empty directory.");
	});

	test("shows a name with a line break or a control as the model would have to write it", async () => {
		const odd = ["two\nlines", "red\x1b[31m", "tab\there", "plain name"];
		const path = directory("odd", odd);
		const names = textOf(await run({ path })).split("\n");
		expect(names.toSorted()).toEqual(['"red\\u001b[31m"', '"tab\\there"', '"two\\nlines"', "plain name"]);
		for (const name of names.filter((shown) => shown.startsWith('"'))) {
			const result = await run({ path: `${path}/${JSON.parse(name)}` });
			expect(textOf(result)).toEndWith(" is empty.");
		}
	});

	test("with very many names is cut, and says how many there are", async () => {
		const many = limits.directoryEntries + 5;
		const path = directory(
			"many",
			Array.from({ length: many }, (_, index) => String(index).padStart(5, "0")),
		);
		const lines = textOf(await run({ path })).split("\n");
		expect(lines).toHaveLength(limits.directoryEntries + 1);
		expect(lines.at(-1)).toBe(
			`[${limits.directoryEntries} of ${many} names; look for the others with bash: ls, find]`,
		);
	});
});

test("a person sees what is read, and which lines of it", () => {
	expect(read.describeCall({ path: "a.ts" })).toBe("read a.ts");
	expect(read.describeCall({ path: "a.ts", offset: 5 })).toBe("read a.ts @L5");
	expect(read.describeCall({ path: "a.ts", offset: 5, limit: 3 })).toBe("read a.ts @L5-7");
	expect(read.describeCall({ path: "a.ts", limit: 3 })).toBe("read a.ts @L1-3");
	expect(read.describeCall({ path: "two\nlines" })).toBe("read two lines");
	expect(read.describeCall({})).toBe("read …");
});

test("a file that nobody may read is said to be so", async () => {
	const path = join(cwd, "locked");
	writeFileSync(path, "secret");
	chmodSync(path, 0);
	const result = await run({ path: "locked" });
	// Root may read everything; everybody else is told.
	expect(textOf(result)).toBe(process.getuid?.() === 0 ? "     1  secret" : "No permission to read locked.");
});
