/** Colors and styles by purpose, which components draw with. */
import { isColorValue, sgrOf, tintOf, type ColorMode, type ColorValue } from "./color.ts";
import { stripAnsi } from "@tau/sys";
import { backgrounds, foregrounds, type ThemeBg, type ThemeColor, type ThemeToken } from "./tokens.ts";

export interface ThemeFacts {
	name: string;
	appearance: "dark" | "light";
	/** The theme for the other appearance. */
	pair?: string;
	colors: Readonly<Record<ThemeToken, ColorValue>>;
	/** The file it comes from. */
	sourcePath?: string;
}

/** Additions in blue and removals in orange: people who cannot tell green from red can tell these. */
export function colorBlindFacts(facts: ThemeFacts): ThemeFacts {
	return { ...facts, colors: { ...facts.colors, ...blueAndOrange[facts.appearance] } };
}

const blueAndOrange = {
	dark: {
		toolDiffAdded: "#7fb2ff",
		toolDiffRemoved: "#ffb454",
		toolSuccessBg: "#16283f",
		toolErrorBg: "#3a2a12",
		toolDiffAddedWordBg: "#24507f",
		toolDiffRemovedWordBg: "#7a5518",
	},
	light: {
		toolDiffAdded: "#0b57d0",
		toolDiffRemoved: "#9c4d00",
		toolSuccessBg: "#e3eefc",
		toolErrorBg: "#fdeedd",
		toolDiffAddedWordBg: "#b9d4f8",
		toolDiffRemovedWordBg: "#f8cf9b",
	},
} as const;

/** Colors are names of the theme or concrete values. */
export interface TextStyle {
	fg?: ThemeColor | ColorValue;
	bg?: ThemeBg | ColorValue;
	bold?: boolean;
	italic?: boolean;
	underline?: boolean;
	inverse?: boolean;
	strikethrough?: boolean;
	dim?: boolean;
}

export type ThinkingShade = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

const shades: Record<ThinkingShade, ThemeColor> = {
	off: "thinkingOff",
	minimal: "thinkingMinimal",
	low: "thinkingLow",
	medium: "thinkingMedium",
	high: "thinkingHigh",
	xhigh: "thinkingXhigh",
	// Themes need no color of its own for it.
	max: "thinkingXhigh",
};

/** Backgrounds that say what became of a line. */
const bands: ReadonlySet<ThemeBg> = new Set([
	"toolSuccessBg",
	"toolErrorBg",
	"toolDiffAddedWordBg",
	"toolDiffRemovedWordBg",
]);

const attributeNames = ["bold", "italic", "underline", "inverse", "strikethrough"] as const;

export class Theme {
	readonly name: string;
	readonly appearance: ThemeFacts["appearance"];
	readonly pair: string | undefined;
	readonly sourcePath: string | undefined;
	readonly #mode: ColorMode;
	readonly #sgr = new Map<ThemeToken, string>();
	readonly #colors: ThemeFacts["colors"];

	constructor(facts: ThemeFacts, mode: ColorMode) {
		this.name = facts.name;
		this.appearance = facts.appearance;
		this.pair = facts.pair;
		this.sourcePath = facts.sourcePath;
		this.#mode = mode;
		this.#colors = facts.colors;
		for (const token of foregrounds) this.#sgr.set(token, sgrOf(facts.colors[token], "fg", mode));
		for (const token of backgrounds) this.#sgr.set(token, this.#ground(token));
	}

	fg(color: ThemeColor, text: string): string {
		return this.#wrap(this.getFgAnsi(color), text, "\u001B[39m");
	}

	bg(color: ThemeBg, text: string): string {
		return this.#wrap(this.getBgAnsi(color), text, "\u001B[49m");
	}

	/** The colors as the theme has them: an empty one is left to the terminal. */
	get palette(): ThemeFacts["colors"] {
		return this.#colors;
	}

	/** Concrete colors; where the theme leaves one to the terminal, the usual one of its appearance. */
	get colors(): Readonly<Record<ThemeToken, ColorValue>> {
		const [text, ground] = this.appearance === "dark" ? ["#ffffff", "#000000"] : ["#000000", "#ffffff"];
		const isGround = (token: string): boolean => backgrounds.some((each) => each === token);
		const concrete = Object.entries(this.#colors).map(([token, color]) => [
			token,
			color === "" ? (isGround(token) ? ground : text) : color,
		]);
		return Object.fromEntries(concrete) as Record<ThemeToken, ColorValue>;
	}

	/** Combines colors and attributes. */
	style(text: string, { fg, bg, dim = false, ...attributes }: TextStyle): string {
		let styled = text;
		for (const name of attributeNames) if (attributes[name] === true) styled = this[name](styled);
		if (dim) styled = this.#style(2, styled, 22);
		if (fg !== undefined) styled = this.#wrap(this.#open(fg, "fg"), styled, "\u001B[39m");
		return bg === undefined ? styled : this.#wrap(this.#open(bg, "bg"), styled, "\u001B[49m");
	}

	bold(text: string): string {
		return this.#style(1, text, 22);
	}

	italic(text: string): string {
		return this.#style(3, text, 23);
	}

	underline(text: string): string {
		return this.#style(4, text, 24);
	}

	/** Also without colors: a selection must be visible. */
	inverse(text: string): string {
		return `\u001B[7m${text}\u001B[27m`;
	}

	/** Text on a background of its own; inverse where the terminal has too few colors for tints. */
	highlight(color: ThemeBg, text: string): string {
		return this.hasTints ? this.bg(color, text) : this.inverse(text);
	}

	/** The row that Enter would choose. */
	selected(text: string): string {
		return this.hasTints ? this.bg("selectedBg", text) : this.inverse(stripAnsi(text));
	}

	/** Whether faint backgrounds can be told apart. */
	get hasTints(): boolean {
		return this.#mode === "truecolor" || this.#mode === "256color";
	}

	strikethrough(text: string): string {
		return this.#style(9, text, 29);
	}

	getFgAnsi(color: ThemeColor): string {
		return this.#known(color);
	}

	getBgAnsi(color: ThemeBg): string {
		return this.#known(color);
	}

	getColorMode(): ColorMode {
		return this.#mode;
	}

	getThinkingBorderColor(level: ThinkingShade): (text: string) => string {
		return (text) => this.fg(shades[level], text);
	}

	getBashModeBorderColor(): (text: string) => string {
		return (text) => this.fg("bashMode", text);
	}

	/** Sixteen colors have no faint ones: there a background would hide the text or look like the rest. */
	#ground(token: ThemeBg): string {
		if (!this.hasTints) return "";
		const color = this.#colors[token];
		return sgrOf(bands.has(token) ? tintOf(color, this.#mode) : color, "bg", this.#mode);
	}

	#open(color: ThemeToken | ColorValue, layer: "fg" | "bg"): string {
		return isColorValue(color) ? sgrOf(color, layer, this.#mode) : this.#known(color);
	}

	/** Extensions are not always type-checked: a wrong name is reported, as in pi. */
	#known(token: ThemeToken): string {
		const sgr = this.#sgr.get(token);
		if (sgr === undefined) throw new Error(`Unknown theme color: ${token}`);
		return sgr;
	}

	#style(on: number, text: string, off: number): string {
		// NO_COLOR is about colors; bold and the like help users who cannot see them.
		return `\u001B[${on}m${text}\u001B[${off}m`;
	}

	#wrap(open: string, text: string, close: string): string {
		return open === "" ? text : open + text + close;
	}
}
