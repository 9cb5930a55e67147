/** Invisible characters are shown by their code points, and a line that was copied like that can be edited. */
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import type { EditMode } from "../files/edit-mode.ts";
import { hiddenNote, showHidden, takenNote, takeShown } from "../files/hidden-characters.ts";
import { read } from "../read/tool.ts";
import { write } from "../write/tool.ts";
import { StreamedEdit } from "./guard.ts";
import { quickFolder } from "../../../../test/support/mutations.ts";
import { edit } from "./tool.ts";

const odd = ["\r", "\x1b", "\f", "\x07", "\x7f", "\x85", "\x9b", "\u202e", "\u2066", "\u200f", "\u2028"];

test("the shown form is parsed back to the character", () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...odd, "a", "<U+", "é", "\t", "👍")), (pieces) => {
			const text = pieces.join("");
			expect(showHidden(text)).not.toMatch(/[\p{Cc}\u2028\u202e\u2066\u200f](?<!\t)/u);
			expect(takeShown(showHidden(text))).toBe(text);
		}),
	);
	expect(takeShown("<U+0041> <U+001> <U+00E9>")).toBe("<U+0041> <U+001> <U+00E9>");
});

/** The call that changes the end of a line, with the line as `read` showed it. */
const calls: Record<EditMode, (line: number, shown: string, tag: string) => Record<string, unknown>> = {
	replace: (_, shown) => ({ path: "f", edits: [{ oldText: shown, newText: `${shown}!` }] }),
	hashline: (line, shown, tag) => ({ path: "f", tag, edits: [{ from: line, text: `${shown}!` }] }),
	apply_patch: (_, shown) => ({
		input: ["*** Begin Patch", "*** Update File: f", "@@", `-${shown}`, `+${shown}!`, "*** End Patch"].join(
			"\n",
		),
	}),
};

/** What `read` shows of a line, and the tag above it. */
async function readLine(env: TestToolEnv, line: number): Promise<{ shown: string; tag: string }> {
	const text = textOf(await callTool(read.bind(env), { path: "f" }));
	const row = text.split("\n").find((each) => /^ *(\d+)(?::| {2})/.exec(each)?.[1] === String(line)) ?? "";
	return { shown: row.replace(/^ *\d+(?::| {2})/, ""), tag: /#(\w{4})\]/.exec(text)?.[1] ?? "" };
}

test.each(["replace", "hashline", "apply_patch"] as const)(
	"%s: a line that was copied from `read` is edited, and every other character stays",
	async (mode) => {
		using folder = quickFolder();
		await using env = await testToolEnv({ cwd: folder.path });
		await env.settings.set("edit.mode", mode, "session");
		const line = fc
			.array(fc.constantFrom(...odd, "x", "é", "\t", "<", "-"), { maxLength: 6 })
			.map((pieces) => pieces.join(""));
		await fc.assert(
			fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), fc.nat(), async (bodies, which) => {
				// Every line is unique, and starts and ends with a letter.
				const lines = bodies.map((body, index) => `line ${index} ${body}.`);
				const index = which % lines.length;
				writeFileSync(env.resolve("f"), `${lines.join("\n")}\n`);
				const { shown, tag } = await readLine(env, index + 1);
				const args = calls[mode](index + 1, shown, tag);
				expect(await new StreamedEdit(env).push(JSON.stringify(args))).toEqual({ ok: true });
				const result = await callTool(edit.bind(env), args);
				const wanted = lines.with(index, `${lines[index]}!`);
				expect([textOf(result), readFileSync(env.resolve("f"), "utf8")]).toEqual([
					textOf(result),
					`${wanted.join("\n")}\n`,
				]);
				expect(textOf(result).includes(takenNote)).toBe(shown !== lines[index]);
			}),
			{ numRuns: samples(150) },
		);
	},
	180_000,
);

describe("the notation itself", () => {
	test("is text if the file contains it, or if the replaced text has no such character", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("f"), "print <U+001B>[1m\nred \x1b[31m\n");
		const change = (oldText: string, newText: string) =>
			callTool(edit.bind(env), { path: "f", edits: [{ oldText, newText }] });
		await change("print <U+001B>[1m", "print <U+001B>[2m");
		await change("red <U+001B>[31m", "blue <U+001B>[34m <U+202E>");
		expect(readFileSync(env.resolve("f"), "utf8")).toBe("print <U+001B>[2m\nblue \x1b[34m <U+202E>\n");
	});

	test("is converted by `write` if the file had the character", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("f"), "a\x1b[1m\n");
		const read_ = textOf(await callTool(read.bind(env), { path: "f" }));
		expect(read_).toBe(`     1  a<U+001B>[1m\n[${hiddenNote}]`);
		const result = await callTool(write.bind(env), { path: "f", content: "b<U+001B>[1m <U+0007>\n" });
		expect(textOf(result)).toContain(takenNote);
		expect(readFileSync(env.resolve("f"), "utf8")).toBe("b\x1b[1m <U+0007>\n");
	});
});

describe("lines that only look the same", () => {
	const pairs: [what: string, file: string, oldText: string, named: string][] = [
		[
			"by a letter of another script",
			"const p\u0430th = 1;",
			"const path = 1;",
			'Line 2 only looks the same: column 8: U+0430 ("\u0430") in the file, U+0061 ("a") given.',
		],
		[
			"by a character without width",
			"const pa\u200bth = 1;",
			"const path = 1;",
			"Line 2 only looks the same: column 9: U+200B (zero width space) in the file, nothing given.",
		],
		[
			"by a mark that is a separate character",
			"const cafe\u0301 = 1;",
			"const caf\u00e9 = 1;",
			'Line 2 only looks the same: column 10: U+0065 ("e") in the file, U+00E9 ("\u00e9") given; ' +
				"column 11: U+0301 in the file, nothing given.",
		],
	];
	test.each(pairs)("%s are distinguished", async (_, line, oldText, named) => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("f"), `first\n${line}\nlast\n`);
		const replaced = { path: "f", edits: [{ oldText, newText: "" }] };
		expect(textOf(await callTool(edit.bind(env), replaced))).toContain(`\n${named}\n`);
		const input = `*** Begin Patch\n*** Update File: f\n@@\n-${oldText}\n+x\n*** End Patch`;
		expect(textOf(await callTool(edit.bind(env), { input }))).toEndWith(`\n${named}`);
	});

	test("a visible difference is not explained", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("f"), "const total = 1;\n");
		const args = { path: "f", edits: [{ oldText: "const totals = 2;", newText: "" }] };
		expect(textOf(await callTool(edit.bind(env), args))).not.toContain("looks the same");
	});
});
