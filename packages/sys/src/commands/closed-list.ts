/**
 * Whether a call is on the closed list of what runs unasked where nothing contains commands (`table/closed.ts`): this
 * program, these options in full, and operands of this kind.
 */
import { basename, resolve } from "node:path";

import { isLeadingPattern, leadingPatternReason, words, type Arg } from "./args.ts";
import { hasShape } from "./closed-kinds.ts";
import { limits } from "./limits.ts";
import { closedGit, closedProgram, longOptions, type ClosedRow, type Kind } from "./table/closed.ts";

/** What a call on the list names; what these files are is judged by those who list them, too. */
export interface Named {
	readonly kind: "path" | "directory" | "write";
	readonly arg: Arg;
}

export interface ClosedCall {
	/** Why it is asked about, if it is. */
	readonly reason?: string;
	/** It is a name that a pattern gives. */
	readonly hasPattern?: true;
	readonly named: readonly Named[];
	/** What is a file for some versions of the program, or for rules. */
	readonly reads: readonly Arg[];
}

interface Options {
	readonly flags: ReadonlySet<string>;
	/** By their name with dashes. */
	readonly valued: ReadonlyMap<string, Kind>;
	readonly attached: ReadonlyMap<string, Kind>;
	readonly words: ReadonlyMap<string, readonly Kind[]>;
}

const kept = new WeakMap<ClosedRow, Options>();

function optionsOf(row: ClosedRow): Options {
	const made = kept.get(row);
	if (made) return made;
	const [flags, valued, attached] = [new Set<string>(), new Map<string, Kind>(), new Map<string, Kind>()];
	for (const letter of row.flags ?? "") flags.add(`-${letter}`);
	for (const [list, into] of [
		[row.valued, valued],
		[row.attached, attached],
	] as const)
		for (const word of words(list ?? "")) into.set(`-${word[0]}`, word.slice(2) as Kind);
	for (const word of longOptions(row)) {
		const [, name = "", isOptional, kind] = /^([\w-]+)(\??)(?:=(\w+))?$/u.exec(word) ?? [];
		if (kind === undefined || isOptional) flags.add(`--${name}`);
		if (kind !== undefined) (isOptional ? attached : valued).set(`--${name}`, kind as Kind);
	}
	const wholes = [...words(row.words ?? "")].map((word): [string, Kind[]] => {
		const [name = "", kinds] = word.split(":");
		return [name, (kinds?.split(",") ?? []) as Kind[]];
	});
	const options = { flags, valued, attached, words: new Map(wholes) };
	kept.set(row, options);
	return options;
}

/** `within`: the programs that start it. */
export function closedCall(args: readonly Arg[], within: readonly string[]): ClosedCall {
	const name = basename(args[0]?.value ?? "");
	const unlisted = (what: string): ClosedCall => ({
		reason: `${what} is not on the list of what runs unasked without a sandbox`,
		named: [],
		reads: [],
	});
	const call: Listed =
		name === "git" ? gitCall(args) : { key: name, row: closedProgram(name), rest: args.slice(1) };
	const { key, row, rest, directory } = call;
	if (!row) return unlisted(key === "" ? "a program that only the shell knows" : key);
	const isStarted =
		within.length === 0 || (/^(?:find|xargs)$/u.test(within.join(" ")) && row.starts === true);
	if (!isStarted) return unlisted(`${within.join(" ")} with ${key}`);
	const reading = new Reading(row, rest);
	const refused = reading.refused();
	if (reading.pattern !== undefined)
		return { ...unlisted(""), reason: leadingPatternReason(reading.pattern), hasPattern: true };
	if (refused !== undefined) return unlisted(`${key} with ${refused === "" ? "these words" : refused}`);
	const { named, reads } = reading;
	if (!directory) return { named, reads };
	const below = (arg: Arg): Arg => ({ ...arg, value: `${directory.value}/${arg.value}` });
	return { named: [...named, { kind: "directory", arg: directory }], reads: reads.map(below) };
}

