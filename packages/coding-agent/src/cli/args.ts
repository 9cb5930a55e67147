/** Reads the command line by the table of flags. */
import { nearest } from "@tau/utils";

import type { Extensions } from "../extensibility/extensions/extensions.ts";
import { elsewhere } from "./flags-elsewhere.ts";
import {
	commands,
	commandUsage,
	sections,
	type Command,
	type Flag,
	type FlagName,
	type Operand,
} from "./flags.ts";

export interface Args {
	/** Switches have the value "". */
	flags: ReadonlyMap<FlagName, string>;
	command?: string;
	/** The words that follow the command. */
	operands: string[];
	/** Every value of the flags that may be given several times. */
	repeated?: ReadonlyMap<FlagName, readonly string[]>;
	/** Flags of extensions; switches have the value "". */
	extra?: ReadonlyMap<string, string>;
	/** Extensions that were loaded to read the command line. */
	extensions?: Extensions;
	/** What to say to the model, in order. */
	messages: string[];
	/** Paths given as `@path`. */
	files: string[];
}

/** The command line is wrong: one line for the person, exit code 2. */
export class UsageError extends Error {}

/** A flag that Tau does not have. */
export class UnknownFlag extends UsageError {}

export interface ParseOptions {
	/** Flags of extensions. */
	more?: readonly Flag[];
	/** Takes flags that it does not know for switches. */
	isLenient?: boolean;
}

const allFlags: readonly Flag[] = sections.flatMap((section): readonly Flag[] => section.flags);

/** Whether the name is taken, so that a flag of an extension cannot have it. */
export function isOwnFlag(name: string): boolean {
	return allFlags.some((flag) => flag.name === name && !flag.yields);
}

/** Whether a flag is there that an extension may mean otherwise. */
export function hasYieldingFlag(argv: readonly string[]): boolean {
	const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);
	const yielding = new Set(allFlags.filter((flag) => flag.yields).map(({ name }) => `--${name}`));
	return words.some((word) => yielding.has(word.split("=")[0] ?? word));
}

export function parseArgs(
	argv: readonly string[],
	{ more = [], isLenient = false }: ParseOptions = {},
): Args {
	const flags = new Map<FlagName, string>();
	const extra = new Map<string, string>();
	const repeated = new Map<FlagName, string[]>();
	const messages: string[] = [];
	const files: string[] = [];
	const words = [...argv];
	/** What the first word would be a command of, and whether a flag of its own says that it is meant as one. */
	let first: Command | undefined;
	let isMeant = false;
	let literal = false;
	const takesAny = (): boolean => first?.operand?.words === true && !flags.has("print");
	for (let word = words.shift(); word !== undefined; word = words.shift()) {
		if (word === "") continue;
		if (literal) messages.push(word);
		else if (word === "--") literal = true;
		else if (word.startsWith("-") && word !== "-") {
			const { flag, value } = readFlag(word, words, [...(first?.flags ?? []), ...more], isLenient);
			if (more.includes(flag)) extra.set(flag.name, value);
			if (flag === strange || more.includes(flag)) continue;
			const name = (flag.means ?? flag.name) as FlagName;
			flags.set(name, value);
			if (flag.repeats) repeated.set(name, [...(repeated.get(name) ?? []), value]);
			isMeant ||= first?.flags?.includes(flag as Flag & { name: FlagName }) === true;
		} else if (word.startsWith("@") && word.length > 1 && !takesAny()) files.push(word.slice(1));
		else {
			if (messages.length === 0) first = commands.find(({ name }) => name === word);
			messages.push(word);
		}
	}
	const isPrompt = flags.has("print") || files.length > 0 || (literal && !takesAny());
	const command = isPrompt ? undefined : readCommand(messages);
	if (command) rejectOthers(command, flags);
	// What follows may be a key, which must not become a prompt, nor be repeated here.
	else if (first && isMeant) throw new UsageError(`Say it like this: tau ${commandUsage(first)}`);
	return {
		flags,
		messages: command ? [] : messages,
		files,
		operands: command ? messages.slice(1) : [],
		...(repeated.size > 0 ? { repeated } : {}),
		...(extra.size > 0 ? { extra } : {}),
		...(command ? { command: command.name } : {}),
	};
}

/** Stands for a flag that may be an extension's. */
const strange: Flag = { name: "", help: "" };

