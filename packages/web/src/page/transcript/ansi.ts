/** Output of programs as styled pieces of text: colors and weights stay, every other sequence is removed. */

export interface AnsiSpan {
	readonly text: string;
	/** Names of the style sheet: `fg-1`, `bold`. */
	readonly classes: readonly string[];
	/** Colors outside the sixteen. */
	readonly color?: string;
	readonly background?: string;
}

interface Style {
	readonly marks: ReadonlySet<string>;
	readonly fg: string | undefined;
	readonly bg: string | undefined;
}

const plain: Style = { marks: new Set(), fg: undefined, bg: undefined };
// CSI, OSC (ended by BEL or ST) and the strings of other introducers, two-byte escapes, 8-bit CSI.
const sequence =
	/(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[PX^_][^\x1b]*(?:\x1b\\|$)|\x1b[ -/]*[0-~]|\x1b$/g;
// Line feed and tab stay; direction marks would reorder what is shown.
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function ansiSpans(text: string): AnsiSpan[] {
	const spans: AnsiSpan[] = [];
	let style = plain;
	let at = 0;
	const push = (piece: string): void => {
		const shown = clean(piece);
		if (shown !== "") spans.push(spanOf(shown, style));
	};
	const source = overwritten(text);
	for (const match of source.matchAll(sequence)) {
		push(source.slice(at, match.index));
		at = match.index + match[0].length;
		if (match[2] === "m") style = styled(style, match[1] ?? "");
	}
	push(source.slice(at));
	return spans;
}

/** The same without styles. */
export function plainText(text: string): string {
	return clean(overwritten(text).replaceAll(sequence, ""));
}

function clean(text: string): string {
	return text.replaceAll(controls, "");
}

/** A carriage return starts the line again: of a progress bar, the last state is left. */
function overwritten(text: string): string {
	if (!text.includes("\r")) return text;
	return text
		.replaceAll("\r\n", "\n")
		.split("\n")
		.map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1))
		.join("\n");
}

function spanOf(text: string, { marks, fg, bg }: Style): AnsiSpan {
	const isNamed = (color: string | undefined): color is string =>
		color !== undefined && !color.startsWith("#");
	return {
		text,
		classes: [...marks, ...(isNamed(fg) ? [`fg-${fg}`] : []), ...(isNamed(bg) ? [`bg-${bg}`] : [])],
		...(fg?.startsWith("#") ? { color: fg } : {}),
		...(bg?.startsWith("#") ? { background: bg } : {}),
	};
}

const on: Readonly<Record<number, string>> = {
	1: "bold",
	2: "dim",
	3: "italic",
	4: "underline",
	7: "inverse",
	9: "strike",
};
const off: Readonly<Record<number, readonly string[]>> = {
	22: ["bold", "dim"],
	23: ["italic"],
	24: ["underline"],
	27: ["inverse"],
	29: ["strike"],
};

function styled(before: Style, parameters: string): Style {
	const codes = parameters.split(/[;:]/).map((code) => Number(code || 0));
	let style = before;
	for (let at = 0; at < codes.length; at++) {
		const code = codes[at] ?? 0;
		if (code === 38 || code === 48) {
			const [color, used] = extended(codes.slice(at + 1));
			style = code === 38 ? { ...style, fg: color } : { ...style, bg: color };
			at += used;
		} else style = simple(style, code);
	}
	return style;
}

function simple(style: Style, code: number): Style {
	if (code === 0) return plain;
	const mark = on[code];
	if (mark !== undefined) return { ...style, marks: new Set([...style.marks, mark]) };
	const gone = off[code];
	if (gone) return { ...style, marks: new Set([...style.marks].filter((each) => !gone.includes(each))) };
	if (code === 39) return { ...style, fg: undefined };
	if (code === 49) return { ...style, bg: undefined };
	if (code >= 30 && code <= 37) return { ...style, fg: String(code - 30) };
	if (code >= 90 && code <= 97) return { ...style, fg: String(code - 82) };
	if (code >= 40 && code <= 47) return { ...style, bg: String(code - 40) };
	if (code >= 100 && code <= 107) return { ...style, bg: String(code - 92) };
	return style;
}

/** `5;n` or `2;r;g;b`: the color, and how many numbers it took. */
function extended([mode, first = 0, second = 0, third = 0]: number[]): [string | undefined, number] {
	if (mode === 2) return [hex(first, second, third), 4];
	if (mode !== 5) return [undefined, 1];
	if (first < 16) return [String(first), 2];
	if (first >= 232) {
		const gray = 8 + (first - 232) * 10;
		return [hex(gray, gray, gray), 2];
	}
	const level = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
	const index = first - 16;
	return [hex(level(Math.floor(index / 36)), level(Math.floor(index / 6) % 6), level(index % 6)), 2];
}

function hex(...parts: number[]): string {
	const byte = (value: number): string =>
		Math.min(255, Math.max(0, value || 0))
			.toString(16)
			.padStart(2, "0");
	return `#${parts.map(byte).join("")}`;
}
