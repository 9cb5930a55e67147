/** What a row of the table of known programs says. */
import { words } from "../args.ts";
import type { CommandEffect } from "../facts.ts";

export interface Row {
	readonly effect: CommandEffect;
	/** The options that were checked, one by one or all of the manual: any other may do anything. Absent: none was. */
	readonly options: ReadonlySet<string> | "any" | undefined;
	/** Options whose value, if they have one, is the rest of the same word (`-Iseconds`). */
	readonly attached: ReadonlySet<string>;
	/** Options that take two words, the second of which is a file or a value. */
	readonly pairs: ReadonlySet<string>;
	/** It reads only with one of these options. */
	readonly needs: ReadonlySet<string>;
	/** Operands that make it do more: `init`, `@*` for a start, a part between two stars, `!+*` for any other start. */
	readonly forbids: readonly string[];
	/** An operand changes something. */
	readonly noOperands: boolean;
	/** Options that take the next word as a value. */
	readonly valued: ReadonlySet<string>;
	/** Options whose value is a file that is written. */
	readonly output: ReadonlySet<string>;
	/** Options that make a reader change something. */
	readonly changes: ReadonlySet<string>;
	/** Options whose value is a program that is started. */
	readonly runs: ReadonlySet<string>;
	/** Operands that are changed; the others are read. */
	readonly writes: "none" | "all" | "last" | "after first" | "second";
	/** Operands at the start that are no files: the pattern of grep, the mode of chmod. */
	readonly skip: number;
	readonly network: boolean;
	readonly danger: string | undefined;
	/** Long options have one dash. */
	readonly singleDash: boolean;
	/** A value is the next word even where letters follow its option. */
	readonly nextWords: boolean;
}

export interface RowSource {
	/** `any`, or options: letters may be joined (`-abc`), `-#` is every digit, a star ends one with an attached value (`-I*`). */
	readonly options?: string;
	readonly pairs?: string;
	readonly needs?: string;
	readonly forbids?: string;
	readonly operands?: "none";
	readonly valued?: string;
	readonly output?: string;
	readonly changes?: string;
	readonly runs?: string;
	readonly writes?: Row["writes"];
	readonly skip?: number | "all";
	readonly network?: boolean;
	readonly danger?: string;
	readonly singleDash?: boolean;
	readonly nextWords?: boolean;
}

export function row(effect: CommandEffect, source: RowSource = {}): Row {
	const output = words(source.output ?? "");
	const runs = words(source.runs ?? "");
	const valued = new Set([...words(source.valued ?? ""), ...output, ...runs]);
	const pairs = words(source.pairs ?? "");
	const changes = words(source.changes ?? "");
	const checked = optionNames(source.options, source.singleDash ?? false);
	return {
		effect,
		valued,
		options:
			checked === undefined || checked === "any"
				? checked
				: new Set([...checked.names, ...valued, ...pairs, ...changes]),
		attached: typeof checked === "object" ? checked.attached : none,
		pairs,
		needs: words(source.needs ?? ""),
		forbids: [...words(source.forbids ?? "")],
		noOperands: source.operands === "none",
		output,
		runs,
		changes,
		writes: source.writes ?? "none",
		skip: source.skip === "all" ? Infinity : (source.skip ?? 0),
		network: source.network ?? false,
		danger: source.danger,
		singleDash: source.singleDash ?? false,
		nextWords: source.nextWords ?? false,
	};
}

const none: ReadonlySet<string> = new Set();

interface OptionNames {
	readonly names: ReadonlySet<string>;
	readonly attached: ReadonlySet<string>;
}

/** Reads the notation of `options`. */
function optionNames(options: string | undefined, singleDash: boolean): OptionNames | "any" | undefined {
	if (options === undefined || options === "any") return options;
	const names = new Set<string>();
	const attached = new Set<string>();
	for (const word of words(options)) {
		if (word.startsWith("--") || singleDash) {
			names.add(word);
			continue;
		}
		for (const [, letter = "", star] of word.slice(1).matchAll(/(.)(\*?)/gu)) {
			if (star === "*") attached.add(`-${letter}`);
			for (const each of letter === "#" ? "0123456789" : letter) names.add(`-${each}`);
		}
	}
	return { names, attached };
}

/** Whether an operand is one of those that a row or a table forbids. */
export function isForbidden(forbids: readonly string[], operand: string): boolean {
	return forbids.some((pattern) => {
		if (pattern.startsWith("!")) return !operand.startsWith(pattern.slice(1, -1));
		const [start = "", ...rest] = pattern.split("*");
		if (rest.length === 0) return operand === pattern;
		const end = rest.at(-1) ?? "";
		return operand.startsWith(start) && operand.endsWith(end) && rest.every((part) => operand.includes(part));
	});
}
