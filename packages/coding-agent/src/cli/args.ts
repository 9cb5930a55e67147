/** Reads the command line by the table of flags. */
import { UsageError, nearest, oneLine } from "@tau/utils";
import type { Extensions } from "@tau/extensions/host";

import { commandUsage, type Command, type Operand } from "./command.ts";
import { commands, otherNames } from "./command-table.ts";
import { sections, type Flag, type FlagName } from "./flags.ts";

/** Flags of pi that Tau does not support: the error explains why, and what to do instead. */
const unsupportedFlags: ReadonlyMap<string, string> = new Map([
	[
		"--tui-mode",
		"Tau always draws into the terminal's own scrollback, like pi's regular mode. Remove the flag.",
	],
]);

export interface Args {
	/** Switches have the value "". */
	flags: ReadonlyMap<FlagName, string>;
	command?: string;
	/** The arguments after the command. */
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

/** A flag that Tau does not have. */
export class UnknownFlag extends UsageError {}

export interface ParseOptions {
	/** Flags of extensions. */
	more?: readonly Flag[];
	/** Takes flags that it does not know for switches. */
	isLenient?: boolean;
}

const allFlags: readonly Flag[] = sections.flatMap((section): readonly Flag[] => section.flags);

/** Whether the name is reserved, so that a flag of an extension cannot have it. */
export function isOwnFlag(name: string): boolean {
	return allFlags.some((flag) => flag.name === name && !flag.yields);
}

/** Whether there is a flag that an extension may define differently. */
export function hasYieldingFlag(argv: readonly string[]): boolean {
	const args = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);
	const yielding = new Set(allFlags.filter((flag) => flag.yields).map(({ name }) => `--${name}`));
	return args.some((word) => yielding.has(word.split("=")[0] ?? word));
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
	const args = [...argv];
	const mayBeCommand = !isPrint(argv) || isPrintedCommand(argv);
	/** The command that the first argument names: then those after it are its own, also those with an @. */
	let first: Command | undefined;
	let literal = false;
	let afterStrange = false;
	for (let word = args.shift(); word !== undefined; word = args.shift()) {
		if (word === "") continue;
		if (literal) messages.push(word);
		else if (word === "--") literal = true;
		else if (word.startsWith("-") && word !== "-") {
			const { flag, value } = readFlag(word, args, [...(first?.flags ?? []), ...more], isLenient);
			if (more.includes(flag)) extra.set(flag.name, value);
			afterStrange = flag === strange;
			if (flag === strange || more.includes(flag)) continue;
			const name = (flag.means ?? flag.name) as FlagName;
			flags.set(name, value);
			if (flag.repeats) repeated.set(name, [...(repeated.get(name) ?? []), value]);
		} else if (word.startsWith("@") && word.length > 1 && !first) files.push(word.slice(1));
		else {
			const isFirst = mayBeCommand && messages.length === 0 && files.length === 0;
			// It may be the value of a flag that an extension has.
			if (isFirst && !afterStrange) first = commandOf(word, isLenient);
			messages.push(word);
		}
	}
	const operands = first ? messages.slice(1) : [];
	if (first && !isLenient) {
		rejectOthers(first, flags);
		rejectOperands(first, operands);
	} else if (mayBeCommand && !literal && files.length === 0 && !isLenient) rejectSlips(messages);
	return {
		flags,
		messages: first ? [] : messages,
		files,
		operands,
		...(repeated.size > 0 ? { repeated } : {}),
		...(extra.size > 0 ? { extra } : {}),
		...(first ? { command: first.name } : {}),
	};
}

/** With `-p` every argument that is not a flag is a prompt; the flag may come last. */
function isPrint(argv: readonly string[]): boolean {
	const end = argv.indexOf("--");
	return argv.slice(0, end < 0 ? argv.length : end).some((word) => word === "-p" || word === "--print");
}

