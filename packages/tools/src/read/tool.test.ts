/** A file is read in numbered lines that a model can continue from. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import type { AgentToolResult } from "@tau/agent";
import { invalidateScans, localMachine, type OpenedFile } from "@tau/sys";
import { samples } from "../../../../test/support/depth.ts";
import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import { limits } from "./limits.ts";
import { Page } from "./page.ts";
import { streamLines } from "./stream-lines.ts";
import { read } from "./tool.ts";
import { hiddenNote } from "../files/hidden-characters.ts";

let cwd = "";
beforeAll(() => {
	cwd = mkdtempSync(join(tmpdir(), "tau-read-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function run(args: Record<string, unknown>): Promise<AgentToolResult> {
	await using env = await testToolEnv({ cwd });
	return await callTool(read.bind(env), args);
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

describe("a name as macOS writes it", () => {
	const names: [typed: string, written: string][] = [
		["it's here.txt", "it\u2019s here.txt"],
		['the "plan".txt', "the \u201cplan\u201d.txt"],
		["Screenshot 1 PM.txt", "Screenshot 1\u202fPM.txt"],
		["caf\u00e9.txt", "cafe\u0301.txt"],
	];
	test.each(names)("%s is found as it is typed", async (typed, written) => {
		const directory = mkdtempSync(join(tmpdir(), "tau-read-name-"));
		writeFileSync(join(directory, written), "found\n");
		await using env = await testToolEnv({ cwd: directory });
		const result = await callTool(read.bind(env), { path: typed });
		expect(result.isError).toBeUndefined();
		expect(textOf(result)).toContain("found");
		rmSync(directory, { recursive: true });
	});

	test("two names that look the same are ambiguous", async () => {
		const directory = mkdtempSync(join(tmpdir(), "tau-read-names-"));
		for (const quote of ["\u2018", "\u2019"]) writeFileSync(join(directory, `it${quote}s.txt`), quote);
		await using env = await testToolEnv({ cwd: directory });
		const result = await callTool(read.bind(env), { path: "it's.txt" });
		expect(result.isError).toBe(true);
		rmSync(directory, { recursive: true });
	});
});

describe("a text file", () => {
	const texts: [what: string, text: string, lines: string[]][] = [
		["has numbered lines", "one\ntwo\n", ["one", "two"]],
		["needs no newline at its end", "one\ntwo", ["one", "two"]],
		["keeps its empty lines and its blanks", "\n  a\t\n\n", ["", "  a\t", ""]],
		["may be one newline", "\n", [""]],
		["may have Windows line ends", "one\r\ntwo\r\n", ["one", "two"]],
		["may start with a byte order mark", "\ufeffone\n", ["one"]],
		["may have any script", "grün\n日本語 👨‍👩‍👧\n", ["grün", "日本語 👨‍👩‍👧"]],
	];
	test.each(texts)("%s", async (_, text, lines) => {
		const result = await readText(text);
		expect(unnumbered(result.text)).toEqual(lines);
		expect(result.isError).toBeUndefined();
	});

	test("has only lines that end in a newline", async () => {
		const { text } = await readText("a\u2028b\u2029c\x85d\ve\n");
		const shown = ["     1  a<U+2028>b<U+2029>c<U+0085>d<U+000B>e", `[${hiddenNote}]`];
		expect(text.split("\n")).toEqual(shown);
	});

	test("in broken UTF-8 marks the broken bytes and nothing else", async () => {
		const { text } = await readText(new Uint8Array([0x61, 0xff, 0x62, 0x0a, 0xc3]));
		const lines = text.split("\n");
		expect(lines.pop()).toBe("[not valid UTF-8 throughout: \ufffd stands for invalid bytes]");
		expect(unnumbered(lines.join("\n"))).toEqual(["a\ufffdb", "\ufffd"]);
	});

	test.each(["utf-16le", "utf-16be"] as const)(
		"in %s with its mark is decoded, with a note",
		async (name) => {
			const bytes = Buffer.from("\ufeffgrün\nzwei\n", "utf16le");
			const { text } = await readText(name === "utf-16le" ? bytes : bytes.swap16());
			const [first, second, note] = text.split("\n");
			expect(unnumbered(`${first}\n${second}`)).toEqual(["grün", "zwei"]);
			expect(note).toBe(`[decoded from ${name.toUpperCase()}; edit and write support UTF-8 only]`);
		},
	);

	test("that is empty is reported as such", async () => {
		for (const empty of ["", "\ufeff"]) {
			expect(await readText(empty)).toMatchObject({ text: "file is empty.", details: { totalLines: 0 } });
		}
	});

	test("has aligned line numbers", async () => {
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
		["so many lines", { limit: 3 }, 1, 3, "[lines 1-3 of 10; continue with offset 4]"],
		["so many from a line on", { offset: 4, limit: 2 }, 4, 5, "[lines 4-5 of 10; continue with offset 6]"],
		["the last line", { offset: 10, limit: 1 }, 10, 10, undefined],
		["more than the file has", { offset: 9, limit: 100 }, 9, 10, undefined],
	];
	test.each(parts)("%s", async (_, args, first, last, note) => {
		const { text, details } = await readText(ten, args);
		const lines = text.split("\n");
		expect(note === undefined ? undefined : lines.pop()).toBe(note);
		expect(unnumbered(lines.join("\n"), first)).toEqual(
			Array.from({ length: last - first + 1 }, (_none, index) => `line ${first + index}`),
		);
		expect(details).toMatchObject({
			totalLines: 10,
			firstLine: first,
			lastLine: last,
			truncated: note !== undefined,
		});
	});

	const named: [suffix: string, first: number, last: number][] = [
		[":4-5", 4, 5],
		[":8", 8, 10],
		[":8-", 8, 10],
		[":4+2", 4, 5],
		[":0-2", 1, 2],
		[":L4-L5", 4, 5],
		[":9-1000000", 9, 10],
		[":9:17", 9, 10],
	];
	test.each(named)("may be in the path: file%s", async (suffix, first, last) => {
		const { text } = await readText(ten, { path: `file${suffix}` });
		expect(unnumbered(text.replace(/\n\[lines .*\]$/, ""), first)).toHaveLength(last - first + 1);
	});

	test("is ignored if a file has the whole name", async () => {
		writeFileSync(join(cwd, "odd:4-5"), "odd\n");
		expect((await readText(ten, { path: "odd:4-5" })).text).toBe("     1  odd");
		expect((await readText(ten, { path: "odd:4-5:1" })).text).toBe("     1  odd");
	});

	test.each([":x", ":5-4", ":-3", ":"])("that is invalid is explained: file%s", async (suffix) => {
		const { text, isError } = await readText(ten, { path: `file${suffix}` });
		expect(isError).toBe(true);
		expect(text).toContain("such as file:5-10.");
	});

	test("past its end is an error with the number of lines", async () => {
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
	];
	test.each(refused)("%s is rejected by name", async (_, name, value) => {
		expect(await readText(ten, { [name]: value })).toMatchObject({
			isError: true,
			text: expect.stringContaining(`${name}: `),
		});
	});
});

describe("a long file", () => {
	test("of short lines is read in parts with a line limit", async () => {
		const total = limits.lines + 7;
		const first = await readText("x\n".repeat(total));
		const note = `\n[lines 1-${limits.lines} of ${total}; continue with offset ${limits.lines + 1}]`;
		expect(first.text.slice(-note.length)).toBe(note);
		const rest = await readText("x\n".repeat(total), { offset: limits.lines + 1 });
		expect(unnumbered(rest.text, limits.lines + 1)).toHaveLength(7);
	});

	test("of long lines has a byte limit, and every part continues where the last one ended", async () => {
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

	test("with long lines cuts them, and says how to see more of one", async () => {
		const { text } = await readText(`short\n${"x".repeat(1_000_000)}\n`);
		const more = 1_000_000 - limits.lineChars;
		expect(text.split("\n").slice(1)).toEqual([
			`     2  ${"x".repeat(limits.lineChars)}… [cut, ${more} more]`,
			"[long lines are truncated: read one with offset and limit 1 to see more of it]",
		]);
		const one = await readText(`short\n${"x".repeat(1_000_000)}\n`, { offset: 2, limit: 1 });
		expect(one.text).toContain("x".repeat(limits.bytes));
		expect(one.text).toContain("[the line is truncated: see the rest with bash: sed -n 2p file | cut -c…]");
	});

	test("with a line that just fits does not cut it, whatever ends it", async () => {
		const line = "x".repeat(limits.lineChars);
		expect(unnumbered((await readText(`${line}\r\n${line}`)).text)).toEqual([line, line]);
	});

	test("reports a cut line even if the line leaves a sequence open", async () => {
		const { text } = await readText(`\x1b]0;${"x".repeat(limits.lineChars)}`);
		expect(text).toStartWith("     1  <U+001B>]0;xxx");
		expect(text).toContain("xxx… [cut, 4 more]\n");
	});
});

describe("a file that is too large for memory", () => {
	const line = (number: number): string => `line ${number} ${"é".repeat(20)}`;
	const total = Math.ceil(limits.wholeBytes / 45) + 1000;
	beforeAll(() => {
		const text = Array.from({ length: total }, (_, index) => `${line(index + 1)}\n`).join("");
		expect(Buffer.byteLength(text)).toBeGreaterThan(limits.wholeBytes);
		writeFileSync(join(cwd, "large"), text);
	});

	test("is read at the requested position", async () => {
		const offset = total - 700;
		const { content, details } = await run({ path: "large", offset, limit: 2 });
		expect(textOf({ content })).toBe(
			[
				`${String(offset).padStart(6)}  ${line(offset)}`,
				`${String(offset + 1).padStart(6)}  ${line(offset + 1)}`,
				`[lines ${offset}-${offset + 1} of ${total}; continue with offset ${offset + 2}]`,
			].join("\n"),
		);
		expect(details).toMatchObject({ totalLines: total, firstLine: offset, lastLine: offset + 1 });
	});

	test("is not read up to the position if the machine counts lines itself", async () => {
		const machine = localMachine();
		const offset = total - 700;
		const text = Array.from({ length: offset - 1 }, (_, index) => `${line(index + 1)}\n`).join("");
		const positions: number[] = [];
		const counting = {
			...machine,
			files: {
				...machine.files,
				open: async (path: string, signal: AbortSignal) => {
					const file = await machine.files.open(path, signal);
					return file && Object.assign(file, { countLines, readInto: reading(file) });
				},
			},
		};
		const countLines = async (most: number) => ({ lines: most, bytes: Buffer.byteLength(text), total });
		const reading = (file: OpenedFile): OpenedFile["readInto"] => {
			const before = file.readInto.bind(file);
			return (into, position) => before(into, position).finally(() => positions.push(position));
		};
		await using env = await testToolEnv({ cwd, machine: counting });
		const shown = textOf(await callTool(read.bind(env), { path: "large", offset, limit: 2 }));
		expect(shown).toBe(textOf(await run({ path: "large", offset, limit: 2 })));
		expect(positions.filter((position) => position > 0)).toEqual([Buffer.byteLength(text)]);
	});

	test("ends where it ends", async () => {
		expect(textOf(await run({ path: `large:${total}` }))).toBe(
			`${String(total).padStart(6)}  ${line(total)}`,
		);
		expect(textOf(await run({ path: "large", offset: total + 1 }))).toBe(
			`large has ${total} lines; offset ${total + 1} is past its end.`,
		);
	});

	test("is closed as soon as the read is aborted", async () => {
		await using env = await testToolEnv({ cwd });
		const signal = AbortSignal.abort(new DOMException("enough", "AbortError"));
		await expect(callTool(read.bind(env), { path: "large" }, signal)).rejects.toThrow("enough");
	});

	test("never shows half a character where a line is cut", async () => {
		for (const start of ["", "a", "ab"]) {
			const page = new Page("numbered", 1, 2);
			const bytes = Buffer.from(start + "👩‍🚀".repeat(limits.lineChars));
			await streamLines(
				(async function* () {
					yield bytes;
				})(),
				page,
				true,
			);
			expect(page.text).toMatch(/… \[cut, \d+ more\]$/);
			expect(page.text).not.toContain("\ufffd");
		}
	});

	test("property: shows the same lines as a small one, whatever the chunks", async () => {
		const piece = fc.constantFrom("a", "é", "👩‍🚀", "\n", "\r\n", "\r", "", "word ".repeat(3000));
		await fc.assert(
			fc.asyncProperty(
				fc.array(piece, { minLength: 1, maxLength: 30 }),
				fc.integer({ min: 1, max: 8 }),
				fc.integer({ min: 1, max: 8 }),
				fc.integer({ min: 1, max: 50_000 }),
				async (pieces, first, limit, step) => {
					const text = pieces.join("");
					const bytes = Buffer.from(text);
					const chunks = async function* (): AsyncGenerator<Uint8Array> {
						for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
					};
					const streamed = new Page("numbered", first, limit);
					const { total: counted } = await streamLines(chunks(), streamed, true);
					const lines = text.split("\n");
					if (lines.at(-1) === "") lines.pop();
					expect(counted).toBe(lines.length);
					const held = new Page("numbered", first, limit);
					for (const each of lines.slice(first - 1)) if (!held.add(each.replace(/\r$/, ""))) break;
					// The omitted part of a cut line is counted in characters or in bytes.
					const plain = (page: Page): string => page.text.replaceAll(/\[cut, \d+ more\]/g, "[cut]");
					expect(plain(streamed)).toBe(plain(held));
				},
			),
			// regression: a line that was requested alone lacked one byte.
			{ numRuns: samples(200), examples: [[["word ".repeat(3000).repeat(4), "a"], 1, 1, 1]] },
		);
	});
});

describe("a control character", () => {
	test("is shown by its code point, and adds no line", async () => {
		const { text } = await readText("\x1b[31mred\x1b[0m\n\x1b]0;title\nnext\x07\n\x9b2Jlast\f\n");
		const lines = text.split("\n");
		expect(lines.pop()).toBe(`[${hiddenNote}]`);
		expect(unnumbered(lines.join("\n"))).toEqual([
			"<U+001B>[31mred<U+001B>[0m",
			"<U+001B>]0;title",
			"next<U+0007>",
			"<U+009B>2Jlast<U+000C>",
		]);
	});

	test("that reverses text is visible: a line cannot look like another", async () => {
		const { text } = await readText('if (access != "user\u202e \u2066// admin\u2069 \u2066") {\n');
		expect(text).toContain('"user<U+202E> <U+2066>// admin<U+2069> <U+2066>") {');
	});

	test("may be a carriage return among line feeds", async () => {
		const { text } = await readText("10%\r20%\r\nnext\n");
		expect(text).toStartWith("     1  10%<U+000D>20%\n     2  next\n");
	});

	test("property: as many lines as the file has, none with a control character", async () => {
		const piece = fc.constantFrom(..."a\n\r\t\x1b[]0;m\x07\x9b\u2028\u202eé");
		await fc.assert(
			fc.asyncProperty(fc.array(piece, { minLength: 1 }), async (pieces) => {
				const text = pieces.join("");
				const end = text.includes("\n") ? "\n" : "\r";
				const lines = text.split(end).length - (text.endsWith(end) ? 1 : 0);
				const result = await readText(text);
				expect(result.details).toMatchObject({ totalLines: lines, lastLine: lines, truncated: false });
				const shown = result.text.replace(`\n[${hiddenNote}]`, "");
				expect(unnumbered(shown)).toHaveLength(lines);
				expect(result.text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]/);
			}),
			{ numRuns: 50 },
		);
	});
});

describe("unreadable paths are reported", () => {
	const bad: [what: string, path: string, message: RegExp][] = [
		["a missing file", "nowhere/at all", /^There is no file nowhere\/at all\.$/],
		["a file below a file", "plain/below", /^Cannot read plain\/below: part of its path is a file/],
		[
			"a link to nothing",
			"dangling",
			/^There is no file dangling\. It is a link to gone, which does not exist\.$/,
		],
		["a link to itself", "loop", /^Cannot read loop: .*ELOOP/],
		["lines of a directory", "directory:5", /^There is no file directory:5\./],
		["a name that no file can have", "a\0b", /^A path or command cannot contain a NUL character/],
		["a name that is too long", "x".repeat(5000), /^There is no file x+…?: the name is too long/],
	];
	beforeAll(() => {
		writeFileSync(join(cwd, "plain"), "text");
		mkdirSync(join(cwd, "directory"));
		symlinkSync("gone", join(cwd, "dangling"));
		symlinkSync("loop", join(cwd, "loop"));
	});
	test.each(bad)("%s", async (_, path, message) => {
		const result = await run({ path });
		expect(result.isError).toBe(true);
		expect(textOf(result)).toMatch(message);
	});

	test("no path at all", async () => {
		for (const args of [{}, { path: "" }]) {
			expect(await run(args)).toMatchObject({ isError: true });
			expect(textOf(await run(args))).toContain("path: ");
		}
	});
});

describe("a path that is nearly right", () => {
	beforeAll(() => {
		mkdirSync(join(cwd, "project/src/deep"), { recursive: true });
		writeFileSync(join(cwd, "project/src/settings.ts"), "");
		writeFileSync(join(cwd, "project/src/deep/only-here.ts"), "");
		invalidateScans(cwd);
	});
	const near: [what: string, path: string, meant: string][] = [
		["a slip in the name", "project/src/setings.ts", "project/src/settings.ts"],
		["another case", "project/src/Settings.ts", "project/src/settings.ts"],
		["another directory", "lib/only-here.ts", "project/src/deep/only-here.ts"],
		["a range behind it", "project/src/setings.ts:3", "project/src/settings.ts"],
	];
	test.each(near)("by %s is named", async (_, path, meant) => {
		const result = await run({ path });
		expect(result.isError).toBe(true);
		expect(textOf(result)).toBe(`There is no file ${path}. Did you mean ${meant}?`);
	});

	test("is not guessed if nothing is similar", async () => {
		expect(textOf(await run({ path: "project/src/zzzzzzzz" }))).toBe(
			"There is no file project/src/zzzzzzzz.",
		);
	});
});

test("a user sees the path, and which lines", () => {
	expect(read.describeCall({ path: "a.ts" })).toBe("read a.ts");
	expect(read.describeCall({ path: "a.ts", offset: 5 })).toBe("read a.ts @L5");
	expect(read.describeCall({ path: "a.ts", offset: 5, limit: 3 })).toBe("read a.ts @L5-7");
	expect(read.describeCall({ path: "a.ts", limit: 3 })).toBe("read a.ts @L1-3");
	expect(read.describeCall({ path: "two\nlines" })).toBe("read two lines");
	expect(read.describeCall({})).toBe("read …");
});

test("a file without read permission is reported", async () => {
	const path = join(cwd, "locked");
	writeFileSync(path, "secret");
	chmodSync(path, 0);
	const result = await run({ path: "locked" });
	// Root may read everything; other users get the error.
	expect(textOf(result)).toBe(process.getuid?.() === 0 ? "     1  secret" : "No permission to read locked.");
});
