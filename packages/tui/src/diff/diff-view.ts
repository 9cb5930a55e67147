/** Shows a diff: unified, or side by side if there is enough space. */
import type { Component } from "../component.ts";
import { onGround } from "../elements/text.ts";
import { highlighterVersion } from "../highlight/engine.ts";
import { oneRow, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../text.ts";
import type { Theme } from "../theme/index.ts";
import { diffBody, type Chunk, type DiffBody, type DrawnLine } from "./diff-body.ts";
import { diffBetween, parseDiff, type Change, type DiffLine, type DiffNote } from "./diff-lines.ts";
import { diffLimits } from "./limits.ts";

export interface DiffViewOptions {
	/** Highlights the code; changes then show by their background. */
	language?: string;
	/** From this width on, old and new are side by side; infinite disables this. */
	sideBySideFrom?: number;
	/** Lines of context around a change, for two texts. */
	context?: number;
}

const bar = " │ ";

export class DiffView implements Component {
	readonly #theme: Theme;
	readonly #options: DiffViewOptions;
	#lines: readonly DiffLine[];
	#body: (DiffBody & { version: number }) | undefined;
	#drawn: { width: number; rows: string[] } | undefined;

	constructor(diff: string | Change, theme: Theme, options: DiffViewOptions = {}) {
		this.#theme = theme;
		this.#options = options;
		this.#lines = linesOf(diff, options);
	}

	setDiff(diff: string | Change): void {
		this.#lines = linesOf(diff, this.#options);
		this.invalidate();
	}

	invalidate(): void {
		this.#body = undefined;
		this.#drawn = undefined;
	}

	render(width: number): string[] {
		if (this.#body?.isWaiting && this.#body.version !== highlighterVersion()) this.invalidate();
		if (this.#drawn?.width !== width) this.#drawn = { width, rows: this.#draw(Math.max(1, width)) };
		return [...this.#drawn.rows];
	}

	#draw(width: number): string[] {
		this.#body ??= { ...diffBody(this.#lines, this.#theme, this.#options), version: highlighterVersion() };
		const { chunks } = this.#body;
		const isWide = width >= (this.#options.sideBySideFrom ?? diffLimits.sideBySideFrom);
		const sheet = new Sheet(this.#theme, gutterCells(this.#lines));
		const rows = chunks.flatMap((chunk, at) => {
			if ("note" in chunk) return sheet.note(chunk.note, width, chunks[at - 1]);
			return isWide ? sheet.beside(chunk, width) : sheet.below(chunk, width);
		});
		return rows.map((row) => (visibleWidth(row) > width ? truncateToWidth(row, width, "") : row));
	}
}

/** A diff as text, one row for each line of any length. */
export function renderDiff(
	diffText: string,
	theme: Theme,
	options: Pick<DiffViewOptions, "language"> = {},
): string {
	const lines = parseDiff(diffText);
	const sheet = new Sheet(theme, gutterCells(lines));
	const { chunks } = diffBody(lines, theme, options);
	return chunks
		.flatMap((chunk, at) =>
			"note" in chunk ? sheet.note(chunk.note, undefined, chunks[at - 1]) : sheet.below(chunk, undefined),
		)
		.join("\n");
}

function linesOf(diff: string | Change, { context }: DiffViewOptions): DiffLine[] {
	return typeof diff === "string" ? parseDiff(diff) : diffBetween(diff, context);
}

/** Cells of the longest line number; none if there are no numbers. */
function gutterCells(lines: readonly DiffLine[]): number {
	let most = 0;
	for (const line of lines) {
		if ("before" in line || "after" in line) most = Math.max(most, line.before ?? 0, line.after ?? 0);
	}
	return most === 0 ? 0 : String(most).length;
}

type Side = "before" | "after";

class Sheet {
	readonly #theme: Theme;
	readonly #gutter: number;

	constructor(theme: Theme, gutter: number) {
		this.#theme = theme;
		this.#gutter = gutter;
	}

	note({ kind, text }: DiffNote, width: number | undefined, before: Chunk | undefined): string[] {
		const theme = this.#theme;
		const visible = width === undefined ? oneRow(text) : truncateToWidth(oneRow(text), width);
		if (kind === "file") return [...(before ? [""] : []), theme.bold(theme.fg("toolTitle", visible))];
		if (kind === "note") return [theme.fg("dim", visible)];
		const isFirst = before === undefined || ("note" in before && before.note.kind === "file");
		if (isFirst && text === "") return [];
		const place = `${" ".repeat(this.#gutter)} ⋯ ${oneRow(text)}`.trimEnd();
		return [theme.fg("dim", width === undefined ? place : truncateToWidth(place, width))];
	}

	below(chunk: Exclude<Chunk, { note: DiffNote }>, width: number | undefined): string[] {
		const lines = "same" in chunk ? [chunk.same] : [...chunk.removed, ...chunk.added];
		return lines.flatMap((drawn) =>
			this.#rows(drawn, width, drawn.line.kind === "removed" ? "before" : "after"),
		);
	}

	beside(chunk: Exclude<Chunk, { note: DiffNote }>, width: number): string[] {
		const half = Math.floor((width - bar.length) / 2);
		const divider = this.#theme.fg("borderMuted", bar);
		const [removed, added] = "same" in chunk ? [[chunk.same], [chunk.same]] : [chunk.removed, chunk.added];
		const height = Math.max(removed.length, added.length);
		return Array.from({ length: height }, (_, at) => {
			const left = removed[at] ? this.#rows(removed[at], half, "before") : [];
			const right = added[at] ? this.#rows(added[at], half, "after") : [];
			return Array.from({ length: Math.max(left.length, right.length) }, (__, row) => {
				const cell = left[row] ?? "";
				const space = " ".repeat(Math.max(0, half - visibleWidth(cell)));
				return cell + space + divider + (right[row] ?? "");
			});
		}).flat();
	}

	/** The rows of a line: its number, its sign, its text. */
	#rows({ line, painted }: DrawnLine, width: number | undefined, side: Side): string[] {
		const number = line[side] ?? "";
		const sign = line.kind === "added" ? "+" : line.kind === "removed" ? "-" : " ";
		const head = this.#gutter === 0 ? "" : `${String(number).padStart(this.#gutter)} `;
		const indent = " ".repeat(head.length + 2);
		const room = width === undefined ? undefined : Math.max(1, width - indent.length);
		const texts = room === undefined ? [painted] : wrapTextWithAnsi(painted, room);
		const first = this.#theme.fg("dim", head) + this.#signed(line.kind, `${sign} `);
		return texts.map((text, at) => this.#band(line.kind, (at === 0 ? first : indent) + text, width));
	}

	#signed(kind: DrawnLine["line"]["kind"], text: string): string {
		if (kind === "same") return text;
		return this.#theme.fg(kind === "added" ? "toolDiffAdded" : "toolDiffRemoved", text);
	}

	/** The background of a changed row, from its number to the end. */
	#band(kind: DrawnLine["line"]["kind"], row: string, width: number | undefined): string {
		if (width === undefined || kind === "same") return row;
		const color = kind === "added" ? "toolSuccessBg" : "toolErrorBg";
		const full = row + " ".repeat(Math.max(0, width - visibleWidth(row)));
		return onGround(full, (text) => this.#theme.bg(color, text));
	}
}