/** `tau replay demo.cassette --fork 2 -p "…"` cannot be meant as a prompt. */
function isPrintedCommand([name, ...words]: readonly string[]): boolean {
	const { printed } = commands.find((command) => command.name === name) ?? {};
	return printed !== undefined && words.some((word) => printed.test(word));
}

/** Exactly the name of a command; a sentence in quotes is one word of the command line, and no command. */
function commandOf(word: string, isLenient: boolean): Command | undefined {
	if (!isLenient) rejectOtherName(word);
	return commands.find(({ name }) => name === word);
}

export function rejectOtherName(word: string): void {
	const why = otherNames.get(word);
	if (why === undefined) return;
	throw new UsageError(`tau ${word} ${why}. ${asPrompt(word)}`);
}

/** The arguments are not repeated: one of them may be a key. */
function asPrompt(word: string): string {
	return `To send it as a prompt: tau -p "${word} …"`;
}

/** A placeholder for a flag that may be an extension's. */
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
	if (!flag && unsupportedFlags.has(name)) throw new UsageError(`${name}: ${unsupportedFlags.get(name)}`);
	if (!flag && /\s/.test(name))
		throw new UsageError(`"${oneLine(name, 40)}" starts with a dash. Put -- before a prompt like this.`);
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
	// A flag in place of a value means that the value was forgotten; `--name=-value` says that it was not.
	const isForgotten = findFlag(rest[0]) !== undefined || flag.takes?.test(rest[0] ?? "") === false;
	const values = equals >= 0 ? word.slice(equals + 1) : isForgotten ? undefined : rest.shift();
	const value = flag.synonyms?.[values ?? ""] ?? values;
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

/** A command is never taken for the start of a prompt: arguments that it does not accept are an error. */
function rejectOperands(command: Command, operands: readonly string[]): void {
	const { name, operand } = command;
	const [word, ...more] = operands;
	if (word === undefined || operand?.words) return;
	const usage = `Usage: tau ${commandUsage(command)}`;
	if (operand?.like) {
		if (operands.every((each) => operand.like?.test(each))) return;
	} else if (operand?.choices) {
		if (!operand.choices.includes(word)) rejectChoice(command, operand.choices, operands);
		if (more.length <= roomOf(operand.follows?.[word] ?? [])) return;
	} else if (operand && more.length === 0 && /^[\w.-]+$/.test(word)) return;
	throw new UsageError(`tau ${name} does not take these arguments. ${usage}. ${asPrompt(name)}`);
}

function rejectChoice(command: Command, choices: readonly string[], operands: readonly string[]): never {
	const [word = ""] = operands;
	rejectSlip(word, choices, command.operand?.name ?? "word", [command.name, ...operands]);
	throw new UsageError(
		`Unknown command: tau ${command.name} ${word}. Choose one of: ${choices.join(", ")}. ${asPrompt(command.name)}`,
	);
}

/** A first word that is nearly a command, with as many words as it accepts, is more likely a typo than a prompt. */
function rejectSlips(argv: readonly string[]): void {
	const [word, ...rest] = argv;
	if (word === undefined) return;
	const possible = commands.filter(
		({ operand }) =>
			rest.length <= mostWords(operand) && rest.every((each) => operand?.like?.test(each) ?? true),
	);
	rejectSlip(
		word,
		possible.map(({ name }) => name),
		"command",
		argv,
	);
}

/** How many arguments may follow a command. */
function mostWords(operand: Operand | undefined): number {
	if (!operand) return 0;
	return 1 + Math.max(0, ...Object.values(operand.follows ?? {}).map((names) => names.length));
}

function roomOf(names: readonly string[]): number {
	return names.some((name) => name.endsWith("…")) ? Number.POSITIVE_INFINITY : names.length;
}

function rejectSlip(word: string, known: readonly string[], kind: string, argv: readonly string[]): void {
	const [near] = /^\w+$/.test(word) ? nearest(word, known, 1) : [];
	if (near === undefined || !isSlip(word.toLowerCase(), near)) return;
	const prompt = argv.length === 1 ? word : `"${argv.join(" ")}"`;
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
