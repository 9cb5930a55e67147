/** Expands words as far as that is possible without running anything: quotes, braces, `~`, variables that are known. */
import { basename } from "node:path";

import type { Part, Word } from "./syntax/tree.ts";
import { unknownArg, type Arg } from "./args.ts";
import type { ShellState } from "./shell-state.ts";
import { limits } from "./limits.ts";

export interface Expander {
	readonly state: ShellState;
	readonly home: string;
}

export function expandWord(word: Word, { state, home }: Expander): Arg[] {
	return expandBraces(word.parts).flatMap((parts) => {
		if (parts.length === 0) return [];
		const single = parts.length === 1 ? splitVariable(parts[0], state) : undefined;
		return single ?? [joined(parts, word.text, state, home)];
	});
}

/** The value of an assignment: not split, no braces. */
export function expandValue(word: Word, { state, home }: Expander): Arg {
	return joined(word.parts, word.text, state, home);
}

function joined(given: readonly Part[], text: string, state: ShellState, home: string): Arg {
	const parts = wholeTilde(given);
	let known = "";
	let isKnown = true;
	let prefix = "";
	let several = false;
	let glob: string | undefined = "";
	let isNumber = true;
	parts.forEach((part, index) => {
		const piece = pieceOf(part, state, index === 0 ? home : undefined, parts);
		if (piece.value === undefined && isKnown) {
			prefix = known + piece.prefix;
			isKnown = false;
		}
		known += piece.value ?? "";
		several ||= piece.several;
		isNumber &&= piece.isNumber ?? false;
		if (glob !== undefined)
			glob = piece.value === undefined ? piece.glob && glob + piece.glob : glob + piece.value;
	});
	if (isKnown) return { value: known, text, prefix: known, several: false };
	const {
		oneOf,
		among,
		leading,
		isName = state.areNames && prefix === "" && isOfDirectory(glob),
	} = parts.length === 1 && parts[0] ? pieceOf(parts[0], state, home, parts) : unknownArg(text);
	return {
		text,
		prefix,
		several,
		isNumber,
		...(oneOf ? { oneOf } : {}),
		...(among ? { among } : {}),
		...(isName ? { isName } : {}),
		...(leading === undefined ? {} : { leading }),
		...(glob === undefined || glob === "" ? {} : { glob }),
	};
}

