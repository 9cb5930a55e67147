/** The arguments of a command: reads `--split` as the word `split`, and refuses what the command does not take. */
import { UserError } from "@tau/session/run";
import { nearest } from "@tau/utils";
import type { Completion } from "@tau/wire";

import type { CommandWords } from "./command.ts";

const option = /^--[a-z]\S*$/i;

/** What a command completes after its name. */
export type CompleteWords = () => readonly Completion[] | Promise<readonly Completion[]>;

/**
 * The arguments with plain words for options, which come first. Throws for arguments of a command that takes none, and
 * for an option that it does not have: as text it would reach a model, or a file of that name. Without options there is
 * nothing to wait for: the next key may be for the list that the command opens.
 */
export function plainArguments(
	command: CommandWords,
	args: string,
	complete: CompleteWords,
): string | Promise<string> {
	if (command.takesText) return args;
	if (args !== "" && command.argumentHint === undefined)
		throw new UserError(`/${command.name} takes no arguments. Usage: /${command.name}`);
	const tokens = args.split(/(?<=\s)(?=\S)/);
	const isOption = (token: string): boolean => option.test(token.trim());
	const end = tokens.findIndex((token) => !isOption(token));
	const leading = tokens.slice(0, end === -1 ? tokens.length : end);
	const rest = tokens.slice(leading.length);
	const later = command.optionsAnywhere ? rest.filter(isOption) : [];
	const options = [...leading, ...later].map((token) => token.trim());
	if (options.length === 0) return args;
	const text = rest.filter((token) => !later.includes(token)).join("");
	return plainWords(command, options, complete).then((words) => [...words, text].join(" ").trim());
}

async function plainWords(
	command: CommandWords,
	options: readonly string[],
	complete: CompleteWords,
): Promise<string[]> {
	// The words that it names, and those that it completes.
	const completed = (await complete()).map(({ value }) => value.trim().split(/\s/)[0] ?? "");
	const words = [...(command.words ?? []), ...completed];
	return options.map((typed) => {
		const word = typed.slice(2).toLowerCase();
		if (words.includes(word)) return word;
		throw new UserError(`Unknown option ${typed}. ${hintFor(command, word, words)}`);
	});
}

function hintFor({ name, argumentHint = "" }: CommandWords, word: string, words: readonly string[]): string {
	const [near] = nearest(word, words, 1);
	return near === undefined ? `Usage: /${name} ${argumentHint}`.trim() : `Did you mean --${near}?`;
}
