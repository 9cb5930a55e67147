/** Reads the command line by the table of flags. */
import { nearest } from "@tau/utils";

import { commands, sections, type Flag, type FlagName } from "./flags.ts";

export interface Args {
	/** Switches have the value "". */
	flags: ReadonlyMap<FlagName, string>;
	command?: string;
	/** What to say to the model, in order. */
	messages: string[];
	/** Paths given as `@path`. */
	files: string[];
}

/** The command line is wrong: one line for the person, exit code 2. */
export class UsageError extends Error {}

const allFlags: readonly Flag[] = sections.flatMap((section): readonly Flag[] => section.flags);

export function parseArgs(argv: readonly string[]): Args {
	const flags = new Map<FlagName, string>();
	const messages: string[] = [];
	const files: string[] = [];
	const words = [...argv];
	let literal = false;
	for (let word = words.shift(); word !== undefined; word = words.shift()) {
		if (word === "") continue;
		if (literal) messages.push(word);
		else if (word === "--") literal = true;
		else if (word.startsWith("-") && word !== "-") {
			const { flag, value } = readFlag(word, words);
			flags.set(flag.name as FlagName, value);
		} else if (word.startsWith("@") && word.length > 1) files.push(word.slice(1));
		else messages.push(word);
	}
	const command = literal || flags.has("print") ? undefined : readCommand(messages, files);
	return {
		flags,
		messages: command === undefined ? messages : [],
		files,
		...(command === undefined ? {} : { command }),
	};
}

function readFlag(word: string, rest: string[]): { flag: Flag; value: string } {
	const equals = word.indexOf("=");
	const name = equals < 0 ? word : word.slice(0, equals);
	const flag = findFlag(name);
	if (!flag)
		throw new UsageError(
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
	const value = equals >= 0 ? word.slice(equals + 1) : findFlag(rest[0]) ? undefined : rest.shift();
	if (value === undefined || (value === "" && !flag.mayBeEmpty)) {
		throw new UsageError(`${name} needs a value: ${name} <${flag.value}>`);
	}
	if (flag.choices && !flag.choices.includes(value)) {
		throw new UsageError(`${name} cannot be "${value}". Choose one of: ${flag.choices.join(", ")}`);
	}
	return { flag, value };
}

function findFlag(name: string | undefined): Flag | undefined {
	return allFlags.find(
		(known) => name === `--${known.name}` || (known.short !== undefined && name === `-${known.short}`),
	);
}

/** A single bare word may be a command; one that is nearly a command is more likely a slip than a prompt. */
function readCommand(messages: readonly string[], files: readonly string[]): string | undefined {
	const [word] = messages;
	if (word === undefined || messages.length > 1 || files.length > 0) return undefined;
	const names = commands.map((command) => command.name);
	if (names.includes(word)) return word;
	const [near] = /^\w+$/.test(word) ? nearest(word, names, 1) : [];
	if (near === undefined || !isSlip(word.toLowerCase(), near)) return undefined;
	throw new UsageError(
		`Unknown command "${word}". Did you mean ${near}? To send it as a prompt: tau -p ${word}`,
	);
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
