/** Prepares the lines of a diff for drawing: the changes in each, and its colors. */
import { LineHighlighter } from "../highlight/line-highlighter.ts";
import type { CodeSpan } from "../highlight/span-emitter.ts";
import type { Theme } from "../theme/index.ts";
import type { ChangedLine, DiffLine, DiffNote } from "./diff-lines.ts";
import { marksBetween, type Mark } from "./marks.ts";

/** A line that is ready to be wrapped. */
export interface DrawnLine {
	line: ChangedLine;
	painted: string;
}

export type Chunk = { note: DiffNote } | { removed: DrawnLine[]; added: DrawnLine[] } | { same: DrawnLine };

interface BodyOptions {
	language?: string;
}

/** Also reports whether colors are still missing. */
export interface DiffBody {
	chunks: Chunk[];
	isWaiting: boolean;
}

export function diffBody(lines: readonly DiffLine[], theme: Theme, { language }: BodyOptions): DiffBody {
	const painter = new Painter(theme, language);
	const chunks: Chunk[] = [];
	for (let at = 0; at < lines.length;) {
		const line = lines[at];
		if (line === undefined) break;
		if (line.kind === "file" || line.kind === "part" || line.kind === "note") {
			painter.restart();
			chunks.push({ note: line });
			at++;
		} else if (line.kind === "same") {
			chunks.push({ same: { line, painted: painter.same(line) } });
			at++;
		} else {
			const removed = run(lines, at, "removed");
			const added = run(lines, at + removed.length, "added");
			chunks.push(painter.replaced(removed, added));
			at += removed.length + added.length;
		}
	}
	return { chunks, isWaiting: painter.isWaiting };
}

function run(lines: readonly DiffLine[], from: number, kind: "removed" | "added"): ChangedLine[] {
	const changed: ChangedLine[] = [];
	for (let line = lines[from]; line?.kind === kind; line = lines[from + changed.length]) changed.push(line);
	return changed;
}

class Painter {
	readonly #theme: Theme;
	readonly #language: string | undefined;
	#before: LineHighlighter | undefined;
	#after: LineHighlighter | undefined;
	#isWaiting = false;

	constructor(theme: Theme, language: string | undefined) {
		this.#theme = theme;
		this.#language = language;
		this.restart();
	}

	get isWaiting(): boolean {
		return this.#isWaiting || (this.#before?.isWaiting ?? false) || (this.#after?.isWaiting ?? false);
	}

	/** The line after a gap is highlighted without the lines before it. */
	restart(): void {
		this.#isWaiting = this.isWaiting;
		if (this.#language === undefined) return;
		this.#before = new LineHighlighter(this.#language);
		this.#after = new LineHighlighter(this.#language);
	}

	same(line: ChangedLine): string {
		this.#before?.push(line.text);
		const spans = this.#after?.push(line.text);
		const theme = this.#theme;
		if (spans === undefined) return theme.fg("toolDiffContext", line.text);
		return spans.map(({ text, color }) => theme.fg(color ?? "toolDiffContext", text)).join("");
	}

	replaced(removed: readonly ChangedLine[], added: readonly ChangedLine[]): Chunk {
		const marks = removed.map((line, at) => {
			const other = added[at];
			return other === undefined ? undefined : marksBetween(line.text, other.text);
		});
		return {
			removed: removed.map((line, at) => this.#changed(line, marks[at]?.before ?? [], this.#before)),
			added: added.map((line, at) => this.#changed(line, marks[at]?.after ?? [], this.#after)),
		};
	}

	#changed(line: ChangedLine, marks: readonly Mark[], highlighter: LineHighlighter | undefined): DrawnLine {
		const theme = this.#theme;
		const isAdded = line.kind === "added";
		const own = isAdded ? "toolDiffAdded" : "toolDiffRemoved";
		const word = isAdded ? "toolDiffAddedWordBg" : "toolDiffRemovedWordBg";
		const highlighted = highlighter?.push(line.text);
		// What is gone is read as a whole: the colors of its syntax would compete with those of the new line. Without a
		// band behind it, only its color marks a new line.
		const spans = (isAdded && theme.hasTints ? highlighted : undefined) ?? [
			{ text: line.text, color: undefined },
		];
		const painted = split(spans, marks)
			.map(({ text, color, isMarked }) => {
				const colored = theme.fg(color ?? own, text);
				return isMarked ? theme.highlight(word, colored) : colored;
			})
			.join("");
		return { line, painted };
	}
}

/** Splits the spans at the boundaries of marks. */
function split(spans: readonly CodeSpan[], marks: readonly Mark[]): (CodeSpan & { isMarked: boolean })[] {
	const pieces: (CodeSpan & { isMarked: boolean })[] = [];
	const edges = marks.flat();
	let at = 0;
	let edge = 0;
	for (const { text, color } of spans) {
		const end = at + text.length;
		while (at < end) {
			while ((edges[edge] ?? Number.POSITIVE_INFINITY) <= at) edge++;
			const to = Math.min(end, edges[edge] ?? end);
			const start = end - text.length;
			pieces.push({ text: text.slice(at - start, to - start), color, isMarked: edge % 2 === 1 });
			at = to;
		}
	}
	return pieces;
}
