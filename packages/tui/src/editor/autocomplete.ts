/** The contract between the editor and providers of completions. */

export interface AutocompleteItem {
	/** The text to insert. */
	value: string;
	label: string;
	description?: string;
}

type Awaitable<T> = T | Promise<T>;

export interface SlashCommand {
	name: string;
	description?: string;
	/** The arguments after the name, for the user: `<file>`. */
	argumentHint?: string;
	getArgumentCompletions?(argumentPrefix: string): Awaitable<AutocompleteItem[] | null>;
}

export interface AutocompleteSuggestions {
	items: AutocompleteItem[];
	/** The text before the caret that an item replaces. */
	prefix: string;
}

export interface AutocompleteProvider {
	/**
	 * `force` is set when the user pressed the completion key; otherwise the user just types, and `null` is the usual
	 * result.
	 */
	getSuggestions(
		lines: string[],
		cursorLine: number,
		cursorCol: number,
		options: { signal: AbortSignal; force?: boolean },
	): Promise<AutocompleteSuggestions | null>;
	applyCompletion(
		lines: string[],
		cursorLine: number,
		cursorCol: number,
		item: AutocompleteItem,
		prefix: string,
	): { lines: string[]; cursorLine: number; cursorCol: number };
	/** True if the completion key means files at this position. */
	shouldTriggerFileCompletion?(lines: string[], cursorLine: number, cursorCol: number): boolean;
}

/** Finds files by a part of their path, best first; directories end in a slash. */
export type FileSource = (query: string, signal: AbortSignal) => Promise<string[]>;