/** A pattern below the current directory. */
function isOfDirectory(glob: string | undefined): boolean {
	return glob !== undefined && /^[*?[]/u.test(glob) && !/(?:^|\/)\.\.(?:\/|$)/u.test(glob);
}

function pieceOf(part: Part, state: ShellState, home: string | undefined, parts: readonly Part[]): Arg {
	if (part.kind === "literal") {
		// In `of=~/x` and `x=a:~` bash expands the home directory, too.
		const assigned =
			home === undefined || part.quoted ? null : /^(?:[A-Za-z_]\w*=|.*:)(?=.*~)/u.exec(part.text);
		if (assigned && /[=:]~/u.test(part.text)) return unknownArg(part.text, assigned[0].replace(/=.*$/u, "="));
		const value =
			home === undefined || part.quoted ? part.text : tilde(part.text, home, parts.length > 1, state);
		return value === undefined
			? { text: part.text, prefix: "/", several: false }
			: { value, text: part.text, prefix: value, several: false };
	}
	const constant = part.variable === undefined ? undefined : valueOf(part.variable, state);
	if (constant) {
		const isWhole =
			part.quoted ||
			constant.oneWord === true ||
			(constant.value !== undefined && !/[\s*?[\]]|^$/u.test(constant.value));
		if (isWhole) return constant;
		return {
			text: part.text,
			prefix: constant.prefix.trimStart() === constant.prefix ? constant.prefix : "",
			several: true,
		};
	}
	// A process substitution is the name of a file.
	if (/^[<>]\(/u.test(part.text)) return unknownArg(part.text, "/dev/fd/");
	return {
		text: part.text,
		prefix: "",
		several: !part.quoted && part.gives === "value",
		isNumber: part.gives === "number",
		...(part.gives === "glob" && !part.quoted ? { glob: part.text } : {}),
	};
}

function valueOf(name: string, state: ShellState): Arg | undefined {
	if (name !== "PWD") return state.variables.get(name);
	const [only, ...others] = state.directories ?? [];
	return only === undefined || others.length > 0
		? undefined
		: { value: only, text: "$PWD", prefix: only, several: false };
}

/** `~`, `~/x`, `~user/x` and `~+/x`; undefined for the homes of others. */
function tilde(text: string, home: string, isContinued: boolean, state: ShellState): string | undefined {
	if (!text.startsWith("~")) return text;
	const [name = ""] = text.slice(1).split("/", 1);
	const rest = text.slice(1 + name.length);
	if (rest === "" && isContinued) return undefined;
	if (name === "+") return joinedPath(valueOf("PWD", state)?.value, rest);
	return name === "" || name === basename(home) ? home + rest : undefined;
}

/** `~+/x` is read as several parts, because a plus may begin a pattern. */
function wholeTilde(parts: readonly Part[]): readonly Part[] {
	if (!parts[0]?.text.startsWith("~") || parts[0].kind !== "literal" || parts[0].quoted) return parts;
	const end = parts.findIndex((part) => part.kind !== "literal" || part.quoted);
	const start = end < 0 ? parts : parts.slice(0, end);
	const rest = end < 0 ? [] : parts.slice(end);
	return [{ kind: "literal", text: start.map((part) => part.text).join(""), quoted: false }, ...rest];
}

function joinedPath(start: string | undefined, rest: string): string | undefined {
	return start === undefined ? undefined : start + rest;
}

/** An unquoted variable whose value is known becomes as many words as the value has. */
function splitVariable(part: Part | undefined, state: ShellState): Arg[] | undefined {
	if (part?.kind !== "dynamic" || part.quoted || part.variable === undefined) return undefined;
	const value = valueOf(part.variable, state)?.value;
	if (value === undefined || /[*?[\]\\]/u.test(value)) return undefined;
	return value
		.split(/[ \t\n]+/u)
		.filter((word) => word !== "")
		.map((word) => ({ value: word, text: word, prefix: word, several: false }));
}

/** Stands for words that are too many to list. */
const tooMany: Part = { kind: "dynamic", text: "{…}", gives: "value", quoted: false, scripts: [] };

/** Expands `a{b,c}d`; a sequence like `{1..9}` becomes a part that only the shell expands. */
function expandBraces(parts: readonly Part[]): (readonly Part[])[] {
	const isOpening = (part: Part): boolean => part.kind === "literal" && !part.quoted && part.text === "{";
	const start = parts.findIndex(isOpening);
	if (start < 0) return [parts];
	// A lone `$` may become the start of `${x}`.
	const hasDollar = parts.some((part) => part.kind === "literal" && part.text === "$");
	if (hasDollar || parts.filter(isOpening).length > limits.braces) return [[tooMany]];
	const alternatives: Part[][] = [[]];
	let depth = 0;
	let commas = 0;
	for (let at = start + 1; at < parts.length; at++) {
		const part = parts[at];
		if (!part) break;
		const text = part.kind === "literal" && !part.quoted ? part.text : undefined;
		if (text === "{") depth++;
		if (text === "}" && depth-- === 0) {
			// In `{a},b}`, bash takes the second brace for the end.
			if (commas === 0 && parts.slice(at + 1).some(mayCloseBrace))
				return [[...parts.slice(0, start), tooMany]];
			return commas === 0
				? sequence(parts, start, at)
				: product(parts.slice(0, start), alternatives, parts.slice(at + 1));
		}
		if (depth > 0 || text === undefined || !text.includes(",")) alternatives.at(-1)?.push(part);
		else commas += addAlternatives(text, alternatives);
	}
	const [opening, ...rest] = [parts.slice(0, start + 1), ...expandBraces(parts.slice(start + 1))];
	return rest.map((tail) => [...(opening ?? []), ...tail]);
}

function mayCloseBrace(part: Part): boolean {
	return part.kind === "literal" && !part.quoted && /[},]/u.test(part.text);
}

/** `$x{a,b}` are the variables xa and xb: bash expands braces first. */
function joinsName(parts: readonly Part[]): boolean {
	return parts.some((part, index) => {
		const next = parts[index + 1];
		const isBare = part.kind === "dynamic" && /^\$[A-Za-z_]\w*$/u.test(part.text);
		return isBare && next?.kind === "literal" && !next.quoted && /^\w/u.test(next.text);
	});
}

/** Begins a new alternative at each comma; returns how many there are. */
function addAlternatives(text: string, alternatives: Part[][]): number {
	const pieces = text.split(",");
	pieces.forEach((piece, index) => {
		if (index > 0) alternatives.push([]);
		if (piece !== "") alternatives.at(-1)?.push({ kind: "literal", text: piece, quoted: false });
	});
	return pieces.length - 1;
}

function product(
	before: readonly Part[],
	alternatives: readonly Part[][],
	after: readonly Part[],
): (readonly Part[])[] {
	const tails = expandBraces(after);
	const all: Part[][] = [];
	for (const alternative of alternatives) {
		for (const middle of expandBraces(alternative))
			for (const tail of tails) {
				const whole = [...before, ...middle, ...tail];
				all.push(joinsName(whole) ? [tooMany] : whole);
			}
		if (all.length > limits.braceWords) return [[...before, tooMany]];
	}
	return all;
}

function sequence(parts: readonly Part[], start: number, end: number): (readonly Part[])[] {
	const inside = parts.slice(start + 1, end);
	const text = inside.map((part) => part.text).join("");
	if (!inside.every((part) => part.kind === "literal") || !text.includes("..")) {
		const [opening, closing] = [parts.slice(0, start + 1), parts.slice(end, end + 1)];
		const whole = expandBraces(inside).map((middle) => [...opening, ...middle, ...closing]);
		const tails = expandBraces(parts.slice(end + 1));
		const all = whole.flatMap((head) => tails.map((tail) => [...head, ...tail]));
		return all.length > limits.braceWords ? [[tooMany]] : all;
	}
	const gives = /^\d+\.\.\d+(?:\.\.\d+)?$/u.test(text) ? "number" : "value";
	const part: Part = { kind: "dynamic", text: `{${text}}`, gives, quoted: false, scripts: [] };
	return expandBraces(parts.slice(end + 1)).map((tail) => [...parts.slice(0, start), part, ...tail]);
}
