/** The results of discovery: items with their origin, and problems with others. */
import { shortenHome, stripControls } from "@tau/utils";

/** `named` means that the user named it by a setting or a flag. */
export type Level = "project" | "user" | "named";

export interface Origin {
	/** The program that it was written for: `tau`, `claude`. */
	source: string;
	level: Level;
	path: string;
}

export interface Discovered {
	name: string;
	origin: Origin;
}

export interface Warning {
	path: string;
	line?: number;
	message: string;
	/** True if the content of the file is not used at all. */
	isLeftOut: boolean;
}

export interface Findings<T> {
	items: T[];
	warnings: Warning[];
}

/** One kind of thing that can be found. */
export interface Capability<T extends Discovered> {
	readonly id: string;
	/** The display name: `Skills`. */
	readonly title: string;
	/** Of two items with the same key the first is used; without a key all are. */
	key(item: T): string | undefined;
	/** A short description for a list. */
	about(item: T): string;
	/** Where an item that was found says itself that it is not to be used; undefined if it does not. */
	disabledBy?(item: T): string | undefined;
}

export function nothing<T>(): Findings<T> {
	return { items: [], warnings: [] };
}

export function together<T>(parts: readonly Findings<T>[]): Findings<T> {
	return {
		items: parts.flatMap(({ items }) => items),
		warnings: parts.flatMap(({ warnings }) => warnings),
	};
}

/** One line: a file name or quoted content could otherwise look like lines of Tau's own. */
export function describeWarning({ path, line, message }: Warning): string {
	return stripControls(`${path}${line === undefined ? "" : `:${line}`}: ${message}`, {
		newline: false,
		tab: false,
	});
}

/** One line for the start of a session: the first warning, and how many more there are. */
export function describeWarnings([first, ...more]: readonly Warning[]): string | undefined {
	if (!first) return undefined;
	const others = more.length === 0 ? "" : ` (and ${more.length} more: tau doctor)`;
	return describeWarning({ ...first, path: shortenHome(first.path) }) + others;
}
