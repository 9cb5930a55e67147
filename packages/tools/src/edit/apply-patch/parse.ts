/** Reads the patch envelope: `*** Begin Patch`, sections of files, `*** End Patch`. */
import { refuse, type PlanError } from "../plan.ts";

export interface HunkLine {
	sign: " " | "-" | "+";
	text: string;
}

export interface Hunk {
	/** Header lines above the hunk, outermost first. */
	headers: string[];
	lines: HunkLine[];
	atEnd: boolean;
	/** Its line in the patch, for messages. */
	line: number;
}

export type PatchSection =
	| { kind: "add"; path: string; lines: string[] }
	| { kind: "delete"; path: string }
	| { kind: "update"; path: string; moveTo?: string; hunks: Hunk[] };

export type Patch = { ok: true; sections: PatchSection[] } | PlanError;

const begin = "*** Begin Patch";
const end = "*** End Patch";
const endOfFile = "*** End of File";
const sectionHead = /^\*\*\* (Add|Update|Delete) File: *(.*)$/;
const moveHead = /^\*\*\* Move to: *(.*)$/;
/** Hunk heads as `diff -u` writes them: their line numbers have no meaning here. */
const numberedHead = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;

export interface ParseOptions {
	/** The patch is still streaming: only lines whose meaning no later text can change are parsed. */
	partial?: boolean;
}

export function parsePatch(text: string, { partial = false }: ParseOptions = {}): Patch {
	const reader = new Reader(text, partial);
	const sections: PatchSection[] = [];
	if (!reader.take((line) => line.trim() === begin)) {
		return partial && reader.isDone
			? { ok: true, sections }
			: reader.fail(`a patch must start with "${begin}"`);
	}
	while (!reader.take((line) => line.trim() === end)) {
		if (reader.isDone) {
			return partial ? { ok: true, sections } : reader.fail(`the patch does not end with "${end}"`);
		}
		const section = readSection(reader);
		if ("ok" in section) return section;
		sections.push(section);
	}
	if (!reader.isDone) return reader.fail(`nothing may follow "${end}"`);
	return sections.length > 0 ? { ok: true, sections } : reader.fail("the patch has no sections");
}

function readSection(reader: Reader): PatchSection | PlanError {
	const head = reader.next.trim();
	const [, verb, path = ""] = sectionHead.exec(head) ?? [];
	if (verb === undefined) {
		return reader.fail(
			`"${head.slice(0, 60)}" is not a section header: expected *** Add File:, *** Update File: or *** Delete File: and a path`,
		);
	}
	if (path.trim() === "") return reader.fail(`*** ${verb} File: has no path`);
	reader.skip();
	if (verb === "Delete") return readDelete(reader, path);
	return verb === "Add" ? readAdd(reader, path) : readUpdate(reader, path);
}

function readDelete(reader: Reader, path: string): PatchSection | PlanError {
	if (!reader.isDone && !isMark(reader.next.trim())) {
		return reader.fail(`nothing follows *** Delete File: ${path}`);
	}
	return { kind: "delete", path };
}

function readAdd(reader: Reader, path: string): PatchSection | PlanError {
	const lines: string[] = [];
	while (!reader.isDone && !isMark(reader.next.trim())) {
		if (!reader.next.startsWith("+")) {
			return reader.fail(`every line of *** Add File: ${path} must start with +`);
		}
		lines.push(reader.next.slice(1));
		reader.skip();
	}
	return { kind: "add", path, lines };
}

function readUpdate(reader: Reader, path: string): PatchSection | PlanError {
	let moveTo: string | undefined;
	const move = reader.isDone ? null : moveHead.exec(reader.next.trim());
	if (move) {
		moveTo = move[1]?.trim() ?? "";
		if (moveTo === "") return reader.fail("*** Move to: has no path");
		reader.skip();
	}
	const hunks: Hunk[] = [];
	while (!reader.isDone && (!isMark(reader.next) || isEndOfFile(reader.next))) {
		const hunk = readHunk(reader, hunks.length === 0);
		if ("ok" in hunk) return hunk;
		hunks.push(hunk);
	}
	if (hunks.length === 0 && moveTo === undefined && !reader.isPartial) {
		return reader.fail(`*** Update File: ${path} changes nothing: it has no hunks`);
	}
	return { kind: "update", path, hunks, ...(moveTo === undefined ? {} : { moveTo }) };
}

