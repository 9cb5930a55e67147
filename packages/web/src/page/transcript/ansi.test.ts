/** Output of programs: colors stay, everything else that a terminal would act on is gone. */
import { expect, test } from "bun:test";

import { ansiSpans, plainText } from "./ansi.ts";

test("colors become classes, and sequences that do more than color are removed", () => {
	const text = "\u001b]0;title\u0007\u001b[1;31mred\u001b[0m plain \u001b[38;2;1;2;3mexact\u001b[2J\u202e\0";
	expect(ansiSpans(text)).toEqual([
		{ text: "red", classes: ["bold", "fg-1"] },
		{ text: " plain ", classes: [] },
		{ text: "exact", classes: [], color: "#010203" },
	]);
});

test("of a progress bar the last state is left", () => {
	expect(plainText("10%\r50%\r100%\nnext\r\n")).toBe("100%\nnext\n");
});
