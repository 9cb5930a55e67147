/** Creates a prompt from a template: inserts the arguments, the output of its commands and the text of its files. */
import { parseArguments, slice, type Arguments } from "./arguments.ts";
import { readInline, runInline, type InlineContext } from "./inline.ts";
import { limits } from "./limits.ts";
import { parseTemplate, type Piece } from "./parse-template.ts";
import type { TemplateFormat } from "./template.ts";

export interface FillRequest {
	body: string;
	format: TemplateFormat;
	/** What followed the name. */
	rest: string;
	/** Absent if the template is not trusted: then commands and files stay unexpanded. */
	inline?: InlineContext;
}

export interface Filled {
	text: string;
	problems: string[];
	/** Commands and files that were left unexpanded, because the template is not trusted. */
	untouched: number;
}

type Inlinable = Extract<Piece, { raw: string }>;

/** What comes together while a template is filled. */
interface Filling {
	args: Arguments;
	inline: InlineContext | undefined;
	filled: Filled;
	/** The files by name: their text follows the prompt, which still contains their names. */
	files: Map<string, string>;
	left: number;
}

export async function fillTemplate({ body, format, rest, inline }: FillRequest): Promise<Filled> {
	const args = parseArguments(rest);
	const pieces = parseTemplate(body.trim(), format);
	const filled: Filled = { text: "", problems: [], untouched: 0 };
	const filling: Filling = { args, inline, filled, files: new Map(), left: limits.inlined };
	for (const piece of pieces)
		filled.text += "raw" in piece ? await putIn(piece, filling) : plainText(piece, args);
	// The typed text is never lost, also if the template has no placeholder for it.
	if (args.text !== "" && !pieces.some(takesArguments)) filled.text += `\n\n${args.text}`;
	for (const [name, text] of filling.files) filled.text += `\n\n<file name="${name}">\n${text}\n</file>`;
	return filled;
}

function plainText(piece: Exclude<Piece, Inlinable>, args: Arguments): string {
	if (piece.kind === "text") return piece.text;
	return piece.kind === "arguments" ? args.text : slice(args, piece.from, piece.count);
}

async function putIn(piece: Inlinable, filling: Filling): Promise<string> {
	const { args, inline, filled } = filling;
	const path = piece.kind === "file" ? pathOf(piece, args) : "";
	const asWritten = piece.kind === "file" && !piece.isInPlace ? `@${path}` : piece.raw;
	if (!inline) {
		filled.untouched += 1;
		return asWritten;
	}
	if (filling.left-- <= 0) {
		filled.problems.push(
			`${piece.raw} was not expanded: a template can expand at most ${limits.inlined} items.`,
		);
		return asWritten;
	}
	const inlined =
		piece.kind === "command" ? await runInline(piece.command, args, inline) : readInline(path, inline);
	if (inlined?.problem !== undefined) filled.problems.push(inlined.problem);
	if (piece.kind === "command" || piece.isInPlace) return inlined?.text ?? asWritten;
	if (inlined && inlined.problem === undefined) filling.files.set(path, inlined.text);
	return asWritten;
}

function pathOf({ path }: Extract<Piece, { kind: "file" }>, args: Arguments): string {
	return path.map((part) => ("raw" in part ? part.raw : plainText(part, args))).join("");
}

function takesArguments(piece: Piece): boolean {
	if (piece.kind === "arguments" || piece.kind === "slice") return true;
	if (piece.kind === "command") return /\$\{?(?:\d|@|\*|ARGUMENTS)/.test(piece.command);
	return piece.kind === "file" && piece.path.some(takesArguments);
}