function readFlag(
	word: string,
	rest: string[],
	own: readonly Flag[],
	isLenient: boolean,
): { flag: Flag; value: string } {
	const equals = word.indexOf("=");
	const name = equals < 0 ? word : word.slice(0, equals);
	const flag = findFlag(name, own);
	if (isLenient && (!flag || flag.yields)) return { flag: strange, value: "" };
	if (!flag && elsewhere.has(name)) throw new UsageError(`${name}: ${elsewhere.get(name)}`);
	if (!flag)
		throw new UnknownFlag(
			`Unknown flag ${name}.${suggestion(
				name,
				allFlags.map((known) => `--${known.name}`),
			)}`,
		);
	if (!flag.value) {
		if (equals >= 0) throw new UsageError(`${name} takes no value.`);
		return { flag, value: "" };
	}
	// A flag where a value should stand means that the value was forgotten; `--name=-value` says that it was not.
	const given = equals >= 0 ? word.slice(equals + 1) : findFlag(rest[0]) ? undefined : rest.shift();
	const value = flag.synonyms?.[given ?? ""] ?? given;
	if (flag.optional) return { flag, value: value ?? "" };
	if (value === undefined || (value === "" && !flag.mayBeEmpty)) {
		throw new UsageError(`${name} needs a value: ${name} <${flag.value}>`);
	}
	if (flag.choices && !flag.choices.includes(value)) {
		throw new UsageError(`${name} cannot be "${value}". Choose one of: ${flag.choices.join(", ")}`);
	}
	return { flag, value };
}

function findFlag(name: string | undefined, own: readonly Flag[] = []): Flag | undefined {
	return [...own, ...allFlags].find(
		(known) => name === `--${known.name}` || (known.short !== undefined && name === `-${known.short}`),
	);
}

/**
 * A word may be a command, with the words that belong to it and no other; one that is nearly a command is more likely a
 * slip than a prompt.
 */
function readCommand(words: readonly string[]): Command | undefined {
	const [word, ...rest] = words;
	if (word === undefined) return undefined;
	const known = commands.find(({ name }) => name === word);
	if (known) return takesWords(known, rest, words) ? known : undefined;
	const possible = commands.filter(
		({ operand }) =>
			rest.length <= mostWords(operand) && rest.every((each) => operand?.like?.test(each) ?? true),
	);
	rejectSlip(
		word,
		possible.map(({ name }) => name),
		"command",
		words,
	);
	return undefined;
}

function takesWords(command: Command, rest: readonly string[], words: readonly string[]): boolean {
	const { operand } = command;
	const [word, ...more] = rest;
	if (word === undefined || operand?.words) return true;
	if (operand?.like) return rest.every((each) => operand.like?.test(each));
	if (!operand || !/^[\w.-]+$/.test(word)) return false;
	if (operand.choices?.includes(word)) return more.length <= roomOf(operand.follows?.[word] ?? []);
	if (rest.length > mostWords(operand)) return false;
	if (!operand.choices) return true;
	rejectSlip(word, operand.choices, operand.name, words);
	// Of a command with several actions, one word is more likely meant as one of them than as the end of a prompt.
	if (rest.length === 1 && operand.choices.length > 1)
		throw new UsageError(
			`There is no tau ${command.name} ${word}. Choose one of: ${operand.choices.join(", ")}. To send it as a prompt: tau -p "${words.join(" ")}"`,
		);
	return false;
}

/** How many words may stand behind a command. */
function mostWords(operand: Operand | undefined): number {
	if (!operand) return 0;
	return 1 + Math.max(0, ...Object.values(operand.follows ?? {}).map((names) => names.length));
}

function roomOf(names: readonly string[]): number {
	return names.some((name) => name.endsWith("…")) ? Number.POSITIVE_INFINITY : names.length;
}

function rejectSlip(word: string, known: readonly string[], kind: string, words: readonly string[]): void {
	const [near] = /^\w+$/.test(word) ? nearest(word, known, 1) : [];
	if (near === undefined || !isSlip(word.toLowerCase(), near)) return;
	const prompt = words.length === 1 ? word : `"${words.join(" ")}"`;
	throw new UsageError(
		`Unknown ${kind} "${word}". Did you mean ${near}? To send it as a prompt: tau -p ${prompt}`,
	);
}

function rejectOthers({ name, takes, flags: own = [] }: Command, flags: ReadonlyMap<FlagName, string>): void {
	if (!takes) return;
	const allowed = new Set<FlagName>([...takes, ...own.map((flag) => flag.name), "help", "version"]);
	const other = flags.keys().find((flag) => !allowed.has(flag));
	if (other !== undefined) throw new UsageError(`tau ${name} does not take --${other}.`);
}

/** Stricter than a suggestion, which costs nothing: `hello` is not a slip of `help`, and has to reach the model. */
function isSlip(word: string, known: string): boolean {
	if (known.startsWith(word)) return true;
	const shorter = Math.min(word.length, known.length);
	let start = 0;
	while (start < shorter && word[start] === known[start]) start++;
	let end = 0;
	while (end < shorter - start && word.at(-1 - end) === known.at(-1 - end)) end++;
	const typed = word.slice(start, word.length - end);
	const meant = known.slice(start, known.length - end);
	if (typed.length <= 1 && meant.length <= 1) return true;
	return typed.length === 2 && meant === `${typed[1]}${typed[0]}`;
}

function suggestion(word: string, known: readonly string[]): string {
	const near = nearest(word, known, 2);
	return near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : " See tau --help.";
}
