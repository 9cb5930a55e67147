/** Makes a prompt of a template: puts in the arguments, and what its commands print and its files say. */
import { parseArguments, slice, type Arguments } from "./arguments.ts";
import { readInline, runInline, type Inlined, type InlinePlace } from "./inline.ts";
import { limits } from "./limits.ts";
import { parseTemplate, type Piece } from "./parse-template.ts";
import type { TemplateFormat } from "./template.ts";

export interface FillRequest {
	body: string;
	format: TemplateFormat;
	/** What followed the name. */
	rest: string;
	/** Absent where the template is not trusted: then commands and files stay as they are written. */
	inline?: InlinePlace;
}

export interface Filled {
	text: string;
	problems: string[];
	/** Commands and files that were left as they are, because the template is not trusted. */
	untouched: number;
}

export async function fillTemplate({ body, format, rest, inline }: FillRequest): Promise<Filled> {
	const args = parseArguments(rest);
	const pieces = parseTemplate(body.trim(), format);
	const filled: Filled = { text: "", problems: [], untouched: 0 };
	const files = new Map<string, string>();
	const keep = ({ text, problem }: Inlined): string => {
		if (problem !== undefined) filled.problems.push(problem);
		return text;
	};
	let left: number = limits.inlined;
	for (const piece of pieces) {
		const plain = plainText(piece, args);
		if (plain !== undefined || piece.kind === "text") {
			filled.text += plain ?? "";
			continue;
		}
		if (!inline || left-- <= 0) {
			if (!inline) filled.untouched += 1;
			else
				filled.problems.push(
					`${rawOf(piece)} was left as it is: more than ${limits.inlined} in one template.`,
				);
			filled.text += rawOf(piece);
		} else if (piece.kind === "command") filled.text += keep(await runInline(piece.command, args, inline));
		else if (piece.kind === "file") {
			const path = piece.path.map((part) => plainText(part, args) ?? "").join("");
			const found = await readInline(path, inline);
			if (found && !piece.isInPlace && found.problem === undefined) files.set(path, found.text);
			filled.text += piece.isInPlace ? (found ? keep(found) : piece.raw) : `@${path}`;
			if (found && !piece.isInPlace) keep(found);
		}
	}
	const asks = pieces.some((piece) => takesArguments(piece));
	// What was typed is never lost, also where the template has no place for it.
	if (!asks && args.text !== "") filled.text += `\n\n${args.text}`;
	for (const [name, text] of files) filled.text += `\n\n<file name="${name}">\n${text}\n</file>`;
	return filled;
}

function plainText(piece: Piece, args: Arguments): string | undefined {
	switch (piece.kind) {
		case "text":
			return piece.text;
		case "arguments":
			return args.text;
		case "slice":
			return slice(args, piece.from, piece.count);
		default:
			return undefined;
	}
}

function rawOf(piece: Piece): string {
	return "raw" in piece ? piece.raw : "";
}

function takesArguments(piece: Piece): boolean {
	if (piece.kind === "arguments" || piece.kind === "slice") return true;
	if (piece.kind === "command") return /\$(?:\d|@|\*|\{@|\{\d|ARGUMENTS|\{ARGUMENTS)/.test(piece.command);
	return piece.kind === "file" && piece.path.some(takesArguments);
}
