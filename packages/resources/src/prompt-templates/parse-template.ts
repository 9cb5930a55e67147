/** Parses a template: text, placeholders for arguments, commands to run and files to include. */
import type { TemplateFormat } from "./template.ts";

export type Piece =
	| { kind: "text"; text: string }
	/** All of them as they were typed. */
	| { kind: "arguments" }
	| { kind: "slice"; from: number; count?: number }
	/** Arguments in it are the shell's: `$1` and `$@` of the command itself. */
	| { kind: "command"; command: string; raw: string }
	/** `isInPlace` is true if the file's text replaces its name. */
	| { kind: "file"; path: Piece[]; raw: string; isInPlace: boolean };

export function parseTemplate(body: string, format: TemplateFormat): Piece[] {
	return format === "gemini" ? parseGemini(body) : parseMarkdown(body);
}

const argument = String.raw`\$\{@:(?<from>\d+)(?::(?<count>\d+))?\}|\$(?<all>@|ARGUMENTS\b)|\$(?<position>\d+)`;
const argumentOnly = new RegExp(argument, "g");
/** A command and a file start at the beginning of a word. Text in other backquotes is left unchanged. */
const anything = new RegExp(
	String.raw`(?<!\S)!${"`"}(?<command>[^${"`"}\n]+)${"`"}|(?<code>${"`"}[^${"`"}\n]*${"`"})|(?<=^|[\s(])@(?<file>(?:~\/|\.{0,2}\/)?[\w.$-][^\s${"`"})]*)|${argument}`,
	"g",
);

function parseMarkdown(body: string): Piece[] {
	const pieces: Piece[] = [];
	let fence: string | undefined;
	for (const line of body.split(/(?<=\n)/)) {
		const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
		const isEdge = mark !== undefined && (fence === undefined || mark.startsWith(fence));
		// In a block of code nothing is run and nothing put in; it may show how that is written.
		pieces.push(...scan(line, fence === undefined && !isEdge ? anything : argumentOnly));
		if (isEdge) fence = fence === undefined ? mark : undefined;
	}
	return pieces;
}

function scan(text: string, pattern: RegExp): Piece[] {
	const pieces: Piece[] = [];
	let from = 0;
	for (const match of text.matchAll(pattern)) {
		if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) });
		from = match.index + match[0].length;
		pieces.push(...piecesOf(match[0], match.groups ?? {}));
	}
	if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
	return pieces;
}

function piecesOf(raw: string, groups: Record<string, string | undefined>): Piece[] {
	const { command, code, file, from, count, all, position } = groups;
	if (command !== undefined) return [{ kind: "command", command, raw }];
	if (code !== undefined) return scan(code, argumentOnly);
	if (file !== undefined) {
		// The full stop behind a name ends the sentence.
		const [, name = file, stop = ""] = /^(.*?)([.,;:!?]*)$/.exec(file) ?? [];
		const path = scan(name, argumentOnly);
		const shown = raw.slice(0, raw.length - stop.length);
		return [
			{ kind: "file", path, raw: shown, isInPlace: false },
			...(stop === "" ? [] : [{ kind: "text" as const, text: stop }]),
		];
	}
	if (all !== undefined) return [{ kind: "arguments" }];
	if (position !== undefined) {
		// $0 is not an argument.
		return position === "0"
			? [{ kind: "text", text: raw }]
			: [{ kind: "slice", from: Number(position), count: 1 }];
	}
	return [{ kind: "slice", from: Number(from), ...(count === undefined ? {} : { count: Number(count) }) }];
}

/** `{{args}}`, `!{command}`, `@{file}`; braces within braces belong together. */
function parseGemini(body: string): Piece[] {
	const pieces: Piece[] = [];
	let from = 0;
	for (const match of body.matchAll(/\{\{args\}\}|[!@]\{/g)) {
		if (match.index < from) continue;
		const isArguments = match[0] === "{{args}}";
		const inner = match.index + match[0].length;
		const end = isArguments ? inner : closing(body, inner);
		if (end === undefined) continue;
		if (match.index > from) pieces.push({ kind: "text", text: body.slice(from, match.index) });
		const raw = body.slice(match.index, end);
		const text = body.slice(inner, end - 1).trim();
		if (isArguments) pieces.push({ kind: "arguments" });
		else if (raw.startsWith("!"))
			pieces.push({ kind: "command", command: text.replaceAll("{{args}}", '"$ARGUMENTS"'), raw });
		else pieces.push({ kind: "file", path: geminiPath(text), raw, isInPlace: true });
		from = end;
	}
	if (from < body.length) pieces.push({ kind: "text", text: body.slice(from) });
	return pieces;
}

function geminiPath(text: string): Piece[] {
	return text
		.split(/(\{\{args\}\})/)
		.filter((part) => part !== "")
		.map((part) => (part === "{{args}}" ? { kind: "arguments" } : { kind: "text", text: part }));
}

/** The position after the closing brace; undefined if there is none. */
function closing(body: string, from: number): number | undefined {
	let depth = 1;
	for (let at = from; at < body.length; at++) {
		if (body[at] === "{") depth++;
		else if (body[at] === "}" && --depth === 0) return at + 1;
	}
	return undefined;
}
