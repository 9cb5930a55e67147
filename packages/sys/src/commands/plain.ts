/**
 * Whether a command is made of plain words, so that reading it once more, without the walk's model of the shell, comes
 * to the same end. Where nothing contains commands, only such a command may run unasked: what remains to be judged is
 * which programs it names and with which words.
 */
import { basename } from "node:path";

import { leadingPatternReason, words as wordSet } from "./args.ts";
import type { CommandFacts } from "./facts.ts";
import { outputOf } from "./outputs.ts";
import { readsAlike } from "./plain-lexer.ts";
import type { Compound, Node, Part, Redirect, Script, Simple, Word } from "./syntax/tree.ts";
import { changesEncoding, isHarmlessVariable, isOfLanguage } from "./table/environment.ts";

/** They change the shell, read the script's own input, or run text. */
const shells = wordSet("bash sh dash ash zsh ksh fish busybox toybox eval exec source . coproc");
const changers = wordSet("trap set shopt builtin enable hash alias unalias bind complete compgen fc wait");
const assigners = wordSet(
	"read mapfile readarray getopts let unset declare typeset local export readonly select",
);
/** In every directory they do the same. */
const placeless = wordSet("cd echo printf true false pwd");
const shellWords = new Set([...shells, ...changers, ...assigners, "return", "shift"]);
/** A variable of Bash's own whose value is no code and no option. */
const shownVariables = /^(?:[?$#!]|HOME|PWD|OLDPWD|USER|SHELL|PATH|LANG|TERM|[a-z][a-z0-9_]*)$/u;

interface Bound {
	/** Variables of loops around a command, whose values are names that begin with a letter, a digit, `.` or `/`. */
	readonly variables: ReadonlySet<string>;
	/** So do the names that a pattern at the start of a word gives. */
	readonly areNames: boolean;
	/** With `lastpipe`, the end of a pipeline runs in the shell itself, and without it in a copy. */
	readonly isPiped?: boolean;
}

/** Why a command is not plain; undefined if it is. */
export function notPlain(
	text: string,
	script: Script,
	facts: CommandFacts,
	areNames: boolean,
): string | undefined {
	return (
		inNode(script, { variables: new Set(), areNames }) ??
		inPrograms(facts, script) ??
		(readsAlike(text, script) ? undefined : "its words can be read in more than one way")
	);
}

/** `before`: whose output it reads. */
function inNode(node: Node, bound: Bound, before?: Node): string | undefined {
	switch (node.kind) {
		case "list":
			return first(node.items, (item) =>
				// What it reads may be another file by then.
				item.operator === "&" ? "it goes on beside later commands" : inNode(item.node, bound),
			);
		case "pipeline":
			return first(node.commands, (command, at) =>
				inNode(
					command,
					node.commands.length > 1 ? { ...bound, isPiped: true } : bound,
					node.commands[at - 1],
				),
			);
		case "simple":
			return inSimple(node, bound) ?? inList(node, before);
		case "subshell":
			return node.redirects.length > 0
				? "a subshell shares its input"
				: inNode(node.body, { ...bound, isPiped: false });
		case "compound":
			return inCompound(node, bound);
		case "function":
			return "it defines a function";
		case "expression":
			return "it contains an expression that the shell evaluates";
	}
}

/** `for x in a b`, `if` and groups, whose commands share no input. */
function inCompound(
	{ sort, variable, words, bodies, redirects }: Compound,
	bound: Bound,
): string | undefined {
	if (redirects.length > 0) return "commands share their input";
	if (variable === undefined && (sort === "loop" || words.length > 0)) return "it contains while or case";
	const isNamed = variable === undefined || /^[a-z][a-z0-9]{0,15}$/u.test(variable);
	const isLeading = ({ parts: [part] }: Word): boolean => part?.kind === "dynamic" && part.gives === "glob";
	const isListed = words.every(
		(word) =>
			(isLeading(word) || /^[\w./]/u.test(word.text)) &&
			word.parts.every((part) => part.kind === "literal" || part.gives === "glob"),
	);
	if (!isNamed || !isListed || (variable !== undefined && words.length === 0))
		return `only the shell knows the values of ${variable ?? "a loop"}`;
	const pattern = bound.areNames ? undefined : words.find(isLeading);
	if (pattern) return leadingPatternReason(pattern.text);
	const inner =
		variable === undefined ? bound : { ...bound, variables: new Set([...bound.variables, variable]) };
	return first(words, (word) => inWord(word, false, bound)) ?? first(bodies, (body) => inNode(body, inner));
}

function inSimple({ words, assignments, redirects }: Simple, bound: Bound): string | undefined {
	const [program] = words;
	if (program === undefined) return assignments.length > 0 ? "it assigns a variable" : "it only redirects";
	const name = literal(program);
	if (name === undefined) return "only the shell knows which program it runs";
	if (name === "export" && words.length > 1 && words.slice(1).every(isHarmlessExport)) return undefined;
	if (name === "cd" && bound.isPiped) return "only the shell knows whose directory cd changes in a pipeline";
	if (shellWords.has(basename(name))) return `${basename(name)} changes or starts a shell`;
	return (
		first(assignments, ({ name: variable, complex, words: [word] }) => {
			const value = complex ? undefined : word ? literal(word) : "";
			const isSafe =
				value !== undefined &&
				isSafeVariable(variable, value) &&
				(!word || inWord(word, false, bound) === undefined);
			return isSafe ? undefined : `it sets ${variable}`;
		}) ??
		first(words, (word) => inWord(word, name === "echo", bound)) ??
		first(redirects, (redirect) => inRedirect(redirect, name))
	);
}

/** What a call sets for its command comes as such lines. */
function isHarmlessExport(word: Word): boolean {
	const [, name = "", value = ""] = /^(\w+)=(.*)$/su.exec(literal(word) ?? "") ?? [];
	return isHarmlessVariable(name) && isSafeVariable(name, value) && readsPlainly(word.text);
}

function isSafeVariable(name: string, value: string): boolean {
	return (isHarmlessVariable(name) || isOfLanguage(name)) && !changesEncoding(name, value);
}

function inWord(word: Word, isShown: boolean, bound: Bound): string | undefined {
	// `~-` and `~name` are directories that the shell looks up.
	const isHome = /^~[^/'"]|[=:]~/u.test(word.text);
	// What a loop gives is judged as it is: with words around it, it is another file.
	const isWhole = isShown || word.parts.length === 1 || !word.parts.some((part) => isOfLoop(part, bound));
	const isPlain =
		isWhole && word.parts.every((part) => isPlainPart(part, isShown, bound)) && readsPlainly(word.text);
	return isPlain && !isHome && hasPlainBraces(word) ? undefined : `only the shell knows what ${word.text} is`;
}

function isOfLoop(part: Part, bound: Bound): boolean {
	return part.kind === "dynamic" && part.variable !== undefined && bound.variables.has(part.variable);
}

/** `a{b,c}` alone, `{}` of find and xargs, and the `@{1}` of git. */
function hasPlainBraces({ text, parts }: Word): boolean {
	const hasBrace = parts.some((part) => part.kind === "literal" && !part.quoted && /[{}]/u.test(part.text));
	return !hasBrace || /^[^{}'"\\]*(?:\{\}|@\{[\w./-]*\}|\{[\w./*-]+(?:,[\w./*-]*)+\})[^{}'"\\]*$/u.test(text);
}

function isPlainPart(part: Part, isShown: boolean, bound: Bound): boolean {
	if (part.kind === "literal") return true;
	if (part.opaque !== undefined || part.scripts.length > 0) return false;
	if (part.gives === "glob") return true;
	if (part.assigns !== undefined || part.arithmetic !== undefined) return false;
	const { variable } = part;
	if (variable === undefined) return false;
	if (variable === "HOME" || (part.quoted && (variable === "PWD" || bound.variables.has(variable))))
		return true;
	return isShown && shownVariables.test(variable);
}

/**
 * A reading of its own, letter by letter: quotes and backslashes alone, and `$` only before a plain name. What the
 * parser takes for a literal must look like one here, too.
 */
function readsPlainly(text: string): boolean {
	let quote = "";
	for (let at = 0; at < text.length; at++) {
		const char = text.charAt(at);
		if (quote === "'") {
			if (char === "'") quote = "";
		} else if (char === "\\") {
			at++;
			if (at === text.length || text.charAt(at) === "\n") return false;
		} else if (char === "'" && quote === "") quote = "'";
		else if (char === '"') quote = quote === "" ? '"' : "";
		else if (char === "`") return false;
		else if (char === "$") {
			// At the end of a pattern (`'"a$"'`) it is itself.
			const rest = text.slice(at + 1);
			if (rest !== "" && !/^(?:[A-Za-z_?$#!]|\{[A-Za-z_]\w*\}|"$|[ /|)])/u.test(rest)) return false;
		} else if (quote === "" && /[\s;&|<>()]/u.test(char)) return false;
	}
	return quote === "";
}

function inRedirect({ operator, descriptor, target, body }: Redirect, program: string): string | undefined {
	const path = literal(target);
	const isPlain =
		path !== undefined &&
		inWord(target, false, { variables: new Set(), areNames: false }) === undefined &&
		(body === undefined
			? isPlainTarget(operator, descriptor, path)
			: // The end of the text is a word, and nothing in it is expanded.
				(program === "cat" || program === "tee") &&
				operator === "<<" &&
				/^(['"]?)[A-Za-z_]\w*\1$/u.test(target.text) &&
				body.parts.every((part) => part.kind === "literal"));
	return isPlain ? undefined : `it redirects ${target.text} in a way that only the shell knows`;
}

function isPlainTarget(operator: string, descriptor: number, path: string): boolean {
	if (/^\/(?:dev|proc|sys)(?:\/|$)/u.test(path)) return path === "/dev/null";
	switch (operator) {
		case "<":
			return descriptor === 0;
		case ">":
		case ">>":
			return descriptor === 1 || descriptor === 2;
		case "&>":
			return true;
		case ">&":
			return (descriptor === 1 || descriptor === 2) && (path === "1" || path === "2");
		default:
			return false;
	}
}

function inPrograms({ programs }: CommandFacts, script: Script): string | undefined {
	// Each command of the text is one that was judged.
	if (programs.filter(({ within }) => within.length === 0).length !== countIn(script))
		return "its commands can be counted in more than one way";
	return first(programs, ({ name, argv, within, directories }) => {
		if (directories === undefined && !placeless.has(name))
			return `only the shell knows in which directory ${name} runs`;
		if (within.length > 0 && shellWords.has(name)) return `${within.join(" ")} starts ${name}`;
		return argv.some((word) => word !== undefined && hasControls(word))
			? "it contains characters that control a terminal or a shell"
			: undefined;
	});
}

function countIn(node: Node): number {
	const all = (nodes: readonly Node[]): number => nodes.reduce((count, each) => count + countIn(each), 0);
	switch (node.kind) {
		case "list":
			return all(node.items.map((item) => item.node));
		case "pipeline":
			return all(node.commands);
		case "subshell":
			return countIn(node.body);
		case "compound":
			return all(node.bodies);
		default:
			return 1;
	}
}

/** Only what find has printed with `-print0` may become the words of a command. */
function inList({ words }: Simple, before: Node | undefined): string | undefined {
	if (!words.some((word) => basename(literal(word) ?? "") === "xargs")) return undefined;
	const output = outputOf(before);
	const isNames = output.kind === "stream" && output.separated === true && (output.prefix ?? "") !== "";
	return isNames ? undefined : "only the input of xargs says which files are meant";
}

/** A new line is in scripts and messages, and a tab in patterns. */
function hasControls(word: string): boolean {
	return /[\0-\x08\x0b-\x1f\x7f\u0080-\u009f]/u.test(word);
}

/** The text of a word without expansions. */
function literal({ parts }: Word): string | undefined {
	return parts.every((part) => part.kind === "literal") ? literalText(parts) : undefined;
}

function literalText(parts: readonly Part[]): string {
	return parts.map((part) => part.text).join("");
}

function first<Item>(
	items: readonly Item[],
	reasonOf: (item: Item, at: number) => string | undefined,
): string | undefined {
	for (const [at, item] of items.entries()) {
		const reason = reasonOf(item, at);
		if (reason !== undefined) return reason;
	}
	return undefined;
}
