/** Markdown in pieces: however it is cut, the finished blocks are the same. */
import { expect, test } from "bun:test";

import { BlockCutter } from "./blocks.ts";

const whole =
	"# Title\n\nA paragraph\nof two lines.\n\n- one\n  more\n- two\n\n```ts\nconst a = 1;\n\n- no item\n```\n\nThe end.";

function blocksOf(text: string, step: number): string[] {
	const cutter = new BlockCutter();
	for (let end = step; end < text.length; end += step) cutter.take(text.slice(0, end), false);
	cutter.take(text, true);
	return cutter.finished.map(({ text: block, code }) => code?.text ?? block.trim());
}

test("a text that comes character by character has the blocks of the whole", () => {
	const blocks = [
		"# Title",
		"A paragraph\nof two lines.",
		"- one\n  more",
		"- two",
		"const a = 1;\n\n- no item",
		"The end.",
	];
	for (const step of [1, 2, 7, 1000]) expect(blocksOf(whole, step)).toEqual(blocks);
});

test("code that is still open is known as code, and a fence that never ends keeps its text", () => {
	const cutter = new BlockCutter();
	cutter.take("```py\nprint(1)\n", false);
	expect(cutter.open.code).toEqual({ language: "py", text: "print(1)\n" });
	cutter.take("```py\nprint(1)\n", true);
	expect(cutter.finished.map(({ code }) => code?.text)).toEqual(["print(1)\n"]);
});

test("code at the end of an answer ends with its fence, without a line break after it", () => {
	expect(blocksOf("See:\n\n```ts\nconst a = 1;\n```", 1)).toEqual(["See:", "const a = 1;"]);
});
