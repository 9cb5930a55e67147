/** The list of suggestions under the editor: when it opens, its keys, and how a suggestion is applied. */
import { SelectList, type SelectListTheme } from "../elements/select-list.ts";
import type { KeybindingsManager } from "../input/index.ts";
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "./autocomplete.ts";
import { Completer } from "./completer.ts";
import { limits } from "./limits.ts";
import type { MarkedText } from "./marked-text.ts";

interface OpenList {
	list: SelectList;
	items: readonly AutocompleteItem[];
	prefix: string;
	/** Identifies the text that the list was made for. */
	stamp: string;
	/** The user has chosen from the list, and not only typed. */
	hasMoved: boolean;
}

export interface MenuHost {
	readonly text: MarkedText;
	readonly theme: SelectListTheme;
	/** Suggestions appeared or disappeared without a key. */
	onShow(): void;
	/** The only suggestion was applied without a key. */
	onTaken(): void;
}

export class CompletionMenu implements Disposable {
	readonly #host: MenuHost;
	readonly #completer: Completer;
	#open: OpenList | undefined;
	maxVisible: number = limits.suggestions;

	constructor(host: MenuHost) {
		this.#host = host;
		this.#completer = new Completer({
			place: () => host.text.shown(),
			show: (suggestions, isForced) => this.#show(suggestions, isForced),
		});
	}

	get isOpen(): boolean {
		return this.#open !== undefined;
	}

	setProvider(provider: AutocompleteProvider): void {
		this.close();
		this.#completer.setProvider(provider);
	}

	render(width: number): string[] {
		return this.#open?.list.render(width) ?? [];
	}

	close(): void {
		this.#completer.cancel();
		this.#open = undefined;
	}

	[Symbol.dispose](): void {
		this.close();
	}

	/**
	 * After the user changed the text: requests completions if the word is of a kind that is completed automatically.
	 */
	update(): void {
		const { text } = this.#host;
		const { line, col } = text.buffer.caret;
		const isCommand = line === 0 && text.buffer.line(0).startsWith("/");
		const word = wordBefore(text.buffer.line(line), col);
		if (word === undefined || (!isCommand && !/^[^\p{L}\p{N}]/u.test(word))) return this.close();
		this.#completer.request(false, isCommand ? 0 : limits.completionDebounceMs);
	}

	/** Handles the completion key. */
	ask(): void {
		const provider = this.#completer.provider;
		if (provider === undefined) return;
		const { lines, line, col } = this.#host.text.shown();
		const isForced = provider.shouldTriggerFileCompletion?.(lines, line, col) ?? true;
		this.#completer.request(isForced, 0);
	}

	/**
	 * Handles keys while the list is open; the editor handles `pass`. `isCommand` tells whether a command, or its
	 * argument, was applied, which Enter then also submits.
	 */
	handle(data: string, keys: KeybindingsManager): "done" | "pass" | { isCommand: boolean } {
		const open = this.#open;
		if (open === undefined) return "pass";
		if (keys.matches(data, "tui.select.cancel")) {
			this.close();
			return "done";
		}
		for (const id of [
			"tui.select.up",
			"tui.select.down",
			"tui.select.pageUp",
			"tui.select.pageDown",
		] as const) {
			if (!keys.matches(data, id)) continue;
			open.list.handleInput(data);
			open.hasMoved = true;
			return "done";
		}
		const isTab = keys.matches(data, "tui.input.tab");
		if (!isTab && !keys.matches(data, "tui.select.confirm")) return "pass";
		// A suggestion for an older text would be inserted at the wrong position.
		if (open.stamp !== this.#host.text.stamp()) return "pass";
		const item = open.items.find(({ value }) => value === open.list.getSelectedItem()?.value);
		if (item === undefined) return "pass";
		const isArgument = this.#isArgument(open.prefix);
		if (!isTab && isArgument && !isMeant(open, item)) {
			this.close();
			return "pass";
		}
		this.#take(item, open.prefix);
		// A name that only resembles what was typed is shown, and not run.
		const isName = open.prefix.startsWith("/") && item.value.startsWith(open.prefix.slice(1));
		return { isCommand: isArgument || (isName && /^\/\S* $/.test(this.#host.text.text())) };
	}

	#isArgument(prefix: string): boolean {
		const before = this.#host.text.beforeCaret();
		return this.#host.text.buffer.caret.line === 0 && /^\/\S*\s/.test(before) && !prefix.startsWith("@");
	}

	#show(suggestions: AutocompleteSuggestions | undefined, isForced: boolean): void {
		const [only] = suggestions?.items ?? [];
		if (suggestions === undefined || only === undefined) this.#open = undefined;
		else if (isForced && suggestions.items.length === 1) {
			this.#take(only, suggestions.prefix);
			this.#host.onTaken();
		} else {
			const list = new SelectList(suggestions.items, this.maxVisible, this.#host.theme);
			list.setSelectedIndex(Math.max(0, bestMatch(suggestions)));
			this.#open = {
				list,
				items: suggestions.items,
				prefix: suggestions.prefix,
				stamp: this.#host.text.stamp(),
				hasMoved: false,
			};
		}
		this.#host.onShow();
	}

	#take(item: AutocompleteItem, prefix: string): void {
		const { lines, line, col } = this.#host.text.shown();
		this.close();
		const next = this.#completer.provider?.applyCompletion(lines, line, col, item, prefix);
		if (next === undefined) return;
		this.#host.text.apply({ lines: next.lines, line: next.cursorLine, col: next.cursorCol });
	}
}

/** Of an argument, Enter picks what the user selected, or the only option; else the typed text is used. */
function isMeant({ hasMoved, items, prefix }: OpenList, item: AutocompleteItem): boolean {
	return hasMoved || (items.length === 1 && prefix !== "" && item.value.startsWith(prefix));
}

/**
 * The item that was typed completely, or else the first that begins with the typed text. A directory never counts as
 * complete: the user continues in it.
 */
function bestMatch({ items, prefix }: AutocompleteSuggestions): number {
	const typed = prefix.replace(/^\//, "");
	const isWhole = (value: string): boolean => (value === prefix || value === typed) && !value.endsWith("/");
	const exact = items.findIndex(({ value }) => isWhole(value));
	if (exact >= 0) return exact;
	return items.findIndex(
		({ value }) => value.startsWith(prefix) || (typed !== "" && value.startsWith(typed)),
	);
}

/** Undefined for one that is too long to be completed: every key passes here, however long the line is. */
function wordBefore(line: string, col: number): string | undefined {
	let start = col;
	while (start > 0 && !/\s/.test(line.charAt(start - 1))) {
		if (col - start === limits.completedChars) return undefined;
		start--;
	}
	return line.slice(start, col);
}