interface Listed {
	readonly key: string;
	readonly row: ClosedRow | undefined;
	/** The words behind the program and its subcommand. */
	readonly rest: readonly Arg[];
	/** Of `git -C`. */
	readonly directory?: Arg;
}

/** The row of one or two words behind `--no-pager` and `-C directory`. */
function gitCall(args: readonly Arg[]): Listed {
	let at = 1;
	let directory: Arg | undefined;
	for (;;) {
		const next = args[at + 1];
		if (args[at]?.value === "--no-pager") at++;
		else if (args[at]?.value === "-C" && !directory && next && isInside(next)) {
			directory = next;
			at += 2;
		} else break;
	}
	const [first = "", second = ""] = args.slice(at, at + 2).map(({ value }) => value);
	const long = closedGit(`${first}:${second}`);
	return {
		key: `git ${first}${long ? ` ${second}` : ""}`.trim(),
		row: long ?? closedGit(first),
		rest: args.slice(at + (long ? 2 : 1)),
		...(directory ? { directory } : {}),
	};
}

function isInside({ value = "" }: Arg): boolean {
	return /^(?![-/~])(?!.*(?:^|\/)\.\.(?:\/|$))[^\0-\x1f]+$/u.test(value);
}

/** Reads the words behind a program by its row. */
class Reading {
	readonly named: Named[] = [];
	readonly reads: Arg[] = [];
	/** The pattern that gives the word that is refused. */
	pattern: string | undefined;
	readonly #row: ClosedRow;
	readonly #options: Options;
	readonly #args: readonly Arg[];
	readonly #operands: Arg[] = [];
	readonly #given = new Set<string>();
	#at = 0;
	/** Behind `--`. */
	#isOver = false;

	constructor(row: ClosedRow, args: readonly Arg[]) {
		this.#row = row;
		this.#options = optionsOf(row);
		this.#args = args;
	}

