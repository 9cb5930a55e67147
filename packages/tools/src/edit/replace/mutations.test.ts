/** An edit by replacing text restores any mutated file byte for byte. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

import { samples } from "../../../../../test/support/depth.ts";
import { callTool, testToolEnv, textOf } from "../../../../../test/support/tool-env.ts";
import {
	Dice,
	quickFolder,
	repairs,
	spoil,
	withContext,
	type Repair,
	type Spoilt,
} from "../../../../../test/support/mutations.ts";
import { edit } from "../tool.ts";

/** Complete lines with their line feeds, so that lines can be added and removed. */
function editsOf(
	spoilt: Spoilt,
	all: readonly Repair[],
	change = (line: string) => line,
): Record<string, unknown>[] {
	const isClosed = spoilt.spoilt.endsWith("\n");
	return all.map(({ start, end, lines }) => {
		const isOpen = end === spoilt.lines.length && !isClosed;
		const text = (part: readonly string[]) => part.map(change).join("\n") + (isOpen ? "" : "\n");
		const sought = text(spoilt.lines.slice(start, end));
		// When an open last line is removed, the line before it becomes the open one.
		if (lines.length === 0) return { oldText: isOpen ? `\n${sought}` : sought, newText: "" };
		return { oldText: sought, newText: text(lines) };
	});
}

const files = samples(2000);

test("mutated files are restored", async () => {
	using folder = quickFolder();
	await using env = await testToolEnv({ cwd: folder.path });
	const tool = edit.bind(env);
	const path = env.resolve("f");
	const dice = new Dice(3);
	let restored = 0;
	while (restored < files) {
		const spoilt = spoil(dice);
		const edits = editsOf(spoilt, withContext(spoilt, repairs(spoilt), 1 + dice.roll(3)));
		if (edits.length === 0) continue;
		writeFileSync(path, spoilt.spoilt);
		const result = await callTool(tool, { path: "f", edits });
		const now = readFileSync(path, "utf8");
		if (result.isError || now !== spoilt.original) {
			throw new Error(`${textOf(result)}\n${JSON.stringify({ edits, ...spoilt })}`);
		}
		restored++;
	}
	expect(restored).toBe(files);
});

test("text that was copied with other indentation gets the file's, or is rejected, and is never wrong", async () => {
	using folder = quickFolder();
	await using env = await testToolEnv({ cwd: folder.path });
	const tool = edit.bind(env);
	const path = env.resolve("f");
	const dice = new Dice(4);
	const ways = [
		(line: string) => (line.trim() === "" ? line : `${line}  `),
		(line: string) => (line.trim() === "" ? line : `    ${line}`),
		(line: string) => line.replace(/^\t+/, (tabs) => "  ".repeat(tabs.length)),
		(line: string) => line.replace(/^\t/, ""),
	];
	let [restored, refused] = [0, 0];
	for (let round = 0; round < samples(600, 150); round++) {
		const spoilt = spoil(dice);
		const [first] = withContext(spoilt, repairs(spoilt), 3);
		if (!first) continue;
		const edits = editsOf(spoilt, [first], dice.pick(ways));
		const lines = [...spoilt.lines.slice(0, first.start), ...first.lines, ...spoilt.lines.slice(first.end)];
		writeFileSync(path, spoilt.spoilt);
		const result = await callTool(tool, { path: "f", edits });
		const now = readFileSync(path, "utf8");
		const plain = now
			.replace(/^\ufeff/, "")
			.replaceAll("\r\n", "\n")
			.replace(/\n$/, "");
		if (result.isError) refused++;
		else if (sameButBlanks(plain, lines.join("\n"))) restored++;
		else throw new Error(`${textOf(result)}\n${JSON.stringify({ now, lines, edits })}`);
	}
	expect(restored).toBeGreaterThan(4 * refused);
});

/** A new line that is indented like no line around it can only be guessed; its text cannot. */
function sameButBlanks(one: string, other: string): boolean {
	const lines = (text: string) => text.split("\n").map((line) => line.trim());
	return Bun.deepEquals(lines(one), lines(other));
}
