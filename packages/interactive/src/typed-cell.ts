/** Tells whether a text that begins with `$` is code, a command copied from a terminal, or a prompt. */
import words from "./typed-cell.json";

export interface TypedCell {
	readonly language: "python" | "js";
	readonly code: string;
	readonly isPrivate: boolean;
}

/** What a text after `$` that is probably not Python looks like. The user is asked about it. */
export type Doubt = "shell" | "prompt";

/** What may follow a variable of Python that is called `js`. */
const operator = /^(?:[-=+*/%.,:;|&^<>!)\]}]|(?:in|is|and|or|if|not)\b)/;

/** `$code` is Python, `$js code` is JavaScript; models do not see `$$code`. Undefined for what may be something else. */
export function cellIn(text: string): TypedCell | undefined {
	const typed = typedIn(text);
	if (!typed || doubtIn(text)) return undefined;
	const { language, code, isPrivate } = typed;
	return { language, code, isPrivate };
}

/** Why a text that begins with `$` is not run at once. */
export function doubtIn(text: string): { code: string; looksLike: Doubt } | undefined {
	const typed = typedIn(text);
	if (!typed || typed.isPrivate || typed.language === "js") return undefined;
	const looksLike = doubtAbout(typed);
	return looksLike && { code: typed.code, looksLike };
}

interface Typed extends TypedCell {
	/** A space is behind the sign. */
	readonly isSpaced: boolean;
}

function typedIn(text: string): Typed | undefined {
	const [, signs = "", space = "", code = ""] = /^(\$\$?)(\s*)(\S[\s\S]*)$/.exec(text) ?? [];
	if (signs === "") return undefined;
	const [isPrivate, isSpaced] = [signs === "$$", space !== ""];
	const [, script = ""] = isSpaced ? [] : (/^js\s+(\S[\s\S]*)$/.exec(code) ?? []);
	if (script !== "" && !operator.test(script)) return { language: "js", code: script, isPrivate, isSpaced };
	return { language: "python", code, isPrivate, isSpaced };
}

const keywords: ReadonlySet<string> = new Set(words.keywords);

/** Programs whose calls can be valid Python: `ls -la` is a difference of two names. */
const programs: ReadonlySet<string> = new Set(words.programs);

/** `$5`, `$5,000`, `$5k`, `$5/month`, `$5 or less`: a number that is an amount, and no operand. */
const amount = /^\d[\d.,]*(?:[kKmM%]?[.!?]?\s*$|[kKmM%]?\s+[a-zA-Z]|\/[a-z]+\b)/;
/** `$HOME`, `$HOME/bin`, `${HOME}`, `$PATH is wrong`. A name with an operator is a constant of Python. */
const shellVariable = /^(?:\{[A-Z_][A-Z0-9_]*\}|[A-Z_][A-Z0-9_]+(?:$|[/:]\S|\s+[a-z]))/;
/** `$?`, `$@`, `$#`: parameters of a shell. */
const shellParameter = /^(?:\?|[@#]\s*$)/;
const shellSyntax = /\s(?:&&|\|\||--[a-z]{2,}|\d?>&\d|>>\s*[\w./~])/;

/** What follows a program in a shell, and no name in Python: flags, paths, words. */
const shellArguments =
	/^\s+(?:--?\w|(?:\.{1,2}|~)?\/\w|\.\.?(?:\s|$)|\*\.|(?!(?:in|is|and|or|if|not)\b)\w|"")/;

function doubtAbout({ code, isSpaced }: Typed): Doubt | undefined {
	if (amount.test(code) || shellVariable.test(code) || shellParameter.test(code)) return "prompt";
	const bare = withoutTexts(code);
	const [, first = "", rest = ""] = /^([\w-]+)([^\n]*)/.exec(bare) ?? [];
	// A name alone may be a variable; behind a space it was copied from a terminal.
	const isAlone = isSpaced && rest.trim() === "";
	if (programs.has(first) && (isAlone || shellArguments.test(rest))) return "shell";
	if (shellSyntax.test(bare)) return "shell";
	return bare.split("\n").some(isProse) ? "prompt" : undefined;
}

/** Texts become `""`, and comments are removed. */
function withoutTexts(code: string): string {
	return code.replaceAll(
		/(?:(?<!\w)[rbfut]{1,2})?(?:("""|''')[^]*?\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|#.*/gi,
		(part) => (part.startsWith("#") ? "" : '""'),
	);
}

/** In Python two words, or a word and a number or text, stand beside each other only if one of them is a keyword. */
function isProse(line: string): boolean {
	// The interpreter says what to write instead of a magic of IPython.
	if (/^\s*[%!]/.test(line)) return false;
	const start = /^\s*(?:(?:match|case)\b(?=.*:)|type\b(?=.*=))/.exec(line)?.[0] ?? "";
	let isOperand = false;
	for (const [token] of line.slice(start.length).matchAll(/""|[\p{L}\p{N}_]+(?:\.\d+)?|[^\s]/gu)) {
		const isNext = token !== '""' && /^[\p{L}\p{N}_]/u.test(token) && !keywords.has(token);
		if (isNext && isOperand) return true;
		isOperand = isNext || token === '""';
	}
	return false;
}
