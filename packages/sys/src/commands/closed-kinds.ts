/** What the values and operands of the closed list may look like: no word that a program could take for anything else. */
import { resolve } from "node:path";

import type { Arg } from "./args.ts";
import { isSimpleAwk } from "./closed-awk.ts";
import type { Kind } from "./table/closed.ts";

/** The other kinds name files, and are judged as such. */
type Shape = Exclude<Kind, "text" | "path" | "directory" | "write">;

const shapes: Readonly<Record<Shape, (value: string) => boolean>> = {
	number: matching(/^[-+]?\d+(?:\.\d+)?[a-zA-Z%]{0,3}$/u),
	word: matching(/^(?:[\w.,:%+@][\w.,:%+@=-]*)?$/u),
	list: matching(/^[\d,-]+$/u),
	/** `TZ="…"` in it would name a file. */
	moment: matching(/^[\w+@][\w\s:+.,@/-]*$/u),
	mode: matching(/^[-/]?[\w+=,]+$/u),
	plus: matching(/^\+[^\0-\x1f]*$/u),
	dateFormat: matching(/^\+?[a-zA-Z%][\w %:/.,+-]*$/u),
	/** No `*`, `%n` and `%(…)T`. */
	format: matching(/^(?!-)(?:[^%]|%%|%[-0]?\d*(?:\.\d+)?[sdiuxXcbqfgeo])*$/u),
	prettyFormat: isPrettyFormat,
	range: isRange,
	sortKey: matching(/^-?(?!.*signature)[\w.,:*]+$/u),
	/** With a capital, awk has its own: these separate fields and lines. */
	variable: matching(/^(?:[a-z]\w*|O?FS|O?RS)=(?:[^\\]|\\[tn])*$/u),
	rev: isRevision,
	head: matching(/^HEAD$/u),
	/** Of a setting; newer versions of git take a word without a dot for what to do. */
	key: matching(/^[a-zA-Z][a-zA-Z\d-]*(?:\.[\w.@:/+-]+)?\.[a-zA-Z][a-zA-Z\d-]*$/u),
	sed: isSimpleSed,
	awk: isSimpleAwk,
	jq: isSimpleJq,
};

/** The text of an operand or value has this form; a file is judged apart. */
export function hasShape(kind: Kind, arg: Arg): boolean {
	return isShaped(kind, arg) && (kind === "text" || (arg.among ?? []).every((each) => isShaped(kind, each)));
}

function isShaped(kind: Kind, arg: Arg): boolean {
	const { value } = arg;
	if (kind in shapes) {
		// What a pattern or a loop gives is a name of a file.
		const known = value ?? (kind === "rev" ? (arg.glob ?? arg.prefix) : undefined);
		return known !== undefined && shapes[kind as Shape](known);
	}
	if (value === undefined || kind === "text") return true;
	// Gawk connects to names in `/inet`; `+5` is an option in old versions.
	return (
		value !== "" && !value.startsWith("+") && !isOfSystem(value.startsWith("/") ? resolve("/", value) : value)
	);
}

/** What a device or a process would show. */
export function isOfSystem(path: string): boolean {
	return /^\/(?:dev(?!\/null$)|proc(?!\/(?:cpuinfo|meminfo|version)$)|sys|inet\w*)(?:\/|$)/u.test(path);
}

function matching(pattern: RegExp): (value: string) => boolean {
	return (value) => pattern.test(value);
}

/** Lines by number, the function `:name:file`, or a pattern in which nothing but its end is a slash. */
function isRange(value: string): boolean {
	const pattern = String.raw`/[^/\\\0-\x1f]+/`;
	const isByPattern = new RegExp(`^(?:\\d+|${pattern})(?:,(?:[+-]?\\d+|${pattern}))?$`, "u").test(value);
	return isByPattern || /^[\d:](?!.*(?:^|[/:])\.\.?\/)[\w^:,+./-]*$/u.test(value);
}

/** Names of the project alone: with others, git compares any two files. `:/x` and `:(top)x` lead to the top of the repository. */
function isRevision(value: string): boolean {
	return /^(?![-/~])(?!:(?![!^]?[\w.]))(?!.*(?:^|[/:])\.\.(?:\/|$))[^\0-\x1f]+$/u.test(value);
}

/** A name may be one of the repository's settings; `%G?` starts gpg. */
function isPrettyFormat(value: string): boolean {
	const isNamed = /^(?:oneline|short|medium|full|fuller|reference|email|raw)$/u.test(value);
	return isNamed || (value.includes("%") && !/%[-+ ]?G|signature|describe/u.test(value));
}

// Whether a slash in brackets ends the pattern is not the same in all versions.
const bracket = String.raw`\[\^?(?:\[:\w+:\]|\\[^\]\n]|[^\][\\\n/|#,:@!%])+\]`;
const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:${bracket}|[^/\\\n[]|\\[^\n])*/)`;
const end = String.raw`(?:${address}|\+\d+)`;
const substitution = String.raw`s([/|#,:@!%])(?:${bracket}|(?!\1)[^\\\n[]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*`;
const sedCommand = new RegExp(
	`^\\s*(?:${address}(?:,${end})?)?!?\\s*(?:[pdqDPGHhgxnNl=]|${substitution})\\s*$`,
	"u",
);

const sedGroup = new RegExp(`^\\s*${address}(?:,${end})?!?\\s*\\{([^{}]+)\\}\\s*$`, "u");

/** Printing, deleting and replacing; also several commands for the same lines: `/x/{p;q}`. */
function isSimpleSed(script: string): boolean {
	const commands = sedGroup.exec(script)?.[1] ?? script;
	return (
		commands === "" ||
		sedCommand.test(commands) ||
		commands
			.replace(/;\s*$/u, "")
			.split(";")
			.every((each) => sedCommand.test(each))
	);
}

/** Nothing that reads another file or the environment. */
function isSimpleJq(filter: string): boolean {
	return !/\$\s*(?:ENV|#|__)|(?<![.\w"'])env\b|\b(?:import|include|input_filename|modulemeta|get_search_list|input_line|halt|debug|stderr)/u.test(
		filter,
	);
}
