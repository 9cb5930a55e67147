/** What a command of the command line is, and how its syntax is written. */
import type { Flag, FlagName } from "./flags.ts";

export interface Command {
	name: string;
	/** The operands that may follow: one word, unless the operand allows more. */
	operand?: Operand;
	help: string;
	/** It is a mode: `tau acp` is `tau --mode acp`. */
	isMode?: true;
	/** General flags that this command supports besides --help; absent when it supports all. */
	takes?: readonly FlagName[];
	/** It takes -p, too. Then every word would be part of a prompt, unless one of those after the name looks like this. */
	printed?: RegExp;
	/** The command's own flags: after its name they replace the general ones of the same name. */
	flags?: readonly (Flag & { name: FlagName })[];
}

export interface Operand {
	name: string;
	/** The allowed words, if there are few; the first is the default. */
	choices?: readonly string[];
	/** The arguments that may follow each of the choices; a name that ends in … represents any number of them, one that begins with ? is optional. */
	follows?: Readonly<Record<string, readonly string[]>>;
	/** True if any number of arguments may follow, in any form; `name` then describes them. */
	words?: true;
	/** Any number of arguments of this form may follow. */
	like?: RegExp;
}

/** Choices that are longer than this are not listed in the overview; the help of the command has them. */
const choiceChars = 40;

function operandUsage({ name, words, like, choices }: Operand): string {
	if (words || like) return name;
	const listed = choices?.join("|");
	return listed !== undefined && listed.length <= choiceChars ? listed : `[${name}]`;
}

/** Returns the command with its syntax: `login [provider]`, `auth status`. */
export function commandUsage({ name, operand, flags = [] }: Command, withFlags = true): string {
	const word = operand && operandUsage(operand);
	const own = withFlags ? flags.map((flag) => `[--${flag.name}]`) : [];
	return [name, ...(word === undefined ? [] : [word]), ...own].join(" ");
}
