/** Sees every text with plain line feeds, and puts the line ends that a file has back into what is changed. */

export interface UnifiedText {
	/** With line feeds alone. */
	readonly text: string;
	/** The text as the file has it. */
	readonly original: string;
	/** Where, in `text`, a line feed stands that has a carriage return before it in the file. */
	readonly returns: Uint32Array;
}

/** One stretch of the unified text and what shall stand there instead. */
export interface Splice {
	start: number;
	end: number;
	text: string;
}

const none = new Uint32Array(0);

export function unify(original: string): UnifiedText {
	let at = original.indexOf("\r\n");
	if (at < 0) return { text: original, original, returns: none };
	const found: number[] = [];
	for (; at >= 0; at = original.indexOf("\r\n", at + 2)) found.push(at - found.length);
	return { text: original.replaceAll("\r\n", "\n"), original, returns: Uint32Array.from(found) };
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
	const { original, returns } = unified;
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
export function lineEndOf({ text, returns }: UnifiedText): "lf" | "crlf" | "mixed" {
	if (returns.length === 0) return "lf";
	return text.length - text.replaceAll("\n", "").length === returns.length ? "crlf" : "mixed";
}

/** An offset of the unified text as one of the original. */
function written(returns: Uint32Array, offset: number): number {
	return offset + countBefore(returns, offset);
}

/** Each new line ends as the line in its place did; lines beyond end as the last of them, or as the line around. */
function withEnds(unified: UnifiedText, start: number, end: number, text: string): string {
	const lines = text.split("\n");
	if (lines.length === 1) return text;
	// What is put between two lines ends like the one before it.
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
