/** The words of a simple command after expansion, and how programs read options from them. */

import { limits } from "./limits.ts";

/** A word, or several words that only the shell can know. */
export interface Arg {
	/** Absent where only the shell can know it. */
	readonly value?: string;
	/** As written. */
	readonly text: string;
	/** Literal text at its start. */
	readonly prefix: string;
	/** May be split into no word or several; names of files that a pattern gives do not count. */
	readonly several: boolean;
	/** Everything that it may be, if that is known. */
	readonly oneOf?: readonly string[];
	/** The words of the loop whose variable it is. */
	readonly among?: readonly Arg[];
	/** Stays one word without quotes. */
	readonly oneWord?: boolean;
	/** The pattern, when it expands to names of files. */
	readonly glob?: string;
	/** Digits only. */
	readonly isNumber?: boolean;
	/** Known to be no option although its start is not known: what a pattern gives where no name begins with a dash. */
	readonly isName?: boolean;
	/** Of the words of its loop, a pattern of which the start is not known. */
	readonly leading?: string;
}

export function literalArg(value: string): Arg {
	return { value, text: value, prefix: value, several: false };
}

export function unknownArg(text: string, prefix = ""): Arg {
	return { text, prefix, several: false };
}

/** What is known of all words of a loop. */
export function valuesOf(args: readonly Arg[]): Pick<Arg, "oneOf" | "isName" | "leading"> {
	const oneOf = args.flatMap(({ value }) => (value === undefined ? [] : [value]));
	const isName = args.every((arg) => arg.isName === true || startsLikeName(arg.value ?? arg.prefix));
	const leading = args.find(isLeadingPattern)?.text;
	return {
		...(oneOf.length === args.length ? { oneOf } : {}),
		...(isName ? { isName } : {}),
		...(leading === undefined ? {} : { leading }),
	};
}

/** No program takes it for an option, a list of words (`@x`), an expression (`!`), or more than a name. */
function startsLikeName(word: string): boolean {
	return /^[\w./]/u.test(word);
}

/** A pattern of which only the directory says what its names begin with: `*.txt`. */
export function isLeadingPattern({ value, glob, prefix }: Arg): boolean {
	return value === undefined && glob !== undefined && prefix === "";
}

export function leadingPatternReason(pattern: string): string {
	return `a name that ${pattern} matches may be taken for an option; write ./${pattern}`;
}

/** Words that a program joins into one script. */
export function joinedArgs(args: readonly Arg[]): Arg {
	const text = args.map((arg) => arg.value ?? arg.text).join(" ");
	return args.every((arg) => arg.value !== undefined) ? literalArg(text) : unknownArg(text);
}

/** True unless its start shows that it is an operand. */
export function mayBeOption(arg: Arg): boolean {
	if (arg.isNumber || arg.isName) return false;
	if (arg.value !== undefined) return arg.value.startsWith("-");
	return arg.several || arg.prefix === "" || arg.prefix.startsWith("-");
}

export function words(list: string): ReadonlySet<string> {
	return new Set(list.split(" ").filter((word) => word !== ""));
}

export interface Option {
	/** `-o` or `--output`, as given. */
	readonly name: string;
	readonly value?: Arg;
}

export interface Parsed {
	readonly options: readonly Option[];
	readonly operands: readonly Arg[];
	/** Words that may be options of any kind. */
	readonly uncertain: readonly Arg[];
	/** Index in the arguments of the first operand. */
	readonly firstOperand: number;
}

export interface OptionSpec {
	/** Options that take a value as the next word: `-o --output`. */
	readonly valued?: ReadonlySet<string>;
	/** Options whose value, if any, is the rest of their word (`-Iseconds`). */
	readonly attached?: ReadonlySet<string>;
	/** Options that take the next two words; the second one is the value. */
	readonly pairs?: ReadonlySet<string>;
	/** Options that are whole words of their own, even if another one begins with them. */
	readonly options?: ReadonlySet<string> | "any" | undefined;
	/** Options end at the first operand, as for wrappers. */
	readonly stopsAtOperand?: boolean;
	/** Long options have one dash (`find`, `java`). */
	readonly singleDash?: boolean;
	/** A value is the next word even where letters follow its option: `tree -Lo 2 file` writes the file. */
	readonly nextWords?: boolean;
}

const none: ReadonlySet<string> = new Set();

