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
	for (let word = words.shift(); word !== undefined; word = words.shift()) {
		if (word === "--") {
			messages.push(...words);
			break;
		}
		if (word.startsWith("-") && word !== "-") {
			const { flag, value } = readFlag(word, words);
			flags.set(flag.name as FlagName, value);
		} else if (word.startsWith("@") && word.length > 1) files.push(word.slice(1));
		else if (word !== "") messages.push(word);
	}
	const command = readCommand(messages, files, flags);
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
	const flag = allFlags.find(
		(known) => name === `--${known.name}` || (known.short && name === `-${known.short}`),
	);
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
	const value = equals < 0 ? rest.shift() : word.slice(equals + 1);
	if (value === undefined) throw new UsageError(`${name} needs a value: ${name} <${flag.value}>`);
	if (flag.choices && !flag.choices.includes(value)) {
		throw new UsageError(`${name} cannot be "${value}". Choose one of: ${flag.choices.join(", ")}`);
	}
	return { flag, value };
}

/** A single bare word may be a command; one that is nearly a command is more likely a slip than a prompt. */
function readCommand(
	messages: readonly string[],
	files: readonly string[],
	flags: ReadonlyMap<FlagName, string>,
): string | undefined {
	const [word] = messages;
	if (word === undefined || messages.length > 1 || files.length > 0 || flags.has("print")) return undefined;
	const names = commands.map((command) => command.name);
	if (names.includes(word)) return word;
	const [near] = /^\w+$/.test(word) ? nearest(word, names, 1) : [];
	if (near === undefined) return undefined;
	throw new UsageError(
		`Unknown command "${word}". Did you mean ${near}? To send it as a prompt: tau -p ${word}`,
	);
}

function suggestion(word: string, known: readonly string[]): string {
	const near = nearest(word, known, 2);
	return near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : " See tau --help.";
}
