/**
 * Words of a shell script that may name files, whatever it does with them: rather too many than too few. Only comments and lines of
 * a closed form are known to read nothing.
 */
import { join } from "node:path";

import { entriesOf } from "./hidden-names.ts";
import { limits } from "./limits.ts";

/** In a word: the directory of the script. */
export const here = "\u0001";
/** The value of a variable, or the output of a command. */
const unknown = "\u0002";

export interface ScriptWords {
	/** Of all lines. */
	readonly all: readonly string[];
	/** Of the lines that may read or run what they name. */
	readonly used: readonly string[];
	/** These lines. */
	readonly text: string;
	/** What is read as a part of the script. */
	readonly read: readonly ReadWord[];
	/** What is run by its path. */
	readonly run: readonly ReadWord[];
}

export interface ReadWord {
	/** The function that reads it; none for what is run. */
	readonly by: string;
	readonly word: string;
}

export function wordsOf(text: string): ScriptWords {
	const lines = linesOf(text);
	const used = lines.filter((line) => !closedLine.test(line));
	const outputs = used.flatMap(outputsIn);
	// What is in quotes may be a script as well.
	const scripts = [...used, ...outputs].flatMap((line) => scriptsIn(line, mostNested));
	return {
		all: distinct([...lines, ...scripts].flatMap(wordsIn)),
		used: distinct(scripts.flatMap(wordsIn)),
		text: used.join("\n"),
		read: scripts.flatMap(readIn).slice(0, limits.promptWords),
		run: [...used, ...outputs].flatMap(runIn).slice(0, limits.promptWords),
	};
}

/** Whether a word may name several files. */
export function isPattern(word: string): boolean {
	return /[*?[{\u0002]/.test(word);
}

/** What a pattern names in a directory: `**` as `*`, and a variable as any name. */
export function matching(pattern: string, directory: string): string[] {
	let found = [directory];
	for (const part of pattern.replaceAll(/[*\u0002]+/g, "*").split("/")) {
		const glob = isPattern(part) ? new Bun.Glob(part) : undefined;
		found = found
			.flatMap((path) => {
				const names = entriesOf(glob === undefined ? "" : path).map(({ name }) => name);
				return glob === undefined
					? join(path, part)
					: names.filter((name) => glob.match(name)).map((name) => join(path, name));
			})
			.slice(0, limits.promptFiles);
	}
	return found;
}

/** Lines as the shell reads them, without comments; all of it as one where texts inside have rules of their own. */
function linesOf(text: string): string[] {
	if (/(?<!<)<<(?!<)|\$'/.test(text)) return [text];
	const lines: string[] = [];
	let line = "";
	for (const [part] of text.matchAll(parts))
		if (part === "\n") {
			lines.push(line);
			line = "";
		} else if (part !== "\\\n" && !/^#./.test(part)) line += part;
	return [...lines, line];
}

/** What is escaped or quoted, comments, and each other character, as a `#` in a word. */
const parts = /\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|(?<![^\s;&|()])#[^\n]*|[^]/g;

const plain = String.raw`(?:[^\s;&|()<>\x60"'\\$]|\$\w|\$\{\w+\}|"(?:[^\x60"\\$]|\$\w|\$\{\w+\})*"|'[^']*')`;
/** Functions of direnv that run and read nothing of what they name, and variables: a build writes such files. */
const functions =
	"watch_file|watch_dir|PATH_add|path_add|MANPATH_add|PATH_rm|path_rm|load_prefix|layout|log_\\w+|strict_env|unstrict_env|env_vars_required";
const closedLine = new RegExp(
	`^\\s*(?:(?:export\\s+)?\\w+=${plain}*(?:\\s+\\w+=${plain}*)*|(?:${functions})(?:\\s+${plain}+)*)?\\s*$`,
);

const shellWord = String.raw`(?:\\[^]|"(?:\\[^]|[^"\\])*"|'[^']*'|[^ \t\n;&|()<>\x60"'\\])+`;
const wholeWords = new RegExp(shellWord, "g");
const tokens = new RegExp(`[;&|()\\x60\\n]|${shellWord}`, "g");

function scriptsIn(text: string, depth: number): string[] {
	const quoted = (text.match(wholeWords) ?? [])
		.map(unquoted)
		.filter((word) => /\s/.test(word) && word !== text);
	return depth === 0 ? [text] : [text, ...quoted.flatMap((word) => scriptsIn(word, depth - 1))];
}

/** Whole ones with blanks and quotes, and whatever is between characters that may end one. */
function wordsIn(line: string): string[] {
	const all = [line, withoutVariables(line)].flatMap((text) => [
		...(text.match(wholeWords) ?? []).map(unquoted),
		...text.split(/[\s;&|()<>`"'\\]+/),
		...text.split(/[\s;&|()<>`"'\\=:,{}]+/),
	]);
	return all.filter((word) => word !== "" && word.length < limits.pathBytes);
}

function distinct(words: readonly string[]): string[] {
	return [...new Set(words)].slice(0, limits.promptWords);
}

/** The first word behind such a function, where a command begins. */
function readIn(script: string): ReadWord[] {
	return commandsIn(script).flatMap(([by = "", word]) =>
		reading.test(by) && word !== undefined ? { by, word } : [],
	);
}

function runIn(script: string): ReadWord[] {
	return commandsIn(script).flatMap(([word = ""]) => (word.includes("/") ? { by: "", word } : []));
}

/** Their words, without what may be in front of them. */
function commandsIn(script: string): string[][] {
	const commands: string[][] = [[]];
	for (const [token] of withoutVariables(script).matchAll(tokens)) {
		const command = commands.at(-1);
		const word = unquoted(token);
		if (/^[;&|()`\n]$/.test(token)) commands.push([]);
		else if (command?.length !== 0 || !beforeCommand.test(word)) command?.push(word);
	}
	return commands;
}

const reading =
	/^(?:source|\.|source_env|source_env_if_exists|source_up|source_up_if_exists|dotenv|dotenv_if_exists)$/;
const beforeCommand = /^(?:then|do|else|elif|if|while|until|!|\{|time|builtin|command|eval|\w+=[^]*)$/;

/** Scripts of which the output is taken, from the inside out. */
function outputsIn(line: string): string[] {
	const scripts: string[] = [];
	replaced(line, (_, one?: string, other?: string) => {
		scripts.push(one ?? other ?? "");
		return unknown;
	});
	return scripts;
}

function withoutVariables(line: string): string {
	return replaced(line, () => unknown);
}

function replaced(line: string, by: (whole: string, one?: string, other?: string) => string): string {
	let text = line
		.replaceAll(/\$HOME\b|\$\{HOME\}/g, "~")
		.replaceAll(/\$\(\s*pwd\s*\)|`\s*pwd\s*`|\$PWD\b|\$\{PWD\}/g, here);
	for (let depth = 0; depth < mostNested; depth++)
		text = text.replaceAll(/\$\(([^()]*)\)|`([^`]*)`|\$\{[^{}]*\}|\$\w+/g, by);
	return text;
}

/** Quotes and substitutions inside of each other; people write two. */
const mostNested = 5;

function unquoted(word: string): string {
	return word.replaceAll(quotes, (_, escaped?: string, single?: string, double?: string) =>
		double === undefined ? (escaped ?? single ?? "") : double.replaceAll(/\\([^])/g, "$1"),
	);
}

const quotes = /\\([^])|'([^']*)'|"((?:\\[^]|[^"\\])*)"/g;