/** Reads the words after the program. Short options may be joined (`-xvf file`), long ones abbreviated. */
export function parseOptions(args: readonly Arg[], spec: OptionSpec = {}): Parsed {
	const valued = spec.valued ?? none;
	const names = typeof spec.options === "object" ? spec.options : none;
	const options: Option[] = [];
	const operands: Arg[] = [];
	const uncertain: Arg[] = [];
	let firstOperand = args.length;
	let isOver = false;
	/** `--` was the value of the option before it, if that takes one: what follows is read both ways. */
	let isDoubtful = false;
	for (let at = 0; at < args.length; at++) {
		const arg = args[at];
		if (!arg) continue;
		const { value } = arg;
		const isOption =
			!isOver && (value === undefined ? mayBeOption(arg) : value.startsWith("-") && value !== "-");
		if (!isOption) {
			if (isDoubtful && value?.startsWith("-") && value !== "-")
				options.push(...optionsOf(value, args[at + 1], { ...spec, valued }).options);
			else if (isDoubtful && value === undefined && mayBeOption(arg)) uncertain.push(arg);
			firstOperand = Math.min(firstOperand, at);
			if (spec.stopsAtOperand) isOver = true;
			operands.push(arg);
		} else if (value === undefined) {
			const name = (spec.singleDash ? /^(--?[\w-]+)=/u : /^(--[\w-]+)=/u).exec(arg.prefix)?.[1];
			if (name === undefined) {
				uncertain.push(arg);
				operands.push(arg);
				firstOperand = Math.min(firstOperand, at);
			} else options.push({ name, value: unknownArg(arg.text, arg.prefix.slice(name.length + 1)) });
		} else if (value === "--") {
			isOver = true;
			isDoubtful = mayTakeNext(args[at - 1]?.value, valued);
			firstOperand = Math.min(firstOperand, at + 1);
		} else if (spec.pairs?.has(value)) {
			at += 2;
			const second = args[at];
			options.push(second ? { name: value, value: second } : { name: value });
			for (const used of [args[at - 1], second])
				if (used?.several && used.value === undefined) uncertain.push(used);
		} else {
			if (spec.nextWords && takesLater(value, valued)) uncertain.push(arg);
			// Whether the next word is its value depends on what is abbreviated.
			if (!valued.has(value) && !names.has(value) && inList(value, valued)) uncertain.push(arg);
			const read = optionsOf(value, args[at + 1], { ...spec, valued });
			options.push(...read.options);
			if (!read.usesNext) continue;
			const used = args[++at];
			// A pattern gives any number of names, of which the second would be the command.
			const isMany = used?.several === true || (spec.stopsAtOperand === true && used?.glob !== undefined);
			if (used && isMany && used.value === undefined) uncertain.push(used);
		}
	}
	return { options, operands, uncertain, firstOperand };
}

/** `-L2` is understood by all, and `-L` before other letters differently. */
function takesLater(value: string, valued: ReadonlySet<string>): boolean {
	if (value.startsWith("--")) return false;
	return [...value].some(
		(letter, at) => at > 0 && valued.has(`-${letter}`) && /^\d*[^\d]/u.test(value.slice(at + 1)),
	);
}

/** Whether an option takes the next word is not the same in all programs and versions. */
function mayTakeNext(before: string | undefined, valued: ReadonlySet<string>): boolean {
	return /^-[^=]+$/u.test(before ?? "") && before !== "--" && !valued.has(before ?? "");
}

function optionsOf(
	value: string,
	next: Arg | undefined,
	{ valued, attached = none, singleDash }: OptionSpec & { readonly valued: ReadonlySet<string> },
): { options: Option[]; usesNext: boolean } {
	const equals = value.indexOf("=");
	if (value.startsWith("--") || singleDash) {
		if (equals > 0)
			return {
				options: [{ name: value.slice(0, equals), value: literalArg(value.slice(equals + 1)) }],
				usesNext: false,
			};
		const usesNext = valued.has(value) && next !== undefined;
		return { options: [usesNext ? { name: value, value: next } : { name: value }], usesNext };
	}
	const options: Option[] = [];
	for (let at = 1; at < value.length; at++) {
		const name = `-${value[at]}`;
		if (attached.has(name))
			return { options: [...options, { name, value: literalArg(value.slice(at + 1)) }], usesNext: false };
		if (!valued.has(name)) {
			options.push({ name });
			continue;
		}
		const rest = value.slice(at + 1);
		if (rest !== "") return { options: [...options, { name, value: literalArg(rest) }], usesNext: false };
		return { options: [...options, next ? { name, value: next } : { name }], usesNext: next !== undefined };
	}
	return { options, usesNext: false };
}

/** Finds an option of a list; a long one also by an abbreviation, which GNU programs and git accept. */
export function inList(name: string, list: ReadonlySet<string>): boolean {
	if (list.has(name)) return true;
	if (!name.startsWith("--") || name.length < 3) return false;
	for (const long of list) if (long.startsWith(name)) return true;
	return false;
}

/** The programs of a text that does not parse, for rules that deny: split at operators, without quotes, then at quotes. */
export function eachSegment(text: string, call: (args: Arg[]) => void): void {
	const start = text.slice(0, limits.commandChars);
	const segments = [start.replace(/["'\\]/gu, ""), start.replace(/["']/gu, "\n")].flatMap((each) =>
		each.split(/[;&|(){}`\n]+|\$\(/u, limits.listed / 4),
	);
	for (const segment of new Set(segments)) {
		const found = segment.match(/\S+/gu) ?? [];
		const first = found.findIndex((word) => !notProgram.test(word));
		if (first < 0) continue;
		const args = found.slice(first, first + 64);
		call(args.map((word) => (/[$*?[]/u.test(word) ? unknownArg(word) : literalArg(word))));
	}
}

/** Words before a program: assignments, redirections, keywords. */
const notProgram = /^\w+=|^[<>]|^(?:if|then|else|elif|while|until|do|for|time|coproc|!)$/u;
