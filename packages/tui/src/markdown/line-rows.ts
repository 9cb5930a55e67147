/** Lays out leaves that consist of lines (code, HTML as text), each line once. */
import {
	expandTabs,
	sliceByColumn,
	truncateToWidth,
	visibleWidth,
	wrapHanging,
	wrapTextWithAnsi,
} from "../text.ts";
import type { LinePainter } from "../highlight/index.ts";
import type { Code, Html } from "./leaf.ts";
import type { Look } from "./theme.ts";

/** The rows of a leaf that grows at its end. */
export interface GrowingRows {
	/** Returns further rows that will not change, given the number of complete lines of the leaf. */
	settle(finished: number): string[];
	/** The rows after those, for now: of the incomplete lines, only the last is not blank. */
	rest(): string[];
	/** The rows after those, once the leaf is closed. */
	finish(): string[];
	/** True if the closed leaf should be drawn again from its start. */
	readonly isProvisional: boolean;
	/** True if the leaf should be drawn again when more colors are available. */
	readonly isWaiting: boolean;
}

export class CodeRows implements GrowingRows {
	readonly #code: Code;
	readonly #width: number;
	readonly #look: Look;
	readonly #indent: string;
	readonly #painter: LinePainter;
	readonly isProvisional: boolean;
	#done = 0;
	#hasHead = false;

	constructor(code: Code, width: number, look: Look) {
		const { theme } = look;
		this.#code = code;
		this.#width = width;
		this.#look = look;
		const indent = theme.codeBlockIndent ?? "  ";
		this.#indent = width > indent.length + 1 ? indent : "";
		const [language = ""] = code.info.split(/[\s,{]/, 1);
		const whole = code.isOpen ? undefined : theme.highlightCode;
		this.isProvisional = code.isOpen && !theme.highlightLines && theme.highlightCode !== undefined;
		this.#painter =
			theme.highlightLines?.(language) ?? wholePainter(code, language, whole) ?? plainPainter(look);
	}

	get isWaiting(): boolean {
		return this.#painter.isWaiting;
	}

	settle(finished: number): string[] {
		const rows = this.#head();
		for (; this.#done < finished; this.#done++) {
			const line = this.#line(this.#done);
			rows.push(...this.#rows(this.#painter.push(line), line));
		}
		return rows;
	}

	rest(): string[] {
		const rows = this.#head();
		for (let at = this.#done; at < this.#code.lines.length; at++) {
			const line = this.#line(at);
			rows.push(...(line.trim() === "" ? [""] : this.#rows(this.#painter.peek(line), line)));
		}
		return rows;
	}

	finish(): string[] {
		return this.settle(this.#code.lines.length);
	}

	/** The indent shows where code begins and ends; a fence would say it twice. The language is named. */
	#head(): string[] {
		if (this.#hasHead) return [];
		this.#hasHead = true;
		const info = this.#code.info.replaceAll(/\s/g, " ");
		if (info === "") return [];
		const tag = truncateToWidth(info, Math.max(1, this.#width - this.#indent.length));
		return [this.#indent + this.#look.theme.codeBlockBorder(tag)];
	}

	#line(at: number): string {
		return expandTabs(this.#code.lines[at] ?? "");
	}

	/** What continues a long line is below its text, not below its indentation. */
	#rows(painted: string, line: string): string[] {
		const room = Math.max(1, this.#width - this.#indent.length);
		const own = line.length - line.trimStart().length;
		if (own === 0 || own > room / 2 || visibleWidth(line) <= room)
			return wrapTextWithAnsi(painted, room).map((row) => (row === "" ? "" : this.#indent + row));
		const text = sliceByColumn(painted, own, visibleWidth(painted) - own);
		return wrapHanging(" ".repeat(own), text, room).map((row) => this.#indent + row);
	}
}

function plainPainter({ theme }: Look): LinePainter {
	return { push: theme.codeBlock, peek: theme.codeBlock, isWaiting: false };
}

/** For themes that can only color a whole block. */
function wholePainter(
	code: Code,
	language: string,
	highlight: ((code: string, lang?: string) => string[]) | undefined,
): LinePainter | undefined {
	const lines = highlight?.(expandTabs(code.lines.join("\n")), language);
	if (lines === undefined) return undefined;
	let at = 0;
	const next = (line: string): string => lines[at++] ?? line;
	return { push: next, peek: (line) => lines[at] ?? line, isWaiting: false };
}

/** HTML is shown as text. */
export class HtmlRows implements GrowingRows {
	readonly #html: Html;
	readonly #width: number;
	readonly #look: Look;
	readonly isProvisional = false;
	readonly isWaiting = false;
	#done = 0;

	constructor(html: Html, width: number, look: Look) {
		this.#html = html;
		this.#width = width;
		this.#look = look;
	}

	settle(finished: number): string[] {
		const rows: string[] = [];
		for (; this.#done < finished; this.#done++) rows.push(...this.#rows(this.#done));
		return rows;
	}

	rest(): string[] {
		const left = this.#html.lines.slice(this.#done);
		return left.flatMap((_, at) => this.#rows(this.#done + at));
	}

	finish(): string[] {
		return this.rest();
	}

	#rows(at: number): string[] {
		const line = expandTabs(this.#html.lines[at] ?? "").trimEnd();
		return wrapTextWithAnsi(this.#look.base(line), this.#width);
	}
}
