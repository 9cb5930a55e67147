/** What a row of the table of known programs says. */
import { words } from "../args.ts";
import type { CommandEffect } from "../facts.ts";

export interface Row {
	readonly effect: CommandEffect;
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
}

export interface RowSource {
	readonly valued?: string;
	readonly output?: string;
	readonly changes?: string;
	readonly runs?: string;
	readonly writes?: Row["writes"];
	readonly skip?: number | "all";
	readonly network?: boolean;
	readonly danger?: string;
	readonly singleDash?: boolean;
}

export function row(effect: CommandEffect, source: RowSource = {}): Row {
	const output = words(source.output ?? "");
	const runs = words(source.runs ?? "");
	return {
		effect,
		valued: new Set([...words(source.valued ?? ""), ...output, ...runs]),
		output,
		runs,
		changes: words(source.changes ?? ""),
		writes: source.writes ?? "none",
		skip: source.skip === "all" ? Infinity : (source.skip ?? 0),
		network: source.network ?? false,
		danger: source.danger,
		singleDash: source.singleDash ?? false,
	};
}
