/**
 * Whether a command is made of plain words, so that reading it once more, without the walk's model of the shell, comes
 * to the same end. Where nothing contains commands, only such a command may run unasked: what remains to be judged is
 * which programs it names and with which words.
 */
import { basename, isAbsolute, resolve } from "node:path";

import { words as wordSet } from "./args.ts";
import type { CommandFacts, CommandLocation } from "./facts.ts";
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
const shellWords = new Set([...shells, ...changers, ...assigners, "return", "shift"]);
/** A variable of Bash's own whose value is no code and no option. */
const shownVariables = /^(?:[?$#!]|HOME|PWD|OLDPWD|USER|SHELL|PATH|LANG|TERM|[a-z][a-z0-9_]*)$/u;

/** Variables of loops around a command, whose values are names that begin with a letter, a digit, `.` or `/`. */
type Bound = ReadonlySet<string>;

/** Why a command is not plain; undefined if it is. */
export function notPlain(
	text: string,
	script: Script,
	facts: CommandFacts,
	at: CommandLocation,
): string | undefined {
	return (
		inNode(script, new Set()) ??
		inPrograms(facts, feedsNames(script)) ??
		beyond(facts, at) ??
		(readsAlike(text, script) ? undefined : "its words can be read in more than one way")
	);
}

function inNode(node: Node, bound: Bound): string | undefined {
	switch (node.kind) {
		case "list":
			return first(node.items, (item) =>
				// What it reads may be another file by then.
				item.operator === "&" ? "it goes on beside later commands" : inNode(item.node, bound),
			);
		case "pipeline":
			return first(node.commands, (command) => inNode(command, bound));
		case "simple":
			return inSimple(node, bound);
		case "subshell":
			return node.redirects.length > 0 ? "a subshell shares its input" : inNode(node.body, bound);
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
	const isListed = words.every(
		({ text, parts }) =>
			/^[\w./]/u.test(text) && parts.every((part) => part.kind === "literal" || part.gives === "glob"),
	);
	if (!isNamed || !isListed || (variable !== undefined && words.length === 0))
		return `only the shell knows the values of ${variable ?? "a loop"}`;
	const inner = variable === undefined ? bound : new Set([...bound, variable]);
	return first(words, (word) => inWord(word, false, bound)) ?? first(bodies, (body) => inNode(body, inner));
}

function inSimple({ words, assignments, redirects }: Simple, bound: Bound): string | undefined {
	const [program] = words;
	if (program === undefined) return assignments.length > 0 ? "it assigns a variable" : "it only redirects";
	const name = literal(program);
	if (name === undefined) return "only the shell knows which program it runs";
	if (name === "export" && words.slice(1).every(isHarmlessExport)) return undefined;
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
		inBuiltin(basename(name), words) ??
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
	return part.kind === "dynamic" && part.variable !== undefined && bound.has(part.variable);
}

/** `a{b,c}` alone, `{}` of find and xargs, and the `@{1}` of git. */
function hasPlainBraces({ text, parts }: Word): boolean {
	const hasBrace = parts.some((part) => part.kind === "literal" && !part.quoted && /[{}]/u.test(part.text));
	return !hasBrace || /^[^{}'"\\]*(?:\{\}|@\{[\w./-]*\}|\{[\w./*-]+(?:,[\w./*-]*)+\})[^{}'"\\]*$/u.test(text);
}

/** A format that is the name of a file. */
function mayFormat([format]: readonly Word[]): boolean {
	return format?.parts.some((part) => part.kind === "dynamic") === true;
}

/** Builtins that evaluate what others only read. */
function inBuiltin(name: string, [, ...words]: readonly Word[]): string | undefined {
	const isEvaluated =
		name === "printf"
			? words.some(({ text }) => /^['"\\]*-[^-]|%[^a-zA-Z%]*[hjlLtz]*n/u.test(text)) || mayFormat(words)
			: (name === "test" || name === "[") &&
				words.some(
					({ parts }) => parts.some((part) => part.kind === "dynamic") || literalText(parts) === "-v",
				);
	return isEvaluated ? `${name} evaluates its words` : undefined;
}

function isPlainPart(part: Part, isShown: boolean, bound: Bound): boolean {
	if (part.kind === "literal") return true;
	if (part.opaque !== undefined || part.scripts.length > 0) return false;
	if (part.gives === "glob") return true;
	if (part.assigns !== undefined || part.arithmetic !== undefined) return false;
	const { variable } = part;
	if (variable === undefined) return false;
	if (variable === "HOME" || (part.quoted && (variable === "PWD" || bound.has(variable)))) return true;
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
		inWord(target, false, new Set()) === undefined &&
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

function inPrograms({ programs }: CommandFacts, isFed: boolean): string | undefined {
	return first(programs, ({ name, argv, within, text, effect }) => {
		if (within.length > 0 && shellWords.has(name)) return `${within.join(" ")} starts ${name}`;
		if (argv.some((word) => word !== undefined && hasControls(word)))
			return "it contains characters that control a terminal or a shell";
		if ((name === "env" || within.includes("env")) && /(?:^|\s)-\w*S|--sp/u.test(text))
			return "env takes a text apart";
		if (within.includes("xargs") && !isFed && !printsWords.has(name) && !onlyNames(name, text))
			return `only the input of xargs says which files ${name} shows`;
		if (effect === "write" && unpacks(name, argv)) return `only the archive says which files ${name} writes`;
		if (effect === "write" && name === "git" && checksOut(argv))
			return "only the repository says which files git writes";
		const isScripted = /^[gmn]?awk$/u.test(name)
			? isSimpleAwk
			: /^g?sed$/u.test(name)
				? isSimpleSed
				: undefined;
		if (isScripted && !hasSimpleScripts(argv.slice(1), isScripted))
			return `the script of ${name} may do more than print`;
		return undefined;
	});
}

/** They show names, sizes and sums, unless an option names another file (`wc --files0-from=`). */
function onlyNames(name: string, text: string): boolean {
	return (
		/^(?:ls|stat|du|df|wc|readlink|realpath|cksum|sum|b2sum|md5sum|sha\d+sum|rm|mv)$/u.test(name) &&
		!text.includes("--")
	);
}

/** They open none of the files that their words may name. */
const printsWords = new Set([
	"echo",
	"printf",
	"basename",
	"dirname",
	"seq",
	"sleep",
	"expr",
	"true",
	"kill",
]);

/** Names of its own may be those of settings, such as `.vscode/tasks.json`. */
function unpacks(name: string, [, leading, ...others]: readonly (string | undefined)[]): boolean {
	if (name === "unzip") return true;
	if (!/^g?tar$/u.test(name)) return false;
	return !/^-?[a-zA-Z]*[cru]/u.test(leading ?? "") && ![leading, ...others].includes("--create");
}

/** A commit may hold `.mcp.json`, and what git cleans or stashes may be `.vscode/tasks.json`. */
function checksOut(argv: readonly (string | undefined)[]): boolean {
	const at = argv.findIndex(
		(word, index) => index > 0 && !word?.startsWith("-") && !/^-[Cc]$/u.test(argv[index - 1] ?? ""),
	);
	const words = argv.slice(at + 1);
	const has = (options: RegExp): boolean => words.some((word) => options.test(word ?? ""));
	switch (argv[at]) {
		case "reset":
			return has(/^--(?:ha|m|k)/u);
		case "restore":
			// What comes back may be a link.
			return !has(/^(?:-S|--staged)$/u) || has(/^(?:-\w*W|--w)/u);
		case "rm":
			return !has(/^--cached$/u) && !words.every((word) => /^-|^[\w./-]*\w\.\w+$/u.test(word ?? ""));
		case "clean":
		case "stash":
		case "checkout-index":
		case "read-tree":
			return true;
		default:
			return false;
	}
}

/** Whether all that xargs gets are names that find has printed, each for itself. */
function feedsNames(node: Node): boolean {
	switch (node.kind) {
		case "list":
			return node.items.every((item) => feedsNames(item.node));
		case "pipeline":
			return node.commands.every(
				(command, at) => !startsXargs(command) || isSeparated(command, node.commands[at - 1]),
			);
		case "simple":
			return !startsXargs(node);
		case "subshell":
			return feedsNames(node.body);
		case "compound":
			return node.bodies.every(feedsNames);
		default:
			return false;
	}
}

function startsXargs(node: Node): boolean {
	return node.kind !== "simple" || node.words.some((word) => basename(literal(word) ?? "") === "xargs");
}

function isSeparated(node: Node, before: Node | undefined): boolean {
	if (node.kind !== "simple") return false;
	// Its words are judged as what is read.
	if (before?.kind === "simple" && /^echo(?: [\w./]+)+$/u.test(before.text)) return true;
	const output = outputOf(before);
	const isNames = output.kind === "stream" && output.separated === true && (output.prefix ?? "") !== "";
	return isNames && node.words.some((word) => /^(?:-0|--null)$/u.test(literal(word) ?? ""));
}

/** A new line is in scripts and messages, and a tab in patterns. */
function hasControls(word: string): boolean {
	return /[\0-\x08\x0b-\x1f\x7f\u0080-\u009f]/u.test(word);
}

/** Its scripts, and no options that write or load: the values of `-e`, or the first operand. */
function hasSimpleScripts(
	words: readonly (string | undefined)[],
	isSimple: (scripts: readonly string[]) => boolean,
): boolean {
	const rest = [...words];
	const scripts: string[] = [];
	let operand: string | undefined;
	while (rest.length > 0) {
		const word = rest.shift();
		if (word === undefined) {
			// The name of a file that a loop gives.
			if (scripts.length === 0 && operand === undefined) return false;
		} else if (/^-(?:n?E?e|-expression)$/u.test(word)) scripts.push(rest.shift() ?? "");
		else if (word === "-F" || word === "-v") rest.shift();
		else if (word.startsWith("-") && word !== "-") {
			if (!/^-(?:[nErszu]+|F.+|-posix|-quiet|-silent|-null-data|-regexp-extended)$/u.test(word)) return false;
		} else operand ??= word;
	}
	if (scripts.length === 0 && operand === undefined) return false;
	return isSimple(scripts.length > 0 ? scripts : [operand ?? ""]);
}

/** No program, file or pipe can be named in it, however its patterns and quotes are read. */
function isSimpleAwk(scripts: readonly string[]): boolean {
	return !/system|getline|close|fflush|@|\||\{[^]*>/u.test(scripts.join("\n"));
}

const address = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])*/)`;
const substitution = String.raw`s([/|#,:@!%])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*`;
const sedCommand = new RegExp(
	`^\\s*(?:${address}(?:,${address})?)?!?\\s*(?:[pdqDPGHhgxnNl=]|${substitution})\\s*$`,
	"u",
);

function isSimpleSed(scripts: readonly string[]): boolean {
	return scripts.every(
		(script) =>
			script === "" || sedCommand.test(script) || script.split(";").every((each) => sedCommand.test(each)),
	);
}

/**
 * A word that leads out of the project is one that the lists know as read or written: which option reads or writes a file
 * is not the same in all versions (`git blame -S~/.netrc`).
 */
function beyond(
	{ programs, reads, readTrees, writes }: CommandFacts,
	{ cwd, home }: CommandLocation,
): string | undefined {
	const listed = [...reads, ...readTrees, ...writes.flatMap(({ path }) => path ?? [])];
	const changes = writes.length > 0;
	return first(programs, ({ argv, effect, name }) => {
		// What a link leads to is judged as such.
		if (effect === "exec" || name === "ln" || takesAnyWord.has(name)) return undefined;
		const isWriter = changes && effect === "write";
		const word = argv.slice(1).find((each) => {
			const out = each === undefined ? [] : leadsOut(each, cwd, home);
			return out.some(
				(path) => isWriter || !listed.some((known) => known === path.real || known.endsWith(path.tail)),
			);
		});
		if (word === undefined) return undefined;
		return isWriter
			? `${name} changes files, and ${word} is outside of the project`
			: `only ${name} knows what it does with ${word}`;
	});
}

/** Their words are texts, patterns and names, and the options that name files are listed one by one. */
const takesAnyWord = new Set([
	...wordSet(
		"echo printf test [ true basename dirname expr tr date tput cut kill cd pushd popd command type",
	),
	...wordSet("grep egrep fgrep rg sed gsed awk gawk mawk nawk jq gojq jaq yq xmllint"),
	...wordSet("find gfind fd fdfind curl dpkg lsof which whereis man journalctl systemctl"),
]);

interface Outside {
	readonly real: string;
	/** What is the same in any directory that the command may be in. */
	readonly tail: string;
}

function leadsOut(word: string, cwd: string, home: string): Outside[] {
	const inside = word.startsWith("-")
		? [word.slice(2), word.slice(Math.max(0, word.search(/[/~]|\.\./u)))]
		: [];
	const paths = [word, ...inside, ...word.split(/[=:,@]/u).slice(1)];
	return paths.flatMap((path) => {
		// A slash alone may separate something (`-t/`).
		if (path === "/dev/null" || (path === "/" && path !== word)) return [];
		if (!/^[~/]|(?:^|\/)\.\.(?:\/|$)/u.test(path)) return [];
		const absolute = path.replace(/^~(?=\/|$)/u, home);
		const real = isAbsolute(absolute) ? resolve(absolute) : resolve(cwd, absolute);
		if (real === cwd || real.startsWith(`${cwd}/`)) return [];
		return [{ real, tail: isAbsolute(absolute) ? `\n${real}` : resolve("/", absolute) }];
	});
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
	reasonOf: (item: Item) => string | undefined,
): string | undefined {
	for (const item of items) {
		const reason = reasonOf(item);
		if (reason !== undefined) return reason;
	}
	return undefined;
}
