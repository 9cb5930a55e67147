/** The usual completions: commands after a slash with their arguments, files after an @, paths on demand. */
import { fuzzyFilter } from "@tau/sys";

import type {
	AutocompleteItem,
	AutocompleteProvider,
	AutocompleteSuggestions,
	FileSource,
	SlashCommand,
} from "./autocomplete.ts";
import { limits } from "./limits.ts";
import { pathSuggestions } from "./path-suggestions.ts";

type Command = AutocompleteItem | SlashCommand;
type Options = { signal: AbortSignal; force?: boolean };

/** `@` and the text after it, in quotes if it contains spaces. */
const mention = /(?:^|[\s(=])@("[^"]*|[^\s"]*)$/;
/** The word before the caret, in quotes if it contains spaces. */
const word = /(?:^|[\s(=])("[^"]*|[^\s"(=]*)$/;
const looksLikePath = /^"?(?:~|\.{1,2})?\//;

export class CombinedAutocompleteProvider implements AutocompleteProvider {
	readonly #commands: readonly Command[];
	readonly #basePath: string;
	readonly #files: FileSource | undefined;

	constructor(commands: readonly Command[] = [], basePath = ".", files?: FileSource | null) {
		this.#commands = commands;
		this.#basePath = basePath;
		// Extensions written for pi pass the path of a program here.
		this.#files = typeof files === "function" ? files : undefined;
	}

	async getSuggestions(
		lines: string[],
		cursorLine: number,
		cursorCol: number,
		options: Options,
	): Promise<AutocompleteSuggestions | null> {
		const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
		const query = mention.exec(before)?.[1];
		if (query !== undefined) return this.#mentions(query, options.signal);
		if (cursorLine === 0 && before.startsWith("/")) {
			const suggestions = await this.#commandSuggestions(before);
			if (suggestions !== null || options.force !== true) return suggestions;
		}
		const typed = word.exec(before)?.[1] ?? "";
		if (options.force !== true && !looksLikePath.test(typed)) return null;
		return pathSuggestions(typed, this.#basePath, options.signal);
	}

	applyCompletion(
		lines: string[],
		cursorLine: number,
		cursorCol: number,
		item: AutocompleteItem,
		prefix: string,
	): { lines: string[]; cursorLine: number; cursorCol: number } {
		const line = lines[cursorLine] ?? "";
		const before = line.slice(0, cursorCol - prefix.length);
		const after = line.slice(cursorCol);
		const isCommand =
			cursorLine === 0 && before === "" && /^\/[^\s/]*$/.test(prefix) && this.#knows(item.value);
		const value = isCommand ? `/${item.value}` : item.value;
		const isDirectory = /\/"?$/.test(value);
		const isWhole = isCommand || (value.startsWith("@") && !isDirectory);
		const space = isWhole && !after.startsWith(" ") ? " " : "";
		// In a directory the user types on, before the closing quote.
		const back = isDirectory && value.endsWith('"') ? 1 : 0;
		const inserted = value + space;
		const step = isWhole && space === "" ? 1 : 0;
		return {
			lines: lines.with(cursorLine, before + inserted + after),
			cursorLine,
			cursorCol: before.length + inserted.length - back + step,
		};
	}

	shouldTriggerFileCompletion(lines: string[], cursorLine: number, cursorCol: number): boolean {
		const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
		return !(cursorLine === 0 && /^\/[^\s/]*$/.test(before));
	}

	#knows(name: string): boolean {
		return this.#commands.some((command) => nameOf(command) === name);
	}

	async #mentions(query: string, signal: AbortSignal): Promise<AutocompleteSuggestions | null> {
		if (this.#files === undefined) return null;
		const paths = await this.#files(query.replace(/^"/, ""), signal);
		const items = paths.slice(0, limits.fileSuggestions).map((path) => ({
			value: /\s/.test(path) ? `@"${path}"` : `@${path}`,
			label: path.replace(/^.*\/(?=.)/, ""),
			description: path,
		}));
		return { items, prefix: `@${query}` };
	}

	async #commandSuggestions(before: string): Promise<AutocompleteSuggestions | null> {
		const space = before.indexOf(" ");
		if (space < 0) {
			const items = fuzzyFilter([...this.#commands], before.slice(1), nameOf).map(itemOf);
			return items.length === 0 ? null : { items, prefix: before };
		}
		const command = this.#commands.find((candidate) => nameOf(candidate) === before.slice(1, space));
		if (command === undefined || !("getArgumentCompletions" in command)) return null;
		const prefix = before.slice(space + 1).trimStart();
		const items = (await command.getArgumentCompletions?.(prefix)) ?? [];
		return items.length === 0 ? null : { items, prefix };
	}
}

function nameOf(command: Command): string {
	return "name" in command ? command.name : command.value;
}

function itemOf(command: Command): AutocompleteItem {
	if (!("name" in command)) return command;
	const { name, description, argumentHint } = command;
	const about = [argumentHint, description].filter((part) => part !== undefined && part !== "").join(" — ");
	return { value: name, label: name, ...(about !== "" && { description: about }) };
}
