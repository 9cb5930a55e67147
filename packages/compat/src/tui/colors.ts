/**
 * The color functions of pi's terminal package. pi publishes their names, not their declarations: a color that Tau gives
 * is a hex value or an index of the 256 colors, and all notations are taken, also as objects.
 */
import {
	colorModeOf,
	mixed,
	rgbOf,
	sgrOf,
	type ColorMode,
	type ColorValue,
	type TextStyle as ThemedStyle,
} from "@tau/tui";

type Triple = readonly [number, number, number];

/** A color in any notation; numbers of objects as `colorToRgb`, `colorToOklch` and `colorToOkhsl` give them. */
type AnyColor =
	| string
	| number
	| { r: number; g: number; b: number }
	| { l: number; c: number; h: number }
	| { h: number; s: number; l: number };

/** Black if it is not a color. */
function colorOf(color: AnyColor): ColorValue {
	if (typeof color !== "object") return parseColor(color) ?? "#000000";
	if ("r" in color) return rgbColor(color.r, color.g, color.b);
	return "c" in color ? oklchColor(color.l, color.c, color.h) : okhslColor(color.h, color.s, color.l);
}

interface Attributes extends Pick<
	ThemedStyle,
	"bold" | "italic" | "underline" | "inverse" | "strikethrough" | "dim"
> {}

interface TextStyle extends Attributes {
	fg?: AnyColor;
	bg?: AnyColor;
}

/** Switched on and off by these numbers. */
const attributes: Readonly<Record<keyof Attributes, readonly [on: number, off: number]>> = {
	bold: [1, 22],
	dim: [2, 22],
	italic: [3, 23],
	underline: [4, 24],
	inverse: [7, 27],
	strikethrough: [9, 29],
};

function getTerminalColorMode(): ColorMode {
	return colorModeOf(process.env);
}

function rgbColor(red: number | AnyColor, green?: number, blue?: number): ColorValue {
	if (typeof red !== "number" || green === undefined || blue === undefined) return colorOf(red);
	const digits = [red, green, blue].map((value) =>
		Math.min(255, Math.max(0, Math.round(value)))
			.toString(16)
			.padStart(2, "0"),
	);
	return `#${digits.join("")}`;
}

function indexedColor(index: number): ColorValue {
	return Math.min(255, Math.max(0, Math.trunc(index)));
}

/** `#abc`, `#aabbcc`, `oklch(62% 0.1 200)`, `okhsl(250 60% 55%)` or an index. */
function parseColor(value: string | number): ColorValue | undefined {
	if (typeof value === "number")
		return Number.isInteger(value) && value >= 0 && value < 256 ? value : undefined;
	const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(value);
	if (short)
		return `#${short
			.slice(1)
			.map((digit) => digit + digit)
			.join("")}`;
	if (/^#[0-9a-f]{6}$/i.test(value)) return value;
	const call = /^(oklch|okhsl)\(\s*([^)]+?)\s*\)$/i.exec(value);
	const numbers = (call?.[2] ?? "").split(/[\s,]+/).map(share);
	const [first = Number.NaN, second = Number.NaN, third = Number.NaN] = numbers;
	if (!call || numbers.length !== 3 || numbers.some(Number.isNaN)) return undefined;
	return call[1]?.toLowerCase() === "oklch"
		? oklchColor(first, second, third)
		: okhslColor(first, second, third);
}

function share(text: string): number {
	return text.endsWith("%") ? Number(text.slice(0, -1)) / 100 : Number(text.replace(/deg$/, ""));
}

/** Lightness from 0 to 1, chroma, hue in degrees; a color that a screen cannot show loses chroma. */
function oklchColor(given: number | AnyColor, chroma?: number, hue?: number): ColorValue {
	if (typeof given !== "number" || chroma === undefined || hue === undefined) return colorOf(given);
	const lightness = shareOf(given);
	const held = Math.min(chroma, isShown(lightness, chroma, hue) ? chroma : greatestChroma(lightness, hue));
	return rgbColor(...screenOf(lightness, held, hue));
}

/** Hue in degrees, saturation as a share of what a screen can show at this hue and lightness, lightness. */
function okhslColor(hue: number | AnyColor, saturation?: number, lightness?: number): ColorValue {
	if (typeof hue !== "number" || saturation === undefined || lightness === undefined) return colorOf(hue);
	const light = toeInverse(shareOf(lightness));
	return oklchColor(light, Math.min(1, Math.max(0, shareOf(saturation))) * greatestChroma(light, hue), hue);
}

