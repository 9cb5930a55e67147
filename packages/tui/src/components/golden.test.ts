/**
 * Snapshots of every component, in four widths and three themes. Colors appear by purpose: `‹accent›`. In `dark` and
 * `light` the same snapshot results from the colors of that theme.
 */
import { describe, expect, test } from "bun:test";

import { builtinTheme } from "../theme/index.ts";
import { drawn, specimens, type Words } from "./testing/specimens.ts";
import { meaningIn, readable, runsOf, tokenTheme } from "./testing/token-theme.ts";

const widths = [20, 40, 80, 120] as const;

const words: Words = {
	label: "Release notes",
	meaning: "what has changed since 1.4",
	text: "Every row is drawn once.\nWide ones too: 漢字 and 👩‍👩‍👧, and a sentence that goes on for longer than a narrow screen is wide.",
};

describe.each(Object.keys(specimens))("%s", (name) => {
	const make = specimens[name]!;

	test("looks as it did", () => {
		const frames = drawn(make, tokenTheme, words, widths);
		const pictures = frames.map((rows, at) => [`── ${widths[at]} ──`, ...rows.map(readable)].join("\n"));
		expect(`\n${pictures.join("\n")}\n`).toMatchSnapshot();
	});

	test.each(["dark", "light"] as const)("is the same picture in the colors of %s", (theme) => {
		const frames = drawn(make, builtinTheme(theme, "truecolor"), words, widths);
		const expected = drawn(make, tokenTheme, words, widths);
		const seen = frames.map((rows) => rows.map((row) => runsOf(row)));
		expect(seen).toEqual(expected.map((rows) => rows.map((row) => runsOf(row, meaningIn(theme)))));
	});
});
