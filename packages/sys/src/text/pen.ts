/** The style in which text is written (SGR and OSC 8): what is open, and how to get from one state to another. */
import { limits } from "../limits.ts";

/** The parameter that closes each kind of style, in the order of the state's slots. */
const closers = [
	"39",
	"49",
	"59",
	"22",
	"22",
	"23",
	"24",
	"25",
	"27",
	"28",
	"29",
	"10",
	"54",
	"55",
	"75",
] as const;
const boldCloser = "22";
const slot = {
	foreground: 0,
	background: 1,
	underlineColor: 2,
	bold: 3,
	dim: 4,
	italic: 5,
	underline: 6,
	blink: 7,
	inverse: 8,
	hidden: 9,
	strike: 10,
	font: 11,
	frame: 12,
	overline: 13,
	script: 14,
} as const;

const openers: ReadonlyMap<number, number> = new Map([
	[1, slot.bold],
	[2, slot.dim],
	[3, slot.italic],
	[4, slot.underline],
	[5, slot.blink],
	[6, slot.blink],
	[7, slot.inverse],
	[8, slot.hidden],
	[9, slot.strike],
	[20, slot.italic],
	[21, slot.underline],
	[38, slot.foreground],
	[48, slot.background],
	[51, slot.frame],
	[52, slot.frame],
	[53, slot.overline],
	[58, slot.underlineColor],
	[73, slot.script],
	[74, slot.script],
]);

/** These styles draw something in an empty cell, in the color of the text. */
const lineSlots = [slot.underline, slot.inverse, slot.strike, slot.frame, slot.overline];

const closeLink = "\x1b]8;;\x1b\\";

/** A style of letters. Equal styles are one object, so that what follows from them is computed once. */
export class Style {
	/** The parameter that opened each kind of style, or "". */
	readonly #open: readonly string[];
	/** The same text for every equal style. */
	readonly look: string;
	/** The same text for every style whose spaces look the same: most styles do not show on a space. */
	readonly lookOfSpaces: string;
	readonly #after = new Map<string, Style>();
	readonly #changes = new Map<Style, string>();
	readonly #shortest = new Map<Style, string>();

	constructor(open: readonly string[], look: string) {
		this.#open = open;
		this.look = look;
		this.lookOfSpaces = lineSlots.some((index) => open[index] !== "") ? look : (open[slot.background] ?? "");
	}

