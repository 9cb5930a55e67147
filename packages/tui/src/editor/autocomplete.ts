/** The contract between the editor and whoever knows how a word may go on. */

export interface AutocompleteItem {
	/** What is put into the text. */
	value: string;
	label: string;
	description?: string;
}

type Awaitable<T> = T | Promise<T>;

export interface SlashCommand {
	name: string;
	description?: string;
	/** What comes after the name, for a reader: `<file>`. */
	argumentHint?: string;
	getArgumentCompletions?(argumentPrefix: string): Awaitable<AutocompleteItem[] | null>;
}

export interface AutocompleteSuggestions {
	items: AutocompleteItem[];
	/** The text before the caret that an item takes the place of. */
	prefix: string;
}

export interface AutocompleteProvider {
	/** `force` when the user asked with a key; otherwise the user just types, and `null` is the usual answer. */
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
	/** Whether the key that asks for completion means files here. */
	shouldTriggerFileCompletion?(lines: string[], cursorLine: number, cursorCol: number): boolean;
}

/** Finds files by a part of their path, best first; directories end in a slash. */
export type FileSource = (query: string, signal: AbortSignal) => Promise<string[]>;
