/** What discovery finds: things with the place that they come from, and what is wrong with others. */
import { stripControls } from "@tau/utils";

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
	/** Of two things with the same key the first counts; without a key all do. */
	key(item: T): string | undefined;
	/** A few words for a list. */
	about(item: T): string;
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

/** One line: what a file is called, and what it repeats of its words, could look like lines of Tau's own. */
export function describeWarning({ path, line, message }: Warning): string {
	return stripControls(`${path}${line === undefined ? "" : `:${line}`}: ${message}`, {
		newline: false,
		tab: false,
	});
}
