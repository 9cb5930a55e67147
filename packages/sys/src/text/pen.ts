/** The style in which text is written (SGR and OSC 8): what is open, and how to get from one state to another. */

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

export class Pen {
	/** The parameter that opened each kind of style, or "". */
	readonly #open: string[] = closers.map(() => "");
	/** The whole sequence that opened the link, or "". */
	#link = "";
	/** Incremented by every change, so that comparing two pens is rarely needed. */
	version = 0;

	/** Applies an SGR sequence. */
	style(sequence: string): void {
		this.version++;
		const body = sequence.slice(sequence.startsWith("\x1b") ? 2 : 1, -1);
		const parameters = body.split(";");
		for (let index = 0; index < parameters.length; index++) {
			const parameter = parameters[index] ?? "";
			const code = parseInt(parameter === "" ? "0" : parameter, 10);
			const isColor = code === 38 || code === 48 || code === 58;
			if (isColor && !parameter.includes(":")) {
				const length = parameters[index + 1] === "2" ? 5 : parameters[index + 1] === "5" ? 3 : 0;
				const color = parameters.slice(index, index + length);
				if (length > 0 && color.length === length) this.#set(code, color.join(";"));
				index += Math.max(0, length - 1);
			} else this.#set(code, parameter);
		}
	}

	/** Applies an OSC 8 sequence; one without an address closes the link. */
	link(sequence: string): void {
		this.version++;
		this.#link = /8;[^;]*;(?:\x07|\x9c|\x1b\\)?$/.test(sequence) ? "" : sequence;
	}

	#set(code: number, parameter: string): void {
		if (code === 0) this.#open.fill("");
		// `4:0` means no underline.
		else if (parameter === "4:0") this.#open[slot.underline] = "";
		else if (openers.has(code)) this.#open[openers.get(code) ?? 0] = parameter;
		else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97))
			this.#open[slot.foreground] = parameter;
		else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107))
			this.#open[slot.background] = parameter;
		else if (code >= 11 && code <= 19) this.#open[slot.font] = parameter;
		else this.#close(String(code));
	}

	#close(code: string): void {
		for (let index = 0; index < closers.length; index++) {
			if (closers[index] === code) this.#open[index] = "";
		}
	}

	/** The sequence that brings a terminal from this pen's state to the other's; this pen then equals the other. */
	become(other: Pen): string {
		let close = "";
		let open = "";
		for (let index = 0; index < closers.length; index++) {
			if (this.#open[index] === "" || other.#open[index] !== "") continue;
			const closer = closers[index] ?? "";
			this.#open[index] = "";
			close += `;${closer}`;
			// Bold and dim are closed together, so the remaining one is opened again.
			if (closer === boldCloser) this.#close(closer);
		}
		for (let index = 0; index < closers.length; index++) {
			const target = other.#open[index] ?? "";
			if (target === this.#open[index]) continue;
			this.#open[index] = target;
			open += `;${target}`;
		}
		const parameters = close + open;
		const style = parameters === "" ? "" : `\x1b[${parameters.slice(1)}m`;
		const link = this.#link === other.#link ? "" : other.#link === "" ? closeLink : other.#link;
		this.#link = other.#link;
		return style + link;
	}

	copy(): Pen {
		const copy = new Pen();
		for (let index = 0; index < closers.length; index++) copy.#open[index] = this.#open[index] ?? "";
		copy.#link = this.#link;
		return copy;
	}

	/** The same text for every pen that writes letters in the same style; links aside. */
	get look(): string {
		return this.#open.join("|");
	}

	/** The same text for every pen whose spaces look the same: most styles do not show on a space. */
	get lookOfSpaces(): string {
		return lineSlots.some((index) => this.#open[index] !== "")
			? this.look
			: (this.#open[slot.background] ?? "");
	}

	/** The shortest sequence that brings a terminal from this style into the other; links aside. */
	shortestTo(other: Pen): string {
		const change = this.copy().become(other);
		const open = new Pen().become(other);
		const fresh = open === "" ? "\x1b[m" : `\x1b[0;${open.slice(2)}`;
		return fresh.length < change.length ? fresh : change;
	}

	/** Closes the link and keeps the style. */
	leaveLink(): string {
		const close = this.#link === "" ? "" : closeLink;
		this.#link = "";
		return close;
	}
}

const plain = new Pen();

/** A row under construction: opens styles when text is written, and closes them at its end. */
export class StyledRow {
	readonly #pen: Pen;
	readonly #drawn = new Pen();
	#version = 0;
	#out = "";

	/** `pen` is kept up to date by the reader of the source text. */
	constructor(pen: Pen) {
		this.#pen = pen;
	}

	write(text: string): void {
		if (this.#version !== this.#pen.version) {
			this.#out += this.#drawn.become(this.#pen);
			this.#version = this.#pen.version;
		}
		this.#out += text;
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
