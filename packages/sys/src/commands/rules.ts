/** Rules on commands as Claude Code writes them inside `Bash(…)`, matched against one simple command. */
import { dirname } from "node:path";

import type { ProgramRun } from "./facts.ts";
import { parseScript } from "./syntax/parser.ts";
import { systemDirectories } from "./table/known.ts";

export interface CommandRule {
	/** As the user wrote it. */
	readonly text: string;
	/** Literal words at the start, as far as the rule has no wildcard. */
	readonly words: readonly string[];
	/**
	 * - `exact`: these words and no others.
	 * - `prefix`: these words, then any or none (`git log:*`, `git log *`).
	 * - `pattern`: `*` matches any text (`npm run test*`, `git * main`).
	 */
	readonly kind: "exact" | "prefix" | "pattern";
}

/** An allow rule must match for certain; a deny or ask rule matches what it may match. */
export type RuleIntent = "allow" | "restrict";

export function parseCommandRule(text: string): CommandRule | { problem: string } {
	const rule = text.trim();
	if (rule === "" || rule === "*" || rule === ":*") return { text: rule, words: [], kind: "prefix" };
	const isColon = rule.endsWith(":*");
	const isPrefix = isColon || (rule.endsWith(" *") && !rule.endsWith("\\ *"));
	const stem = isPrefix ? rule.slice(0, -2).trimEnd() : rule;
	if (isColon && /(?<!\\)\*/u.test(stem))
		return { problem: `"${rule}" mixes ":*" with another "*". Write "${stem} *".` };
	if (!isPrefix && rule.includes(":* ")) return { problem: `":*" must be at the end of "${rule}".` };
	if (/(?<!\\)\*/u.test(stem)) return { text: rule, words: wordsBefore(stem), kind: "pattern" };
	const words = literalWords(stem.replaceAll("\\*", "'*'"));
	if (!words) return { problem: `"${rule}" is not one simple command. Write a rule for each command.` };
	return { text: rule, words, kind: isPrefix ? "prefix" : "exact" };
}

/** The words of a rule; undefined when it is more than one simple command. */
function literalWords(text: string): string[] | undefined {
	try {
		const { items } = parseScript(text);
		const node = items[0]?.node;
		if (items.length !== 1 || node?.kind !== "simple" || node.redirects.length > 0) return undefined;
		const assignments = node.assignments.map(
			({ name, words }) => `${name}=${words.map((word) => word.text).join("")}`,
		);
		return [...assignments, ...node.words.map((word) => word.parts.map((part) => part.text).join(""))];
	} catch {
		// A rule is the user's text: what does not parse has a problem, which the caller reports.
		return undefined;
	}
}

function wordsBefore(pattern: string): string[] {
	const whole = pattern.slice(0, pattern.search(/(?<!\\)\*/u));
	return whole.split(/\s+/u).slice(0, -1);
}

export function matchesRule(rule: CommandRule, run: ProgramRun, intent: RuleIntent = "allow"): boolean {
	if (intent === "restrict") return matchesWords(rule, [run.name, ...run.argv.slice(1)], run, true);
	if (rule.kind !== "exact" && rule.words[1] === "--test" && bringsCode(run)) return false;
	// With variables that change what it does, only a rule that names them with their values.
	if (run.environment.length > 0)
		return (
			run.assignments !== undefined &&
			rule.words.length > run.assignments.length &&
			rule.kind !== "pattern" &&
			matchesWords(rule, [...run.assignments, programWord(run), ...run.argv.slice(1)], run, false)
		);
	if (matchesWords(rule, [programWord(run), ...run.argv.slice(1)], run, false)) return true;
	return run.outer !== undefined && coversInner(rule, run, run.outer);
}

/** `node --test --import data:…`: a yes to the tests of a project is none to code in the command itself. */
function bringsCode({ name, argv }: ProgramRun): boolean {
	return (
		name === "node" &&
		argv.some((word) => word === undefined || /^-[ep]|^--(?:eval|print)\b|data:/u.test(word))
	);
}

/** A program in a directory of the project is not the one that a rule means by its name. */
function programWord({ name, argv }: ProgramRun): string | undefined {
	const word = argv[0];
	return word !== undefined && systemDirectories.has(dirname(word)) ? name : word;
}

/** `sudo apt update:*` also allows the `apt update` inside; `sudo:*` allows nothing inside. */
function coversInner(
	rule: CommandRule,
	run: ProgramRun,
	{ argv, start }: NonNullable<ProgramRun["outer"]>,
): boolean {
	const covers = rule.kind === "exact" || (rule.kind === "prefix" && rule.words.length > start);
	return covers && matchesWords(rule, argv, run, false);
}

/** `mayMatch`: a word that only the shell knows counts as any word. */
function matchesWords(
	rule: CommandRule,
	argv: readonly (string | undefined)[],
	run: ProgramRun,
	mayMatch: boolean,
): boolean {
	if (rule.kind === "pattern") return matchesPattern(rule, argv, run, mayMatch);
	if (rule.kind === "exact" && rule.words.length !== argv.length) {
		const isOpen = mayMatch && argv.includes(undefined) && argv.length <= rule.words.length;
		if (!isOpen) return false;
	}
	return rule.words.every((word, index) => {
		const given = argv[index];
		if (given !== undefined) return given === word;
		return mayMatch && (index < argv.length || argv.includes(undefined)) && index > 0;
	});
}

