/** The played application: blocks and chrome whose rows the harness knows without the engine. */
import { CURSOR_MARKER, type Component, type TranscriptBlock } from "@tau/tui";

/** A row as a component renders it, and as it must appear on the screen. */
export interface PlayedRow {
	raw: string;
	plain: string;
}

export type Dress = "plain" | "colored" | "hostile" | "wide";

/** Rows that may be rewritten one by one, and below them words that wrap with the width. */
export class PlayedBlock implements TranscriptBlock {
	readonly dress: Dress;
	words: string[] = [];
	/** Each is one row, however narrow the screen is. */
	fixed: string[] = [];
	/** A picture at its beginning: blank rows, the last of which draws it. */
	picture: { sequence: string; rows: number } | undefined;
	live: boolean;
	/** True if rows were changed after they had been shown. */
	rewritten = false;
	/** The number of frames in which it grew. */
	grown = 0;
	#theme = 1;

	constructor(dress: Dress, live: boolean) {
		this.dress = dress;
		this.live = live;
	}

	isFinal(): boolean {
		return !this.live;
	}

	invalidate(): void {
		this.#theme = (this.#theme % 6) + 1;
	}

	played(width: number): PlayedRow[] {
		const { sequence = "", rows: height = 0 } = this.picture ?? {};
		const rows: PlayedRow[] = Array.from({ length: height }, (_, at) => ({
			raw: at === height - 1 ? sequence : "",
			plain: "",
		}));
		for (const text of this.fixed) rows.push(this.#dressed(text, width));
		const room = this.#isWide(width) ? width - 4 : width;
		for (const row of wrap(this.words, room)) rows.push(this.#dressed(row, width));
		return rows;
	}

	render(width: number): string[] {
		return this.played(width).map(({ raw }) => raw);
	}

	#isWide(width: number): boolean {
		return this.dress === "wide" && width >= 8;
	}

	#dressed(text: string, width: number): PlayedRow {
		const plain = text.slice(0, width).trimEnd();
		if (this.dress === "colored") return { raw: `\x1b[3${this.#theme}m${text}\x1b[0m`, plain };
		if (this.dress === "hostile") {
			const half = Math.floor(text.length / 2);
			const evil = "\x1b[2J\x1b[H\x1b]52;c;aGk=\x07\x1b[5A\x9b3J\u202e\x1bc";
			return { raw: `${text.slice(0, half)}${evil}${text.slice(half)}\x1b[48;5;4m`, plain };
		}
		if (this.#isWide(width)) {
			const cut = text.slice(0, width - 4);
			return { raw: `漢字${cut}`, plain: `漢字${cut}`.trimEnd() };
		}
		return { raw: text, plain };
	}
}

function wrap(words: readonly string[], width: number): string[] {
	const rows: string[] = [];
	let row = "";
	for (const word of words) {
		if (row !== "" && row.length + 1 + word.length > width) {
			rows.push(row);
			row = "";
		}
		row = row === "" ? word : `${row} ${word}`;
		while (row.length > width) {
			rows.push(row.slice(0, width));
			row = row.slice(width);
		}
	}
	if (row !== "") rows.push(row);
	return rows;
}

/** The bottom of the screen: a menu that comes and goes, an editor with the caret, a status that ticks. */
export class PlayedChrome implements Component {
	menu = 0;
	typed = "";
	tick = 0;

	played(width: number): PlayedRow[] {
		const cut = (text: string): PlayedRow => ({ raw: text, plain: text.slice(0, width).trimEnd() });
		const menu = Array.from({ length: this.menu }, (_, at) => cut(`menu entry ${at}`));
		const text = `> ${this.typed}`.slice(-Math.max(1, width - 1));
		const editor = { raw: `${text}${CURSOR_MARKER}`, plain: text.trimEnd() };
		return [...menu, editor, cut(`status ${this.tick}`)];
	}

	/** The expected position of the caret: rows from the end of the chrome, and column. */
	caret(width: number): { fromEnd: number; column: number } {
		const text = `> ${this.typed}`.slice(-Math.max(1, width - 1));
		return { fromEnd: 2, column: Math.min(text.length, width - 1) };
	}

	render(width: number): string[] {
		return this.played(width).map(({ raw }) => raw);
	}

	invalidate(): void {}
}

/** A box in the middle of the screen. */
export class PlayedOverlay implements Component {
	readonly height: number;

	constructor(height: number) {
		this.height = height;
	}

	render(width: number): string[] {
		return Array.from({ length: this.height }, () => "#".repeat(width));
	}

	invalidate(): void {}
}
