/** Sees every text with plain line feeds, and puts the line ends that a file has back into what is changed. */

export interface UnifiedText {
	/** The text with line feeds as its only line ends. */
	readonly text: string;
	/** The text as the file has it. */
	readonly original: string;
	/** The offsets in `text` of line feeds that have a carriage return before them in the file. */
	readonly returns: Uint32Array;
	/** Every line feed in `text` represents a lone carriage return, as in files of the old Macintosh. */
	readonly isReturnEnded: boolean;
}

/** One range of the unified text and its replacement. */
export interface Splice {
	start: number;
	end: number;
	text: string;
}

const none = new Uint32Array(0);

/** Needs a whole file: only that shows whether its lines end with carriage returns alone. */
export function unify(original: string): UnifiedText {
	const isReturnEnded = original.includes("\r") && !original.includes("\n");
	if (isReturnEnded) return { text: original.replaceAll("\r", "\n"), original, returns: none, isReturnEnded };
	let at = original.indexOf("\r\n");
	if (at < 0) return { text: original, original, returns: none, isReturnEnded };
	const found: number[] = [];
	for (; at >= 0; at = original.indexOf("\r\n", at + 2)) found.push(at - found.length);
	return {
		text: original.replaceAll("\r\n", "\n"),
		original,
		returns: Uint32Array.from(found),
		isReturnEnded,
	};
}

/** Converts a text for a file to plain line feeds. */
export function unifyFor({ isReturnEnded }: UnifiedText, text: string): string {
	const unified = text.replaceAll("\r\n", "\n");
	return isReturnEnded ? unified.replaceAll("\r", "\n") : unified;
}

/** A text that replaces a whole file, with its line ends if they are all alike and the text has none of that kind. */
export function withEndsOf(file: UnifiedText, text: string): string {
	const kind = lineEndOf(file);
	const end = kind === "crlf" ? "\r\n" : kind === "cr" ? "\r" : "\n";
	return text.includes(end) ? text : text.replaceAll("\n", end);
}

/** The text with the splices, which are in order and do not overlap, in line feeds alone. */
export function spliced(text: string, splices: readonly Splice[]): string {
	const out: string[] = [];
	let at = 0;
	for (const splice of splices) {
		out.push(text.slice(at, splice.start), splice.text);
		at = splice.end;
	}
	out.push(text.slice(at));
	return out.join("");
}

/** The same with the line ends of the file: what is not changed keeps its own, what is new follows what it replaces. */
export function splicedAsWritten(unified: UnifiedText, splices: readonly Splice[]): string {
	const { original, returns, isReturnEnded } = unified;
	if (isReturnEnded) return spliced(unified.text, splices).replaceAll("\n", "\r");
	if (returns.length === 0) return spliced(original, splices);
	const out: string[] = [];
	let at = 0;
	for (const { start, end, text } of splices) {
		out.push(original.slice(at, written(returns, start)), withEnds(unified, start, end, text));
		at = written(returns, end);
	}
	out.push(original.slice(at));
	return out.join("");
}

/** How the lines of a file end; `mixed` has more than one kind. */
export function lineEndOf({ text, returns, isReturnEnded }: UnifiedText): "lf" | "crlf" | "cr" | "mixed" {
	if (isReturnEnded) return "cr";
	if (returns.length === 0) return "lf";
	return text.length - text.replaceAll("\n", "").length === returns.length ? "crlf" : "mixed";
}

/** An offset of the unified text as one of the original. */
function written(returns: Uint32Array, offset: number): number {
	return offset + countBefore(returns, offset);
}

/** Each new line ends like the line that it replaces; lines beyond end like the last of them, or the line around. */
function withEnds(unified: UnifiedText, start: number, end: number, text: string): string {
	const lines = text.split("\n");
	if (lines.length === 1) return text;
	// Text that is inserted between two lines ends like the line before it.
	let feed = start === end ? unified.text.lastIndexOf("\n", start - 1) : unified.text.indexOf("\n", start);
	if (feed < 0 || start === 0) feed = unified.text.indexOf("\n", start);
	if (feed < 0) feed = unified.text.lastIndexOf("\n");
	let out = lines[0] ?? "";
	for (const line of lines.slice(1)) {
		out += (hasReturn(unified.returns, feed) ? "\r\n" : "\n") + line;
		const next = unified.text.indexOf("\n", feed + 1);
		if (next >= 0 && next < end) feed = next;
	}
	return out;
}

function hasReturn(returns: Uint32Array, offset: number): boolean {
	return returns[countBefore(returns, offset)] === offset;
}

function countBefore(returns: Uint32Array, offset: number): number {
	let low = 0;
	let high = returns.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((returns[middle] ?? 0) < offset) low = middle + 1;
		else high = middle;
	}
	return low;
}
