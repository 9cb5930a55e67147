/** Every theme is readable on every terminal, and a wrong theme file reports what is wrong with it. */
import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { builtinTheme, builtinThemeFacts, builtinThemeNames } from "./builtin.ts";
import { colorModeOf, rgbOf, sgrOf, type ColorMode, type Rgb } from "./color.ts";
import { parseTheme } from "./parse.ts";
import schema from "./schema.json" with { type: "json" };
import darkFile from "./themes/dark.json" with { type: "json" };
import {
	backgrounds,
	foregrounds,
	mixedBackgrounds,
	tokens,
	type ThemeBg,
	type ThemeColor,
} from "./tokens.ts";

/** Common backgrounds of terminals. */
const grounds = { dark: ["#000000", "#1e1e1e"], light: ["#ffffff", "#f5f5f0"] } as const;

/** Lines and frames are seen, not read. */
const decoration = new Set<ThemeColor>([
	"border",
	"borderAccent",
	"borderMuted",
	"mdCodeBlockBorder",
	"mdQuoteBorder",
	"mdHr",
	"thinkingOff",
	"thinkingMinimal",
	"thinkingLow",
	"thinkingMedium",
	"thinkingHigh",
	"thinkingXhigh",
]);

/** By WCAG 2: 4.5 for text. Muted text and decoration only have to be visible. */
const least = { text: 4.5, quiet: 3, decoration: 1.8 } as const;

