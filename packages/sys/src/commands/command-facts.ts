/** Lists what a command would run and change; whatever this parser does not understand is unknown. */
import { basename } from "node:path";

import type { CommandFacts, CommandPlace } from "./facts.ts";

const readers = new Set([
	"ls",
	"cat",
	"head",
	"tail",
	"wc",
	"grep",
	"pwd",
	"echo",
	"true",
	"false",
	"whoami",
	"date",
]);
const gitReaders = new Set(["status", "log", "diff", "show"]);

export function commandFacts(command: string, at: CommandPlace): CommandFacts | Promise<CommandFacts> {
	const text = command.trim();
	if (text === "") return { programs: [], writes: [], reads: [] };
	const words = text.split(/[ \t]+/u);
	const name = basename(words[0] ?? "");
	const plain = /^[\w ./:,@%+\t-]*$/u.test(text) && !text.includes("--output");
	const reads = readers.has(name) || (name === "git" && gitReaders.has(words[1] ?? ""));
	const programs = [
		{
			name,
			argv: words,
			text,
			effect: plain && reads ? ("read" as const) : ("exec" as const),
			within: [],
			environment: [],
		},
	];
	const unknown = plain ? {} : { unknown: `not understood in ${at.cwd}` };
	return { programs, writes: [], reads: [], ...unknown };
}