/** `*` matches any text, also spaces, as in Claude Code. The literal words at its start must be whole words. */
function matchesPattern(
	rule: CommandRule,
	argv: readonly (string | undefined)[],
	run: ProgramRun,
	mayMatch: boolean,
): boolean {
	const isStart = rule.words.every(
		(word, index) => word === argv[index] || (mayMatch && argv[index] === undefined && index > 0),
	);
	if (!isStart) return false;
	if (argv[0] === undefined) return false;
	const source = rule.text.endsWith(" *") || rule.text.endsWith(":*") ? rule.text.slice(0, -2) : rule.text;
	const pieces = source.split(/(?<!\\)\*/u).map((piece) => piece.replaceAll("\\*", "*"));
	const isOpen = source !== rule.text;
	const texts = [argv.map((word) => word ?? (mayMatch ? "\0" : "\u{fffd}")).join(" ")];
	if (!argv.includes(undefined)) texts.push(run.text.startsWith(run.name) ? run.text : (texts[0] ?? ""));
	return texts.some(
		(text) =>
			glob(pieces, text, isOpen) ||
			(mayMatch && text.includes("\0") && glob(pieces.slice(0, -1).concat(""), text, true)),
	);
}

/** Pieces in order, the first at the start and the last at the end; linear in the text. */
function glob(pieces: readonly string[], text: string, isOpen: boolean): boolean {
	const [first = "", ...rest] = pieces;
	if (!text.startsWith(first)) return false;
	let at = first.length;
	for (const [index, piece] of rest.entries()) {
		const isLast = index === rest.length - 1;
		if (isLast && !isOpen) return text.length - piece.length >= at && text.endsWith(piece);
		const found = text.indexOf(piece, at);
		if (found < 0) return false;
		at = found + piece.length;
	}
	return isOpen && (at === text.length || text[at] === " " || rest.at(-1) === "");
}

/** Programs with subcommands: the rule for "always" names the subcommand. */
const withSubcommands = new Set(
	"git cargo go docker kubectl gh pip brew systemctl apt dotnet mix".split(" "),
);
/** Runners of scripts: their rule names the script, exactly. */
const runners = new Set(
	"npm pnpm yarn bun deno make just task rake gradle mvn composer poetry uv tox nox invoke".split(" "),
);
/** Programs for which any words are harmless to repeat: linters, compilers, test runners, writers of files. */
const wide = new Set(
	"ls cat grep rg find head tail wc tree mkdir touch cp mv tsc eslint prettier biome oxlint jest vitest pytest mypy ruff black flake8 gofmt rustfmt clang-format shellcheck phpunit rspec rubocop".split(
		" ",
	),
);

/** Modules of Python that are such programs. */
const pythonModules = new Set(
	"pytest unittest mypy ruff black flake8 isort pylint doctest compileall py_compile coverage".split(" "),
);
/** What starts such a program in the environment of a project: `npx tsc`, `uv run pytest`. */
const starters: Readonly<Record<string, string>> = {
	npx: "",
	bunx: "",
	pnpm: "exec",
	yarn: "exec",
	npm: "exec",
	uv: "run",
	poetry: "run",
	pipenv: "run",
	bundle: "exec",
};

/** The rule that "always for this shape" adds: `git commit:*`, `npm run build`; the exact text where a prefix is too wide. */
export function shapeOf(run: ProgramRun): string {
	const prefix = run.assignments?.map((each) => `${each} `).join("") ?? "";
	const isPlain = /^(?:\w+=[\w./:,@%+-]* )*$/u.test(prefix);
	const stem = run.danger === undefined && isPlain ? stemOf(run) : undefined;
	return prefix + (stem === undefined ? exactText(run) : `${stem}:*`);
}

const isName = (word: string | undefined): word is string =>
	word !== undefined && /^[a-z][\w:-]*$/u.test(word);

function stemOf(run: ProgramRun): string | undefined {
	const [program, second, third] = run.argv;
	if (program !== run.name) return undefined;
	if (withSubcommands.has(program) && isName(second) && !/^(?:exec|run|config|alias|push)$/u.test(second))
		return `${program} ${second}`;
	if (/^python[23]?$/u.test(program))
		return second === "-m" && pythonModules.has(third ?? "") ? `${program} -m ${third}` : undefined;
	if (program === "node") return second === "--test" ? "node --test" : undefined;
	return startedStem(run) ?? runnerStem(run) ?? (wide.has(program) ? program : undefined);
}

/** `npx tsc`: the tool is named, and no option before it decides where it comes from. */
function startedStem({ name, argv }: ProgramRun): string | undefined {
	const through = Object.hasOwn(starters, name) ? starters[name] : undefined;
	if (through === undefined) return undefined;
	const words = through === "" ? [name] : [name, through];
	const tool = argv[words.length];
	if (!words.every((word, index) => argv[index] === word) || tool === undefined || !wide.has(tool))
		return undefined;
	return [...words, tool].join(" ");
}

function runnerStem({ name, argv: [, second, third] }: ProgramRun): string | undefined {
	if (!runners.has(name) || !isName(second)) return undefined;
	if ((second === "run" || second === "run-script") && third !== undefined && /^[\w:.-]+$/u.test(third))
		return `${name} ${second} ${third}`;
	return /^(?:test|build|lint|check|ci|install)$/u.test(second) ? `${name} ${second}` : undefined;
}

/** A star in the text would be a wildcard. */
function exactText({ text }: ProgramRun): string {
	return text.replaceAll("*", "\\*");
}