/** The first hunk of a section may come without its `@@`. */
function readHunk(reader: Reader, isFirst: boolean): Hunk | PlanError {
	const hunk: Hunk = { headers: [], lines: [], atEnd: false, line: reader.line };
	if (!isFirst && !isHunkHead(reader.next)) {
		return reader.fail(`expected @@ or a section, not "${reader.next.slice(0, 60)}"`);
	}
	while (!reader.isDone && isHunkHead(reader.next)) {
		const header = headerOf(reader.next);
		if (header !== "") hunk.headers.push(header);
		reader.skip();
	}
	while (!reader.isDone && !isHunkHead(reader.next) && !isMark(reader.next)) {
		const line = hunkLine(reader.next);
		if (!line) {
			return reader.fail(`a hunk line must start with a space, - or +, not "${reader.next.slice(0, 60)}"`);
		}
		hunk.lines.push(line);
		reader.skip();
	}
	if (hunk.lines.length === 0 && !(reader.isPartial && reader.isDone)) {
		return reader.fail("a hunk has no lines");
	}
	hunk.atEnd = reader.take(isEndOfFile);
	// No line of the file can follow its end: models separate the next section with an empty line.
	while (hunk.atEnd && reader.take((line) => line.trim() === ""));
	return hunk;
}

function hunkLine(line: string): HunkLine | undefined {
	// Editors and models remove the space of an empty line.
	if (line === "") return { sign: " ", text: "" };
	const sign = line[0];
	return sign === " " || sign === "-" || sign === "+" ? { sign, text: line.slice(1) } : undefined;
}

function isHunkHead(line: string): boolean {
	return line === "@@" || line.startsWith("@@ ");
}

function headerOf(line: string): string {
	if (numberedHead.test(line)) return "";
	return line
		.slice(2)
		.replace(/ @@\s*$/, "")
		.replace(/^ /, "");
}

/** A line of the envelope itself; in the content of a file it would follow a sign. */
function isMark(line: string): boolean {
	return line.startsWith("*** ");
}

function isEndOfFile(line: string): boolean {
	return line.trimEnd() === endOfFile;
}

/** A cursor over the lines of a patch. */
class Reader {
	readonly #lines: string[];
	readonly isPartial: boolean;
	#at = 0;

	constructor(text: string, isPartial: boolean) {
		const lines = text.replaceAll("\r\n", "\n").split("\n");
		this.#lines = isPartial ? settled(lines) : trimmed(unwrap(lines));
		this.isPartial = isPartial;
	}

	get isDone(): boolean {
		return this.#at >= this.#lines.length;
	}

	/** From 1. */
	get line(): number {
		return this.#at + 1;
	}

	get next(): string {
		return this.#lines[this.#at] ?? "";
	}

	skip(): void {
		this.#at++;
	}

	/** Advances when the next line is the expected one. */
	take(isIt: (line: string) => boolean): boolean {
		if (this.isDone || !isIt(this.next)) return false;
		this.#at++;
		return true;
	}

	fail(what: string): PlanError {
		return refuse(`Invalid patch, line ${this.line}: ${what}. Nothing was changed.`);
	}
}

/**
 * The last line may be incomplete, and a line that looks like the end is the end only if no other follows: such lines,
 * and the text after them, are left out.
 */
function settled(lines: string[]): string[] {
	const inner = unwrap(lines.slice(0, -1));
	const at = inner.findIndex((line) => line.trim() === end);
	return at < 0 ? inner : inner.slice(0, at);
}

/** The last line is the end even if it is indented; anywhere else an indented line may belong to a file. */
function trimmed(lines: string[]): string[] {
	const kept = lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
	return kept.at(-1)?.trim() === end ? [...kept.slice(0, -1), end] : kept;
}

/** Removes what models put around a patch: blank lines, a code fence, a here-document of a shell. */
function unwrap(lines: string[]): string[] {
	const from = lines.findIndex((line) => line.trim() !== "");
	const inner = from < 0 ? [] : lines.slice(from);
	const [first = ""] = inner;
	const closing = /^\s*```/.test(first) ? /^\s*```\s*$/ : hereDocument(first);
	if (!closing) return inner;
	const last = inner.findLastIndex((line, index) => index > 0 && closing.test(line));
	return last > 0 ? inner.slice(1, last) : inner.slice(1);
}

function hereDocument(line: string): RegExp | undefined {
	const word = /<<-?\s*['"]?(\w+)['"]?\s*$/.exec(line)?.[1];
	return word === undefined ? undefined : new RegExp(`^\\s*${word}\\s*$`);
}
