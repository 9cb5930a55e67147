/** Converts a color to a terminal sequence, in as many colors as the terminal has. */

/** A hex value, an index of the 256 colors, or an empty string for the terminal's default. */
export type ColorValue = string | number;

export type ColorMode = "truecolor" | "256color" | "16color" | "none";

export type Rgb = readonly [red: number, green: number, blue: number];

/** Xterm's colors for the first sixteen; users may choose others. */
const basic: readonly Rgb[] = [
	[0, 0, 0],
	[205, 0, 0],
	[0, 205, 0],
	[205, 205, 0],
	[0, 0, 238],
	[205, 0, 205],
	[0, 205, 205],
	[229, 229, 229],
	[127, 127, 127],
	[255, 0, 0],
	[0, 255, 0],
	[255, 255, 0],
	[92, 92, 255],
	[255, 0, 255],
	[0, 255, 255],
	[255, 255, 255],
];

const cubeLevels = [0, 95, 135, 175, 215, 255] as const;

export function isColorValue(value: unknown): value is ColorValue {
	if (typeof value === "number") return Number.isInteger(value) && value >= 0 && value <= 255;
	return typeof value === "string" && (value === "" || /^#[0-9a-f]{6}$/i.test(value));
}

/** Undefined for the terminal's default color, which is unknown. */
export function rgbOf(color: ColorValue): Rgb | undefined {
	if (color === "") return undefined;
	if (typeof color === "number") return paletteRgb(color);
	const number = Number.parseInt(color.slice(1), 16);
	return [number >> 16, (number >> 8) & 255, number & 255];
}

/** The first color with a share of the second; without a known color there is nothing to mix. */
export function mixed(first: ColorValue, second: ColorValue, share: number): ColorValue {
	const [from, to] = [rgbOf(first), rgbOf(second)];
	if (!from || !to) return first;
	const parts = from.map((value, at) => Math.round(value + ((to[at] ?? value) - value) * share));
	return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** The sequence that switches to the color, or back to the terminal's default. */
export function sgrOf(color: ColorValue, layer: "fg" | "bg", mode: ColorMode): string {
	if (mode === "none") return "";
	const base = layer === "fg" ? 38 : 48;
	const rgb = rgbOf(color);
	if (!rgb) return `\u001B[${base + 1}m`;
	if (mode === "truecolor" && typeof color === "string") return `\u001B[${base};2;${rgb.join(";")}m`;
	if (mode !== "16color") return `\u001B[${base};5;${typeof color === "number" ? color : nearest256(rgb)}m`;
	const index = typeof color === "number" && color < 16 ? color : basicIndex(rgb);
	return `\u001B[${base - 8 + (index < 8 ? index : index - 8 + 60)}m`;
}

/** A faint background among 256 colors, as a hue: the nearest one would be gray, and so is its opposite. */
export function tintOf(color: ColorValue, mode: ColorMode): ColorValue {
	const rgb = rgbOf(color);
	if (mode !== "256color" || typeof color === "number" || !rgb || chromaOf(rgb) < leastTint) return color;
	const [least, most] = [Math.min(...rgb), Math.max(...rgb)];
	const average = (rgb[0] + rgb[1] + rgb[2]) / 3;
	const [, high, low] = tintLevels.find(([below]) => average < below) ?? tintLevels[0];
	const [red, green, blue] = rgb.map((value) => (value - least > leastShare * (most - least) ? high : low));
	return 16 + 36 * (red ?? low) + 6 * (green ?? low) + (blue ?? low);
}

/** Below it a background is meant to be gray. */
const leastTint = 8;
/** Of the difference between the strongest and the weakest channel; below it a channel does not make the hue. */
const leastShare = 0.55;
/** For backgrounds that are darker than the first number: the levels of the cube for the hue and for the rest. */
const tintLevels = [
	[60, 1, 0],
	[128, 2, 0],
	[215, 5, 3],
	[256, 5, 4],
] as const;

/** The color mode of the terminal according to the environment. */
export function colorModeOf(env: Readonly<Record<string, string | undefined>>): ColorMode {
	if (env.NO_COLOR) return "none";
	const term = env.TERM ?? "";
	if (env.FORCE_COLOR === undefined && (term === "dumb" || term === "")) return "none";
	const isKnown = /-direct$|kitty|ghostty|alacritty|wezterm/.test(term);
	if (isKnown || /truecolor|24bit/i.test(env.COLORTERM ?? "")) return "truecolor";
	if (env.WT_SESSION || env.FORCE_COLOR === "3") return "truecolor";
	if (/256/.test(term) || env.FORCE_COLOR === "2") return "256color";
	return "16color";
}

function paletteRgb(index: number): Rgb {
	if (index < 16) return basic[index] ?? [0, 0, 0];
	if (index >= 232) {
		const level = 8 + (index - 232) * 10;
		return [level, level, level];
	}
	const cube = index - 16;
	const level = (at: number): number => cubeLevels[at] ?? 0;
	return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

/** The nearest of the cube and of the grays; the first sixteen are the user's own and differ. */
function nearest256(rgb: Rgb): number {
	const levels = cubeLevels.map((level): Rgb => [level, 0, 0]);
	const [red = 0, green = 0, blue = 0] = rgb.map((value) => closest([value, 0, 0], levels));
	const cube = 16 + 36 * red + 6 * green + blue;
	const average = (rgb[0] + rgb[1] + rgb[2]) / 3;
	const gray = 232 + Math.min(23, Math.max(0, Math.round((average - 8) / 10)));
	return distance(rgb, paletteRgb(gray)) < distance(rgb, paletteRgb(cube)) ? gray : cube;
}

/**
 * The terminal's own color of the same hue: measured by distance, most colors of a theme are gray there, and red and
 * green look alike. What is nearly gray is chosen by its brightness.
 */
function basicIndex(rgb: Rgb): number {
	if (chromaOf(rgb) < leastChroma)
		return (
			grays[
				closest(
					rgb,
					grays.map((index) => basic[index] ?? rgb),
				)
			] ?? 7
		);
	const hue = hueOf(rgb);
	const [, index] = hues.find(([below]) => hue < below) ?? hues[0];
	return Math.max(...rgb) >= brightFrom ? index + 8 : index;
}

const grays = [0, 8, 7, 15] as const;
const leastChroma = 50;
/** Themes for dark grounds have lighter colors, which are the bright ones of the terminal. */
const brightFrom = 200;
/** The end of each hue in degrees, and its color among the first eight. */
const hues = [
	[20, 1],
	[70, 3],
	[165, 2],
	[200, 6],
	[265, 4],
	[330, 5],
	[361, 1],
] as const;

function chromaOf(rgb: Rgb): number {
	return Math.max(...rgb) - Math.min(...rgb);
}

function hueOf([red, green, blue]: Rgb): number {
	const most = Math.max(red, green, blue);
	const chroma = most - Math.min(red, green, blue);
	const sixth =
		most === red
			? ((green - blue) / chroma + 6) % 6
			: most === green
				? (blue - red) / chroma + 2
				: (red - green) / chroma + 4;
	return sixth * 60;
}

function closest(rgb: Rgb, among: readonly Rgb[]): number {
	let best = 0;
	let least = Number.POSITIVE_INFINITY;
	for (const [index, candidate] of among.entries()) {
		const far = distance(rgb, candidate);
		if (far < least) [best, least] = [index, far];
	}
	return best;
}

/** The eye sees a difference in green best and one in blue worst. */
function distance(a: Rgb, b: Rgb): number {
	return 2 * (a[0] - b[0]) ** 2 + 4 * (a[1] - b[1]) ** 2 + 3 * (a[2] - b[2]) ** 2;
}
