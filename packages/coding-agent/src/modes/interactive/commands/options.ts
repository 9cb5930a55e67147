/** Reads `--split` as the word `split`: what a user knows from the command line works in slash commands too. */
import { nearest } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";

const option = /^--[a-z]\S*$/i;

/**
 * The arguments with plain words for options, which come first. Throws for an option that the command does not have: as
 * text it would reach a model, or a file of that name.
 */
export async function withPlainWords(
	command: SlashCommand,
	args: string,
	host: InteractiveHost,
): Promise<string> {
	if (command.takesText) return args;
	const tokens = args.split(/(?<=\s)(?=\S)/);
	const isOption = (token: string): boolean => option.test(token.trim());
	const end = tokens.findIndex((token) => !isOption(token));
	const leading = tokens.slice(0, end === -1 ? tokens.length : end);
	const rest = tokens.slice(leading.length);
	const later = command.optionsAnywhere ? rest.filter(isOption) : [];
	const options = [...leading, ...later].map((token) => token.trim());
	if (options.length === 0) return args;
	const words = await wordsOf(command, host);
	const plain = options.map((typed) => {
		const word = typed.slice(2).toLowerCase();
		if (words.includes(word)) return word;
		throw new Error(`Unknown option ${typed}. ${hintFor(command, word, words)}`);
	});
	return [...plain, rest.filter((token) => !later.includes(token)).join("")].join(" ").trim();
}

/** The words that it names, and those that it completes. */
async function wordsOf({ words = [], complete }: SlashCommand, host: InteractiveHost): Promise<string[]> {
	const completed = (await complete?.("", host)) ?? [];
	return [...words, ...completed.map(({ value }) => value.trim().split(/\s/)[0] ?? "")];
}

function hintFor({ name, argumentHint = "" }: SlashCommand, word: string, words: readonly string[]): string {
	const [near] = nearest(word, words, 1);
	return near === undefined ? `Usage: /${name} ${argumentHint}`.trim() : `Did you mean --${near}?`;
}
