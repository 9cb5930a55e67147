/** The table of known programs (`known.json`): a row is made at the first use of its program. */
import { words } from "../args.ts";
import type { CommandEffect } from "../facts.ts";
import source from "./known.json" with { type: "json" };
import { row, type Row, type RowSource } from "./row.ts";

interface NamedRow extends RowSource {
	readonly effect: CommandEffect;
}

/** Programs with subcommands. A subcommand of two words is written as `config:get`. */
export interface SubcommandTable {
	readonly reads: ReadonlySet<string>;
	/** Those that need the network; `*` for all. */
	readonly network: ReadonlySet<string>;
	/** Those that do not, where all others do. */
	readonly local: ReadonlySet<string>;
	/** Those that are hard to take back, with the reason. */
	readonly dangers: ReadonlyMap<string, string>;
	/** Global options that take a value. */
	readonly valued: ReadonlySet<string>;
	/** Words behind a subcommand that make a reader do more. */
	readonly refuses: ReadonlySet<string>;
	/** The same as patterns, such as any path. */
	readonly forbids: readonly string[];
	/** The only options that a reader may have, besides those with a value. */
	readonly options: ReadonlySet<string>;
	/** Subcommands that read only without further words. */
	readonly alone: ReadonlySet<string>;
	/** Options have one dash or two. */
	readonly singleDash: boolean;
}

/** A program that only prints something when it has these options alone. */
export interface Lister {
	readonly options: ReadonlySet<string>;
	/** Whether other words may follow: names of what is listed. */
	readonly operands: boolean;
}

interface SubcommandSource {
	readonly reads?: string;
	readonly network?: string;
	readonly local?: string;
	readonly dangers?: Readonly<Record<string, string>>;
	readonly valued?: string;
	readonly refuses?: string;
	readonly forbids?: string;
	readonly options?: string;
	readonly alone?: string;
	readonly singleDash?: boolean;
}

/** Maps each name of a key that lists several to what the key has. */
export function byName<T>(record: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
	const all = new Map<string, T>();
	// Without lists of pairs: the first command of a session waits for a thousand names.
	for (const [names, value] of Object.entries(record))
		for (const name of names.split(" ")) all.set(name, value);
	return all;
}

class Rows {
	readonly #sources: ReadonlyMap<string, NamedRow>;
	readonly #rows = new Map<NamedRow, Row>();

	constructor(sources: Readonly<Record<string, NamedRow>>) {
		this.#sources = byName(sources);
	}

	has(name: string): boolean {
		return this.#sources.has(name);
	}

	get(name: string): Row | undefined {
		const named = this.#sources.get(name);
		if (!named) return undefined;
		const made = this.#rows.get(named) ?? row(named.effect, named);
		this.#rows.set(named, made);
		return made;
	}
}

const data = source as unknown as {
	readonly readers: Readonly<Record<string, NamedRow>>;
	readonly writers: Readonly<Record<string, NamedRow>>;
	readonly dangers: Readonly<Record<string, NamedRow>>;
	readonly git: Readonly<Record<string, NamedRow>>;
	readonly gitListings: Readonly<Record<string, string>>;
	readonly subcommands: Readonly<Record<string, SubcommandSource>>;
	readonly listers: Readonly<Record<string, { readonly options: string; readonly operands?: boolean }>>;
	readonly versioned: string;
};

export const readers = new Rows(data.readers);
export const writers = new Rows(data.writers);
export const dangers = new Rows(data.dangers);
export const gitSubcommands = new Rows(data.git);
/** Subcommands of git whose first word decides; an empty word stands for none. */
export const gitListings: ReadonlyMap<string, ReadonlySet<string>> = new Map(
	Object.entries(data.gitListings).map(([name, list]) => [name, new Set(list.split(" "))]),
);
/** Programs whose `--version` prints a version and does nothing else. */
export const versioned = words(data.versioned);

/** Where a program is the one that its name means. */
export const systemDirectories = words("/bin /usr/bin /usr/local/bin /sbin /usr/sbin /opt/homebrew/bin");

const listerSources = byName(data.listers);

export function listerOf(name: string): Lister | undefined {
	const named = listerSources.get(name);
	return named && { options: words(named.options), operands: named.operands ?? false };
}

const subcommandSources = byName(data.subcommands);
const subcommandTables = new Map<SubcommandSource, SubcommandTable>();

export function hasSubcommands(name: string): boolean {
	return subcommandSources.has(name);
}

export function subcommandsOf(name: string): SubcommandTable | undefined {
	const named = subcommandSources.get(name);
	if (!named) return undefined;
	const made = subcommandTables.get(named) ?? {
		reads: words(named.reads ?? ""),
		network: words(named.network ?? ""),
		local: words(named.local ?? ""),
		dangers: byName(named.dangers ?? {}),
		valued: words(named.valued ?? ""),
		refuses: words(named.refuses ?? ""),
		forbids: [...words(named.forbids ?? "")],
		options: words(named.options ?? ""),
		alone: words(named.alone ?? ""),
		singleDash: named.singleDash ?? false,
	};
	subcommandTables.set(named, made);
	return made;
}