/** 62 % is 0.62 or 62. */
function shareOf(value: number): number {
	return value > 1 ? value / 100 : value;
}

/** The lightness of OKHSL, in which the middle looks half as light as white. */
function oklabToOkhslLightness(lightness: number): number {
	const [k1, k3] = [0.206, 1.206 / 1.03];
	const part = k3 * lightness - k1;
	return (part + Math.sqrt(part * part + 4 * 0.03 * k3 * lightness)) / 2;
}

function toeInverse(lightness: number): number {
	return (lightness * lightness + 0.206 * lightness) / ((1.206 / 1.03) * (lightness + 0.03));
}

function colorToRgb(color: AnyColor): { r: number; g: number; b: number } {
	const [r, g, b] = rgbOf(colorOf(color)) ?? [0, 0, 0];
	return { r, g, b };
}

function colorToHex(color: AnyColor): string {
	const { r, g, b } = colorToRgb(color);
	return String(rgbColor(r, g, b));
}

function colorToOklch(color: AnyColor): { l: number; c: number; h: number } {
	const { r, g, b } = colorToRgb(color);
	const [red, green, blue] = [r, g, b].map(linear) as unknown as Triple;
	const [long, medium, short] = [
		0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue,
		0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue,
		0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue,
	].map(Math.cbrt) as unknown as Triple;
	const l = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short;
	const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
	const blueYellow = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
	const hue = (Math.atan2(blueYellow, a) * 180) / Math.PI;
	return { l, c: Math.hypot(a, blueYellow), h: (hue + 360) % 360 };
}

function colorToOkhsl(color: AnyColor): { h: number; s: number; l: number } {
	const { l, c, h } = colorToOklch(color);
	const most = greatestChroma(l, h);
	return { h, s: most > 0.0001 ? Math.min(1, c / most) : 0, l: oklabToOkhslLightness(l) };
}

/** The red, green and blue of a color, from 0 to 255; beyond that where a screen cannot show it. */
function screenOf(lightness: number, chroma: number, hue: number): Triple {
	const angle = (hue * Math.PI) / 180;
	const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
	const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
	return [
		4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
		-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
		-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
	].map((value) => 255 * encoded(value)) as unknown as Triple;
}

function isShown(lightness: number, chroma: number, hue: number): boolean {
	return screenOf(lightness, chroma, hue).every((value) => value >= -0.5 && value <= 255.5);
}

/** Halved often enough for one step of 255. */
function greatestChroma(lightness: number, hue: number): number {
	let [low, high] = [0, 0.5];
	for (let round = 0; round < 20; round++) {
		const middle = (low + high) / 2;
		if (isShown(lightness, middle, hue)) low = middle;
		else high = middle;
	}
	return low;
}

function linear(value: number): number {
	const part = value / 255;
	return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function encoded(value: number): number {
	return value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
}

function foregroundAnsi(color: AnyColor, mode: ColorMode = getTerminalColorMode()): string {
	return sgrOf(colorOf(color), "fg", mode);
}

function backgroundAnsi(color: AnyColor, mode: ColorMode = getTerminalColorMode()): string {
	return sgrOf(colorOf(color), "bg", mode);
}

function styleText(text: string, { fg, bg, ...style }: TextStyle, mode?: ColorMode): string {
	return styleTextWithAnsi(text, {
		...style,
		...(fg === undefined ? {} : { fg: foregroundAnsi(fg, mode) }),
		...(bg === undefined ? {} : { bg: backgroundAnsi(bg, mode) }),
	});
}

/** Colors as the sequences that switch them on. */
function styleTextWithAnsi(
	text: string,
	{ fg = "", bg = "", ...style }: Attributes & { fg?: string; bg?: string },
): string {
	const wanted = Object.entries(attributes).filter(([name]) => style[name as keyof Attributes] === true);
	const inner = wanted.reduce((all, [, [on, off]]) => `\u001B[${on}m${all}\u001B[${off}m`, text);
	const colored = fg === "" ? inner : `${fg}${inner}\u001B[39m`;
	return bg === "" ? colored : `${bg}${colored}\u001B[49m`;
}

export const colorExports = {
	getTerminalColorMode,
	rgbColor,
	indexedColor,
	parseColor,
	oklchColor,
	okhslColor,
	oklabToOkhslLightness,
	colorToRgb,
	colorToHex,
	colorToOklch,
	colorToOkhsl,
	mixColors: (one: AnyColor, other: AnyColor, amount = 0.5) => mixed(colorOf(one), colorOf(other), amount),
	foregroundAnsi,
	backgroundAnsi,
	styleText,
	styleTextWithAnsi,
};