	/** The style after an SGR sequence. */
	after(sequence: string): Style {
		let next = this.#after.get(sequence);
		if (next === undefined) {
			next = styleOf(applied(this.#open, sequence));
			remember(this.#after, sequence, next);
		}
		return next;
	}

	/** The sequence that brings a terminal from this style to the other by what differs. */
	changeTo(other: Style): string {
		if (this === other) return "";
		let change = this.#changes.get(other);
		if (change === undefined) {
			change = difference(this.#open, other.#open);
			remember(this.#changes, other, change);
		}
		return change;
	}

	/** The shortest sequence that brings a terminal from this style to the other. */
	shortestTo(other: Style): string {
		if (this === other) return "";
		let shortest = this.#shortest.get(other);
		if (shortest === undefined) {
			const change = this.changeTo(other);
			const open = plainStyle.changeTo(other);
			const fresh = open === "" ? "\x1b[m" : `\x1b[0;${open.slice(2)}`;
			shortest = fresh.length < change.length ? fresh : change;
			remember(this.#shortest, other, shortest);
		}
		return shortest;
	}

	forget(): void {
		this.#after.clear();
		this.#changes.clear();
		this.#shortest.clear();
	}
}

const styles = new Map<string, Style>();

/** The style of a terminal that nothing was written to. */
export const plainStyle = styleOf(closers.map(() => ""));

function styleOf(open: readonly string[]): Style {
	const look = open.join("|");
	const known = styles.get(look);
	if (known !== undefined) return known;
	if (styles.size >= limits.stylesKept) forgetStyles();
	const style = new Style(open, look);
	styles.set(look, style);
	return style;
}

/** An image of colored characters has thousands of styles; those of the theme are soon known again. */
function forgetStyles(): void {
	for (const style of styles.values()) style.forget();
	styles.clear();
	styles.set(plainStyle.look, plainStyle);
}

function remember<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): void {
	if (known.size >= limits.stylesKept) known.clear();
	known.set(key, value);
}

function applied(before: readonly string[], sequence: string): string[] {
	const open = [...before];
	const body = sequence.slice(sequence.startsWith("\x1b") ? 2 : 1, -1);
	const parameters = body.split(";");
	for (let index = 0; index < parameters.length; index++) {
		const parameter = parameters[index] ?? "";
		const code = parseInt(parameter === "" ? "0" : parameter, 10);
		const isColor = code === 38 || code === 48 || code === 58;
		if (isColor && !parameter.includes(":")) {
			const length = parameters[index + 1] === "2" ? 5 : parameters[index + 1] === "5" ? 3 : 0;
			const color = parameters.slice(index, index + length);
			if (length > 0 && color.length === length) set(open, code, color.join(";"));
			index += Math.max(0, length - 1);
		} else set(open, code, parameter);
	}
	return open;
}

function set(open: string[], code: number, parameter: string): void {
	if (code === 0) open.fill("");
	// `4:0` means no underline.
	else if (parameter === "4:0") open[slot.underline] = "";
	else if (openers.has(code)) open[openers.get(code) ?? 0] = parameter;
	else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) open[slot.foreground] = parameter;
	else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) open[slot.background] = parameter;
	else if (code >= 11 && code <= 19) open[slot.font] = parameter;
	else close(open, String(code));
}

function close(open: string[], code: string): void {
	for (let index = 0; index < closers.length; index++) {
		if (closers[index] === code) open[index] = "";
	}
}

function difference(from: readonly string[], to: readonly string[]): string {
	const open = [...from];
	let parameters = "";
	for (let index = 0; index < closers.length; index++) {
		if (open[index] === "" || to[index] !== "") continue;
		const closer = closers[index] ?? "";
		open[index] = "";
		parameters += `;${closer}`;
		// Bold and dim are closed together, so the remaining one is opened again.
		if (closer === boldCloser) close(open, closer);
	}
	for (let index = 0; index < closers.length; index++) {
		const target = to[index] ?? "";
		if (target !== open[index]) parameters += `;${target}`;
	}
	return parameters === "" ? "" : `\x1b[${parameters.slice(1)}m`;
}

/** What is open where a text is read: a style and a link. */
export class Pen {
	#style = plainStyle;
	/** The whole sequence that opened the link, or "". */
	#link = "";

	/** Applies an SGR sequence. */
	style(sequence: string): void {
		this.#style = this.#style.after(sequence);
	}

	/** Applies an OSC 8 sequence; one without an address closes the link. */
	link(sequence: string): void {
		this.#link = /8;[^;]*;(?:\x07|\x9c|\x1b\\)?$/.test(sequence) ? "" : sequence;
	}

	/** The sequence that brings a terminal from this pen's state to the other's; this pen then equals the other. */
	become(other: Pen): string {
		const style = this.#style.changeTo(other.#style);
		const link = this.#link === other.#link ? "" : other.#link === "" ? closeLink : other.#link;
		this.#style = other.#style;
		this.#link = other.#link;
		return style + link;
	}

	/** Closes the link and keeps the style. */
	leaveLink(): string {
		const closing = this.#link === "" ? "" : closeLink;
		this.#link = "";
		return closing;
	}
}

const plain = new Pen();

/** A row under construction: opens styles when text is written, and closes them at its end. */
export class StyledRow {
	readonly #pen: Pen;
	readonly #drawn = new Pen();
	#out = "";

	/** `pen` is kept up to date by the reader of the source text. */
	constructor(pen: Pen) {
		this.#pen = pen;
	}

	write(text: string): void {
		this.#out += this.#drawn.become(this.#pen) + text;
	}

	/** Writes text without cells, which needs no style. */
	writeBare(text: string): void {
		this.#out += text;
	}

	/** The row, with `tail` in the style of its end but outside of a link. */
	finish(tail = ""): string {
		if (tail !== "") this.#out += this.#drawn.leaveLink() + tail;
		return this.#out + this.#drawn.become(plain);
	}
}
