/** Replaces a text that occurs in the file exactly as given, and adjusts the indentation before it. */
import type { Splice } from "../../files/line-ends.ts";
import type { LineText } from "../../files/line-text.ts";
import { limits } from "../limits.ts";
import { indentOf, indentStyleOf, isBlank, type IndentStyle } from "./indent-style.ts";
import { reindent } from "./indent.ts";

export type FittedSplice = Splice & {
	/** True when the new lines are indented differently than the model wrote them. */
	isIndented: boolean;
};

/** The blanks before a text that begins inside the indentation of its line; empty for any other text. */
export function indentBefore(file: LineText, start: number): string {
	const before = file.text.slice(file.start(file.lineAt(start)), start);
	return isBlank(before) ? before : "";
}

/**
 * A text without the full indentation of its first line has two readings: only the first line lacks it and the new
 * lines are indented as in the file, or the whole text has less indentation than the file. Undefined if both fit.
 */
export function fitExact(
	file: LineText,
	start: number,
	oldText: string,
	newText: string,
): FittedSplice | undefined {
	const end = start + oldText.length;
	const literal = { start, end, text: newText, isIndented: false };
	const before = indentBefore(file, start);
	if (before === "") return literal;
	// Whole lines are removed with all of their indentation.
	if (newText === "" && oldText.endsWith("\n")) return { ...literal, start: start - before.length };
	const [first = "", ...more] = linesOf(oldText);
	const newLines = linesOf(newText);
	if (newLines.length < 2 || isBlank(first)) return literal;
	const style = indentStyleOf(file.lines(1, limits.styleLines));
	const asBlock = reindent([first, ...more], [before + first, ...more], newLines, style);
	const asWritten = [before + (newLines[0] ?? ""), ...newLines.slice(1)];
	if (asBlock?.join("\n") === asWritten.join("\n")) return literal;
	const next = nextLine(file, end);
	const isWrittenRight = looksRight([...asWritten, ...next], style);
	const modelStep = indentStyleOf([first, ...more, ...newLines]).step;
	const isBlockRight = asBlock !== undefined && looksRight([...asBlock, ...next], style, modelStep);
	if (isWrittenRight && !isBlockRight) return literal;
	if (isWrittenRight === isBlockRight) {
		// Further lines that match the file indicate the former, a first line with some indentation the latter.
		if (more.length > 0) return literal;
		if (indentOf(first) === "") return undefined;
	}
	if (!asBlock) return undefined;
	const closing = newText.endsWith("\n") ? "\n" : "";
	return { start: start - before.length, end, text: asBlock.join("\n") + closing, isIndented: true };
}

/** Returns the first non-blank line after the text. */
function nextLine(file: LineText, end: number): string[] {
	const isInside = end > 0 && file.text[end - 1] !== "\n";
	for (let line = file.lineAt(end) + (isInside ? 1 : 0); line <= file.count; line++) {
		if (!isBlank(file.line(line))) return [file.line(line)];
	}
	return [];
}

/** Whether each line is indented as the file does after a similar line, and brackets close at the level where they open. */
function looksRight(
	lines: readonly string[],
	{ step, opens }: IndentStyle,
	otherStep: string | undefined = step,
): boolean {
	const brackets: string[] = [];
	const solid = lines.filter((line) => !isBlank(line));
	return solid.every((line, index) => {
		const inner = indentOf(line);
		const closes = /^\s*[)\]}]/.test(line);
		if (closes && (brackets.pop() ?? inner) !== inner) return false;
		if (/[([{]\s*$/.test(line)) brackets.push(inner);
		const before = solid[index - 1];
		if (before === undefined) return true;
		const outer = indentOf(before);
		const isOpen = opens(before);
		if (inner.length <= outer.length) return isOpen !== true || closes;
		return isOpen !== false && (step === undefined || inner === outer + step || inner === outer + otherStep);
	});
}

/** A trailing line feed ends the last line. */
function linesOf(text: string): string[] {
	return text.replace(/\n$/, "").split("\n");
}