	/** The first word that the row does not allow. */
	refused(): string | undefined {
		if (this.#row.isText) return undefined;
		for (; this.#at < this.#args.length; this.#at++) {
			const arg = this.#args[this.#at];
			if (!arg) break;
			const before = this.#at;
			const isOption = this.#isOption(arg);
			if (!(isOption ? this.#option(arg) : this.#operand(arg)))
				return isOption ? this.#refusedOption(arg, this.#args.slice(before + 1, this.#at + 1)) : nameOf(arg);
			if (this.#isOver && this.#row.commands === "rest") break;
			const { order, operands } = this.#row;
			if (!isOption || this.#operands.length === 0) continue;
			if (order === "first") return nameOf(arg);
			// For some versions it is a file.
			if (order === undefined && operands !== undefined)
				this.reads.push(...this.#args.slice(before, this.#at + 1));
		}
		return this.#refusedOperand() ?? this.#missing();
	}

	/** The option, with its value if other values of it are allowed. */
	#refusedOption(arg: Arg, values: readonly Arg[]): string {
		const { words: wholes, valued, attached } = this.#options;
		const name = nameOf(arg);
		if (![wholes, valued, attached].some((known) => known.has(name))) return name;
		const whole = [arg, ...values].map(({ text }) => text).join(" ");
		return whole.length > limits.reasonWordChars ? `${whole.slice(0, limits.reasonWordChars)}…` : whole;
	}

	#isOption({ value, prefix }: Arg): boolean {
		if (this.#isOver) return false;
		if (this.#options.words.has(value ?? "")) return true;
		if (value !== undefined && this.#row.isNegative && /^-\d/u.test(value)) return false;
		return /^-./u.test(value ?? prefix);
	}

	#operand(arg: Arg): boolean {
		if (this.#row.commands === "rest") {
			this.#isOver = true;
			return true;
		}
		if (this.#row.order === "last" && this.#given.size > 0) return false;
		this.#operands.push(arg);
		if (this.#row.hasLists && (arg.value ?? arg.prefix).startsWith("@")) return false;
		if (this.#isOver || startsPlainly(arg)) return true;
		// Of the others, only files may be named by what a directory holds.
		const isFile = /(?:^| )path\*$/u.test(this.#row.operands ?? "");
		if (isFile && arg.isName) return true;
		if (isFile) this.pattern = isLeadingPattern(arg) ? arg.text : arg.leading;
		return false;
	}

	#option(arg: Arg): boolean {
		const { value, prefix } = arg;
		const { words: wholes, flags, valued, attached } = this.#options;
		const kinds = wholes.get(value ?? "");
		if (value !== undefined && kinds) {
			this.#given.add(value);
			return kinds.every((kind) => this.#next(kind));
		}
		if (value === "-exec" && this.#row.commands === "exec") return this.#command();
		if (value === "--") {
			this.#isOver = this.#row.words === undefined;
			return this.#isOver;
		}
		if (this.#row.digits && /^-\d+$/u.test(value ?? "")) return true;
		const [, long, text] = /^(--[a-zA-Z][\w-]*)(?:=([^]*))?$/u.exec(value ?? prefix) ?? [];
		if (long !== undefined) {
			this.#given.add(long);
			if (text === undefined) return flags.has(long) || (valued.has(long) && this.#next(valued.get(long)));
			const kind = valued.get(long) ?? attached.get(long);
			// `--include=*.ts` gives words that all begin so.
			if (value === undefined) return kind === "text" && arg.glob !== undefined;
			return this.#value(kind, { ...arg, value: text, prefix: text });
		}
		return value !== undefined && this.#letters(value, arg);
	}

	#letters(value: string, arg: Arg): boolean {
		const { flags, valued, attached } = this.#options;
		for (let at = 1; at < value.length; at++) {
			const name = `-${value.charAt(at)}`;
			const rest = value.slice(at + 1);
			this.#given.add(name);
			if (flags.has(name)) continue;
			const kind = valued.get(name) ?? attached.get(name);
			if (rest !== "") return this.#value(kind, { ...arg, value: rest, prefix: rest });
			return attached.has(name) || (kind !== undefined && this.#next(kind));
		}
		return true;
	}

	/** A value in the next word, which must not look like an option to versions that take none. */
	#next(kind: Kind | undefined): boolean {
		const arg = this.#args[++this.#at];
		if (!arg) return false;
		const mayBeOption = /^-./u.test(arg.value ?? arg.prefix);
		const isExpected =
			/^(?:number|list|mode)$/u.test(kind ?? "") && /^-\d|^-[\w+=,]+$/u.test(arg.value ?? "");
		return (
			(!mayBeOption || isExpected) &&
			(arg.value !== undefined || startsPlainly(arg)) &&
			this.#value(kind, arg)
		);
	}

	#value(kind: Kind | undefined, arg: Arg): boolean {
		if (kind === undefined || arg.glob !== undefined) return false;
		if (kind === "path") this.named.push({ kind, arg });
		return hasShape(kind, arg);
	}

	/** The words of `-exec` up to its end; the program among them is judged by its own row. */
	#command(): boolean {
		this.#given.add("-exec");
		const rest = this.#args.slice(this.#at + 1);
		const length = rest.findIndex(
			({ value }, index) => value === ";" || (value === "+" && rest[index - 1]?.value === "{}"),
		);
		this.#at += length + 1;
		return (
			length > 0 && rest.slice(0, length).every(({ value }) => value === "{}" || !/\{\}/u.test(value ?? "{}"))
		);
	}

	#refusedOperand(): string | undefined {
		const { operands = "", instead = "", lists } = this.#row;
		const kinds = operands.split(" ").filter((kind) => kind !== "");
		if (this.#has(instead)) kinds.shift();
		if (lists !== undefined && !this.#has(lists)) kinds.length = 0;
		if (this.#row.moves) return this.#moved();
		return this.#operands.find((arg, index) => {
			const kind = kinds[Math.min(index, kinds.length - 1)];
			const isMany = kind?.endsWith("*") === true;
			if (kind === undefined || (index >= kinds.length && !isMany)) return true;
			// A pattern gives any number of names.
			if (!isMany && (arg.glob !== undefined || arg.several)) return true;
			return !this.#takes(kind.replace("*", "") as Kind, arg);
		})?.text;
	}

	#takes(kind: Kind, arg: Arg): boolean {
		if (kind === "rev") this.#ofRevision(arg);
		if (arg.value === "-" && (kind === "path" || kind === "text")) return true;
		if (kind === "write" && arg.value === undefined) return false;
		if (kind === "directory" && (arg.value === undefined || arg.value === "-")) return false;
		if (kind === "path" || kind === "directory" || kind === "write") this.named.push({ kind, arg });
		return hasShape(kind, arg);
	}

	/** `HEAD:.env` is what that file was: a rule about it counts. Behind `--`, `:1:x` is a file called `1:x`. */
	#ofRevision(arg: Arg): void {
		const { value = "" } = arg;
		if (!value.includes(":")) return;
		const path = /^[^:]*:(?:\d:)?([^:]+)$/u.exec(value)?.[1];
		for (const each of new Set([path ?? "", value.replace(/^:/u, "")]))
			if (!/^(?:[!^]|$)/u.test(each)) this.reads.push({ ...arg, value: each, prefix: each });
	}

	/** `cp a b` writes b, or b/a. */
	#moved(): string | undefined {
		const target = this.#operands.at(-1);
		const sources = this.#operands.slice(0, -1);
		if (sources.length === 0 || target?.value === undefined) return target?.text ?? "";
		const isNamed = ({ value }: Arg): boolean => value !== undefined && !/(?:^|\/)\.{0,2}$/u.test(value);
		const unnamed = sources.find((source) => !isNamed(source));
		if (unnamed) return unnamed.text;
		this.named.push({ kind: "write", arg: target });
		for (const source of sources) {
			const into = `${target.value}/${basename(source.value ?? "")}`;
			this.named.push({ kind: "path", arg: source }, { kind: "write", arg: { ...target, value: into } });
		}
		return [target, ...sources].find((arg) => !hasShape("write", arg))?.text;
	}

	#missing(): string | undefined {
		return this.#row.needs === undefined || this.#has(this.#row.needs) ? undefined : "";
	}

	#has(names: string): boolean {
		return names.split(" ").some((name) => this.#given.has(name));
	}
}

/** No option can come of it. */
function startsPlainly({ value, prefix, several }: Arg): boolean {
	return value !== undefined || (!several && /^[\w./~@]/u.test(prefix));
}

function nameOf({ text }: Arg): string {
	return /^(--?[\w-]+)/u.exec(text)?.[1] ?? text;
}

/** Files that a command reads and changes, as the walk lists them. */
interface Files {
	readonly cwd: string;
	readonly reads: readonly string[];
	readonly globs: readonly string[];
	readonly writes: readonly string[];
	/** The command changes its directory. */
	readonly hasMoved: boolean;
}

/** The first file that a call names and the lists do not. */
export function unlistedFile({ named }: ClosedCall, listed: Files): string | undefined {
	const isIn = (list: readonly string[], name: string): boolean => {
		if (!listed.hasMoved || name.startsWith("/")) return list.includes(resolve(listed.cwd, name));
		const tail = resolve("/", name);
		return list.some((path) => tail === "/" || path.endsWith(tail));
	};
	return named.find(({ kind, arg: { value, glob, among } }) => {
		// It may be judged in another directory than the one in which the command is then.
		if (value === undefined && glob === undefined)
			return listed.hasMoved || among?.every((each) => (each.value ?? each.glob) !== undefined) === false;
		if (value === undefined) return !isIn(listed.globs, glob ?? "");
		if (value === "/dev/null") return false;
		if (kind === "directory") return !isIn([...listed.reads, listed.cwd], value) && !listed.hasMoved;
		return !isIn(kind === "write" ? listed.writes : [...listed.reads, ...listed.writes], value);
	})?.arg.text;
}