function luminance(rgb: Rgb): number {
	const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
		const part = value / 255;
		return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: Rgb, b: Rgb): number {
	const [high = 0, low = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
	return (high + 0.05) / (low + 0.05);
}

describe.each(builtinThemeNames)("the theme %s", (name) => {
	const { colors, appearance, pair } = builtinThemeFacts(name);
	const must = (color: string): Rgb => rgbOf(color) ?? [0, 0, 0];

	test("is readable on its backgrounds", () => {
		for (const ground of grounds[appearance]) {
			for (const token of foregrounds) {
				const rgb = rgbOf(colors[token]);
				if (!rgb) continue;
				const kind = decoration.has(token)
					? "decoration"
					: /dim|Comment|LinkUrl/.test(token)
						? "quiet"
						: "text";
				const ratio = contrast(rgb, must(ground));
				if (ratio < least[kind])
					throw new Error(`${token} on ${ground}: ${ratio.toFixed(2)} < ${least[kind]}`);
			}
		}
	});

	const onGround: [ThemeBg, ThemeColor[]][] = [
		["userMessageBg", ["accent", "mdCode", "mdLink", "muted"]],
		["customMessageBg", ["customMessageLabel", "muted"]],
		["toolPendingBg", ["toolTitle", "toolOutput", "muted", "accent"]],
		["toolSuccessBg", ["toolTitle", "toolOutput", "toolDiffAdded", "toolDiffRemoved", "toolDiffContext"]],
		["toolErrorBg", ["toolTitle", "toolOutput", "error"]],
		[
			"selectedBg",
			["accent", "muted", "dim", "warning", "error", "success", "toolDiffAdded", "toolDiffRemoved"],
		],
		["mdCodeBg", ["mdCode"]],
		["toolDiffAddedWordBg", ["toolTitle"]],
		["toolDiffRemovedWordBg", ["toolTitle"]],
	];
	test.each(onGround)("text on %s is readable there", (ground, texts) => {
		const behind = must(String(colors[ground]));
		for (const token of texts) {
			const ratio = contrast(must(String(colors[token])), behind);
			if (ratio < least[token === "dim" ? "quiet" : "text"])
				throw new Error(`${token} on ${ground}: ${ratio.toFixed(2)}`);
		}
	});

	test("has a pair for the other appearance, which names it as its pair", () => {
		const other = builtinThemeNames.find((candidate) => candidate === pair);
		expect(other).toBeDefined();
		const facts = builtinThemeFacts(other ?? name);
		expect(facts.pair).toBe(name);
		expect(facts.appearance).not.toBe(appearance);
	});

	test.each(["truecolor", "256color", "16color", "none"] as const)("draws in %s", (mode) => {
		const theme = builtinTheme(name, mode);
		for (const token of foregrounds) expect(Bun.stripANSI(theme.fg(token, "x"))).toBe("x");
		for (const token of backgrounds) expect(Bun.stripANSI(theme.bg(token, "x"))).toBe("x");
		if (mode === "none") expect(theme.fg("error", "x") + theme.bg("toolErrorBg", "y")).toBe("xy");
	});
});

/** The color of the first sixteen that draws the text. */
function basicOf(sgr: string): number {
	const [, bright = "", digit = ""] = /\u001B\[(3|9)(\d)m/.exec(sgr) ?? [];
	return Number(digit) + (bright === "9" ? 8 : 0);
}

describe.each(builtinThemeNames)("%s on a terminal with few colors", (name) => {
	test("of sixteen colors, good is green, bad is red, and no background hides the text", () => {
		const theme = builtinTheme(name, "16color");
		const hueOf = (token: ThemeColor): number => basicOf(theme.fg(token, "x")) % 8;
		expect([hueOf("success"), hueOf("toolDiffAdded")]).toEqual([2, 2]);
		expect([hueOf("error"), hueOf("toolDiffRemoved")]).toEqual([1, 1]);
		expect(hueOf("warning")).toBe(3);
		for (const token of backgrounds) expect(theme.bg(token, "x")).toBe("x");
		expect(theme.selected(theme.fg("accent", "x"))).toBe("\u001B[7mx\u001B[27m");
	});

	test("of 256 colors, the bands of a diff have the hue of what they say", () => {
		const theme = builtinTheme(name, "256color");
		const tintOf = (token: ThemeBg): Rgb => {
			const [, index = ""] = /48;5;(\d+)m/.exec(theme.getBgAnsi(token)) ?? [];
			return rgbOf(Number(index)) ?? [0, 0, 0];
		};
		for (const token of ["toolSuccessBg", "toolDiffAddedWordBg"] as const) {
			const [red, green, blue] = tintOf(token);
			expect(green).toBeGreaterThan(Math.max(red, blue));
		}
		for (const token of ["toolErrorBg", "toolDiffRemovedWordBg"] as const) {
			const [red, green, blue] = tintOf(token);
			expect(red).toBeGreaterThan(Math.max(green, blue));
		}
		expect(tintOf("toolDiffAddedWordBg")).not.toEqual(tintOf("toolSuccessBg"));
		expect(tintOf("toolDiffRemovedWordBg")).not.toEqual(tintOf("toolErrorBg"));
	});
});

describe("colors on limited terminals", () => {
	test.each([
		["#ff0000", "truecolor", "\u001B[38;2;255;0;0m"],
		["#ff0000", "256color", "\u001B[38;5;196m"],
		["#ff0000", "16color", "\u001B[91m"],
		["#808080", "256color", "\u001B[38;5;244m"],
		["#000000", "16color", "\u001B[30m"],
		["", "truecolor", "\u001B[39m"],
	] as const)("%s in %s", (color, mode, sgr) => {
		expect(sgrOf(color, "fg", mode)).toBe(sgr);
	});

	test("an index stays the index, and backgrounds are backgrounds", () => {
		expect(sgrOf(39, "fg", "truecolor")).toBe("\u001B[38;5;39m");
		expect(sgrOf("#ffffff", "bg", "16color")).toBe("\u001B[107m");
		expect(sgrOf(3, "bg", "16color")).toBe("\u001B[43m");
	});

	test("every color has a sequence of the requested kind", () => {
		const hex = fc.integer({ min: 0, max: 0xff_ff_ff }).map((n) => `#${n.toString(16).padStart(6, "0")}`);
		fc.assert(
			fc.property(hex, fc.constantFrom<ColorMode>("256color", "16color"), (color, mode) => {
				const pattern = mode === "256color" ? /^\u001B\[38;5;(\d+)m$/ : /^\u001B\[(3|9)[0-7]m$/;
				expect(sgrOf(color, "fg", mode)).toMatch(pattern);
			}),
		);
	});

	test.each([
		[{ TERM: "xterm-256color", COLORTERM: "truecolor" }, "truecolor"],
		[{ TERM: "xterm-kitty" }, "truecolor"],
		[{ TERM: "screen-256color" }, "256color"],
		[{ TERM: "xterm" }, "16color"],
		[{ TERM: "dumb", COLORTERM: "truecolor" }, "none"],
		[{}, "none"],
		[{ TERM: "xterm-256color", COLORTERM: "truecolor", NO_COLOR: "1" }, "none"],
		[{ FORCE_COLOR: "3" }, "truecolor"],
	] as const)("%j has %s", (env, mode) => {
		expect(colorModeOf(env)).toBe(mode);
	});
});

describe("a theme file", () => {
	const good = {
		name: "mine",
		vars: { a: "#102030", b: "a" },
		colors: Object.fromEntries(tokens.map((token) => [token, "b"])),
	};

	test("of pi is read unchanged: variables, indexes, the terminal's default", () => {
		const parsed = parseTheme({ ...good, colors: { ...good.colors, text: "", dim: 240 } });
		expect(parsed).toMatchObject({
			ok: true,
			theme: { name: "mine", appearance: "dark", colors: { accent: "#102030", text: "", dim: 240 } },
		});
	});

	test("that is wrong reports every error, by name", () => {
		const { accent: _, ...colors } = good.colors;
		const wrong = { ...colors, dim: "x", text: "#12", muted: 256 };
		const parsed = parseTheme({ name: "", vars: { x: "y", y: "x" }, colors: wrong });
		expect(parsed.ok ? [] : parsed.problems.slice(0, 2)).toEqual([
			"name is missing.",
			"colors.accent: it is missing.",
		]);
		const text = parsed.ok ? "" : parsed.problems.join("\n");
		expect(text).toContain('colors.dim: "x" is not');
		expect(text).toContain('colors.text: "#12" is not');
		expect(text).toContain("colors.muted: 256 is not");
	});

	test("may contain anything without a crash", () => {
		fc.assert(fc.property(fc.jsonValue(), (value) => expect(typeof parseTheme(value).ok).toBe("boolean")));
	});

	test("is described by a schema that names the same colors", () => {
		const { required, properties } = schema.properties.colors;
		const optional = Object.keys(mixedBackgrounds);
		expect([...required, ...optional].toSorted()).toEqual([...tokens].toSorted());
		expect(Object.keys(properties).toSorted()).toEqual([...tokens].toSorted());
	});

	test("may leave out the backgrounds that are mixed, and may name them", () => {
		const { name, vars, colors } = darkFile;
		const left = parseTheme({ name, vars, colors });
		expect(left).toMatchObject({ ok: true, theme: { colors: { mdCodeBg: darkFile.vars.raised } } });
		const named = parseTheme({ name, vars, colors: { ...colors, mdCodeBg: "#010203" } });
		expect(named).toMatchObject({ ok: true, theme: { colors: { mdCodeBg: "#010203" } } });
		const wrong = parseTheme({ name, vars, colors: { ...colors, mdCodeBg: "red-ish" } });
		expect(wrong.ok).toBe(false);
	});

	test("reports the name of an unknown color", () => {
		const theme = builtinTheme("dark", "truecolor");
		// An extension in JavaScript may request any name.
		const ask: (color: never) => string = theme.getFgAnsi.bind(theme);
		expect(() => ask("nope" as never)).toThrow("Unknown theme color: nope");
	});
});

test("colors and attributes are combined, by name or as concrete colors", () => {
	const theme = builtinTheme("dark", "truecolor");
	expect(theme.style("x", { fg: "success", bold: true })).toBe(theme.fg("success", theme.bold("x")));
	expect(theme.style("x", { fg: theme.colors.toolSuccessBg })).toMatch(
		/^\u001B\[38;2;\d+;\d+;\d+mx\u001B\[39m$/,
	);
	expect(theme.style("x", { bg: "#102030", dim: true })).toBe(
		"\u001B[48;2;16;32;48m\u001B[2mx\u001B[22m\u001B[49m",
	);
	expect(Object.values(theme.colors)).not.toContain("");
});
