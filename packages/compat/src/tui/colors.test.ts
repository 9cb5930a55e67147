/** Colors of pi's terminal package are read, converted, mixed and applied. */
import { expect, test } from "bun:test";

import { colorExports as colors } from "./colors.ts";

test.each([
	["#abc", "#aabbcc"],
	["#102030", "#102030"],
	["oklch(100% 0 0)", "#ffffff"],
	["oklch(62.8% 0.2577 29.23)", "#ff0000"],
	["okhsl(120 0% 100%)", "#ffffff"],
	[141, 141],
	["red", undefined],
	["oklch(1 2)", undefined],
])("%j is %j", (written, color) => {
	expect(colors.parseColor(written)).toBe(color);
});

test.each(["#ff0000", "#00ff00", "#0000ff", "#808080", "#123456", "#fedcba"])(
	"%s is found again in every notation",
	(hex) => {
		const { l, c, h } = colors.colorToOklch(hex);
		expect(colors.oklchColor(l, c, h)).toBe(hex);
		const okhsl = colors.colorToOkhsl(hex);
		expect(colors.okhslColor(okhsl.h, okhsl.s, okhsl.l)).toBe(hex);
		const { r, g, b } = colors.colorToRgb(hex);
		expect(colors.rgbColor(r, g, b)).toBe(hex);
	},
);

test("every color of OKHSL can be shown, and half as light as white is a middle gray", () => {
	for (let hue = 0; hue < 360; hue += 30) expect(colors.okhslColor(hue, 1, 0.5)).toMatch(/^#[0-9a-f]{6}$/);
	expect(colors.oklabToOkhslLightness(1)).toBeCloseTo(1);
	expect(colors.oklabToOkhslLightness(0)).toBeCloseTo(0);
});

test("colors are mixed, and applied with attributes in as many colors as the terminal has", () => {
	expect(colors.mixColors("#000000", "#ffffff", 0.5)).toBe("#808080");
	expect(colors.colorToHex(colors.indexedColor(16))).toBe("#000000");
	expect(colors.styleText("x", { fg: "#ff0000", bg: 16, bold: true }, "truecolor")).toBe(
		"\u001B[48;5;16m\u001B[38;2;255;0;0m\u001B[1mx\u001B[22m\u001B[39m\u001B[49m",
	);
	expect(colors.foregroundAnsi("#ff0000", "256color")).toBe("\u001B[38;5;196m");
	expect(colors.styleText("x", { fg: "#ff0000", underline: true }, "none")).toBe("\u001B[4mx\u001B[24m");
});

test("a color is taken in every notation, also as an object", () => {
	for (const given of ["#ff0000", "#f00", "oklch(62.8% 0.2577 29.23)", { r: 255, g: 0, b: 0 }])
		expect(colors.colorToHex(given)).toBe("#ff0000");
	expect(colors.colorToHex(colors.colorToOklch("#336699"))).toBe("#336699");
	expect(colors.colorToHex(colors.colorToOkhsl("#336699"))).toBe("#336699");
	expect(colors.rgbColor({ r: 1, g: 2, b: 3 })).toBe("#010203");
	expect(colors.oklchColor(62.8, 0.2577, 29.23)).toBe(colors.oklchColor(0.628, 0.2577, 29.23));
	expect(colors.mixColors({ r: 0, g: 0, b: 0 }, "#fff")).toBe("#808080");
	expect(colors.foregroundAnsi({ r: 255, g: 0, b: 0 }, "truecolor")).toBe("\u001B[38;2;255;0;0m");
});
