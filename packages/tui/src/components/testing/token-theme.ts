/** A theme in which each color names its purpose, and a function that makes its rows readable. */
import { builtinThemeFacts, type BuiltinThemeName } from "../../theme/builtin.ts";
import { sgrOf, type ColorValue } from "../../theme/color.ts";
import { Theme } from "../../theme/theme.ts";
import { backgrounds, tokens, type ThemeToken } from "../../theme/tokens.ts";

/** The first colors of the palette have another meaning for a terminal. */
const firstColor = 16;

function colorOf(at: number): number {
	return firstColor + at;
}

const everyToken = Object.fromEntries(tokens.map((token, at) => [token, colorOf(at)])) as Record<
	ThemeToken,
	ColorValue
>;

export const tokenTheme = new Theme({ name: "tokens", appearance: "dark", colors: everyToken }, "256color");

const layerOf = (token: ThemeToken): "fg" | "bg" =>
	(backgrounds as readonly string[]).includes(token) ? "bg" : "fg";

const names = new Map(
	tokens.map((token, at) => [sgrOf(colorOf(at), layerOf(token), "256color"), `‹${token}›`]),
);

const styles: Readonly<Record<string, string>> = {
	"\x1b[39m": "‹/›",
	"\x1b[49m": "‹/bg›",
	"\x1b[1m": "‹b›",
	"\x1b[22m": "‹/b›",
	"\x1b[3m": "‹i›",
	"\x1b[23m": "‹/i›",
	"\x1b[4m": "‹u›",
	"\x1b[24m": "‹/u›",
	"\x1b[7m": "‹inv›",
	"\x1b[27m": "‹/inv›",
};

/** A row of the token theme with its colors as words. Sequences with several parameters are split. */
export function readable(row: string): string {
	return row
		.replaceAll("\x1b_pi:c\x07", "‹caret›")
		.replaceAll(/\x1b\[([0-9;]+)m/g, (_, body: string) =>
			apart(body)
				.map((sgr) => names.get(sgr) ?? styles[sgr] ?? JSON.stringify(sgr))
				.join(""),
		)
		.replaceAll("\x1b", "‹ESC›");
}

/** A row as it is displayed: pieces of text, each with all of its styles, however they were set. */
export function runsOf(row: string, meaning: (sgr: string) => string = String): string[] {
	const open = new Map<string, string>();
	const runs: { style: string; text: string }[] = [];
	for (const [, body, text = ""] of row.matchAll(/\x1b\[([0-9;]+)m|([^\x1b]+|\x1b)/g)) {
		for (const sgr of apart(body ?? "")) setStyle(open, meaning(sgr));
		const style = [...open.values()].toSorted().join("");
		const last = runs.at(-1);
		if (text === "") continue;
		if (last?.style === style) last.text += text;
		else runs.push({ style, text });
	}
	return runs.map(({ style, text }) => style + text);
}

/** Maps the colors of another theme to those of the token theme. */
export function meaningIn(name: BuiltinThemeName): (sgr: string) => string {
	const { colors } = builtinThemeFacts(name);
	const other = new Map(
		tokens.map((token, at) => [
			sgrOf(colorOf(at), layerOf(token), "256color"),
			sgrOf(colors[token], layerOf(token), "truecolor"),
		]),
	);
	return (sgr) => other.get(sgr) ?? sgr;
}

const closers: Readonly<Record<string, string>> = {
	"39": "fg",
	"49": "bg",
	"22": "1",
	"23": "3",
	"24": "4",
	"27": "7",
	"29": "9",
};

function setStyle(open: Map<string, string>, sgr: string): void {
	const [code = ""] = sgr.slice(2, -1).split(";");
	const closes = closers[code];
	if (code === "0") open.clear();
	else if (closes !== undefined) open.delete(closes);
	else open.set(code === "38" ? "fg" : code === "48" ? "bg" : code, sgr);
}

/** Splits a sequence into one sequence per style. */
function apart(body: string): string[] {
	const parts = body.match(/[345]8;(?:5;\d+|2;\d+;\d+;\d+)|\d+/g) ?? [];
	return parts.map((part) => `\x1b[${part}m`);
}
