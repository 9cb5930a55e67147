/** The prompt editor: several lines, soft wrap, undo, kill ring, history, completion, markers, vim keys. */
import { visibleWidth } from "@tau/sys";

import type { Focusable } from "../component.ts";
import type { SelectListTheme } from "../elements/select-list.ts";
import { decodePrintableKey, getKeybindings, isKeyRelease } from "../input/index.ts";
import type { AutocompleteProvider } from "./autocomplete.ts";
import { CompletionMenu } from "./completion-menu.ts";
import { Editing } from "./editing.ts";
import type { EditorComponent } from "./editor-component.ts";
import { drawFrame, type FrameState } from "./editor-frame.ts";
import { HistoryKeys } from "./history-keys.ts";
import { Layout } from "./layout.ts";
import { limits } from "./limits.ts";
import { MarkedText } from "./marked-text.ts";
import { isLongPaste, pasteMarker, pastesIn, type Marker } from "./markers.ts";
import { PasteReader } from "./paste-reader.ts";
import { cleanLine, cleanText } from "./text.ts";
import { VerticalMotion } from "./vertical.ts";
import { Vim, type VimMode } from "./vim/vim.ts";
import { wrapLine } from "./wrap.ts";

export interface EditorTheme {
	borderColor: (text: string) => string;
	selectList: SelectListTheme;
}

export interface EditorOptions {
	paddingX?: number;
	autocompleteMaxVisible?: number;
	/** Maximum rows of text; default is a share of the screen. */
	maxHeight?: number;
	vimMode?: boolean;
}

/** The part of the screen that the editor needs. */
export interface EditorHost {
	requestRender(): void;
	readonly terminal?: { readonly rows: number };
}

export class Editor implements EditorComponent, Focusable, Disposable {
	protected readonly tui: EditorHost;
	readonly #editing = new Editing();
	readonly #text = new MarkedText(this.#editing.buffer);
	readonly #layout = new Layout((line, width) => wrapLine(line, width, this.#markerCells));
	readonly #vertical = new VerticalMotion(this.#editing.buffer, this.#layout, (unit) =>
		this.#markerCells(unit),
	);
	readonly #pastes = new PasteReader();
	readonly #menu: CompletionMenu;
	readonly #history = new HistoryKeys(this.#editing, this.#text, this.#vertical, () =>
		this.earlierPrompts?.(),
	);
	readonly #maxHeight: number | undefined;
	#paddingX: number;
	#pasteCount = 0;
	#vim: Vim | undefined;
	#isEditingOutside = false;
	/** The revision that `onChange` was last called for. */
	#notifiedRevision = 0;

	focused = false;
	disableSubmit = false;
	borderColor: (text: string) => string;
	onSubmit?: ((text: string, markers?: Marker[]) => void) | undefined;
	onChange?: ((text: string) => void) | undefined;
	/** Receives a paste before it is inserted; a returned marker is inserted instead. */
	onPasteText?: ((text: string) => Marker | undefined) | undefined;
	/** The prompts from before this editor was opened, oldest first: asked for once, when the history is first used. */
	earlierPrompts?: (() => readonly string[]) | undefined;
	/** Lets the user edit the text in another program; undefined when it is unchanged. */
	onExternalEditor?: ((text: string) => Promise<string | undefined>) | undefined;

	constructor(tui: EditorHost, theme: EditorTheme, options: EditorOptions = {}) {
		this.tui = tui;
		this.borderColor = theme.borderColor;
		this.#maxHeight = options.maxHeight;
		this.#paddingX = Math.max(0, options.paddingX ?? 0);
		this.#menu = new CompletionMenu({
			text: this.#text,
			theme: theme.selectList,
			onShow: () => this.tui.requestRender(),
			onTaken: () => this.#notify(),
		});
		this.setAutocompleteMaxVisible(options.autocompleteMaxVisible ?? limits.suggestions);
		this.setVimMode(options.vimMode ?? false);
	}

	getPaddingX(): number {
		return this.#paddingX;
	}

	setPaddingX(padding: number): void {
		this.#paddingX = Math.max(0, Math.floor(padding));
	}

	getAutocompleteMaxVisible(): number {
		return this.#menu.maxVisible;
	}

	setAutocompleteMaxVisible(maxVisible: number): void {
		const most = Math.floor(maxVisible) || limits.suggestions;
		this.#menu.maxVisible = Math.max(limits.leastSuggestions, Math.min(limits.mostSuggestions, most));
	}

	setAutocompleteProvider(provider: AutocompleteProvider): void {
		this.#menu.setProvider(provider);
	}

	isShowingAutocomplete(): boolean {
		return this.#menu.isOpen;
	}

	setVimMode(isOn: boolean): void {
		if (isOn === (this.#vim !== undefined)) return;
		this.#vim = isOn
			? new Vim({ editing: this.#editing, moveRows: (rows) => void this.#vertical.move(rows) })
			: undefined;
	}

	getVimMode(): VimMode | undefined {
		return this.#vim?.mode;
	}

	/** True if Escape has a meaning in the editor, before it has one in the application. */
	wantsEscape(): boolean {
		if (this.#menu.isOpen || this.#history.search !== undefined || this.#editing.isJumping) return true;
		return this.#vim?.takesEscape ?? false;
	}

	/** Pastes among the markers are markers again when the text is recalled. */
	addToHistory(text: string, markers: readonly Marker[] = []): void {
		this.#history.add(text, markers);
	}

	/** Replaces the text by a prompt of the history, as the arrows do. */
	recall(text: string): void {
		this.#leaveOthers();
		this.#history.recall(text);
		this.#notify();
	}

	getText(): string {
		return this.#text.text();
	}

	getExpandedText(): string {
		return this.#text.expanded();
	}

	getLines(): string[] {
		return this.#text.lines();
	}

	getCursor(): { line: number; col: number } {
		return { line: this.#editing.buffer.caret.line, col: this.#text.beforeCaret().length };
	}

	/** The markers in the text, in order. */
	getMarkers(): Marker[] {
		return this.#text.markers.within(this.#editing.buffer.text());
	}

	/** One undo step, like every other change of the text. Pastes among the markers are shown as markers. */
	setText(text: string, markers: readonly Marker[] = []): void {
		this.#leaveOthers();
		const { buffer } = this.#editing;
		const clean = cleanText(text);
		const marked = this.#text.markers.mark(clean, pastesIn(clean, markers));
		buffer.replace({ line: 0, col: 0 }, buffer.end, marked);
		this.#notify();
	}

	insertTextAtCursor(text: string): void {
		this.#insert(cleanText(text));
		this.#notify();
	}

	/** Inserts a marker that is shown as its label and submitted as its expansion. */
	insertMarker(marker: Marker): void {
		const label = cleanLine(marker.label);
		const expansion = cleanText(marker.expansion);
		this.#insert(this.#text.markers.add({ ...marker, label, expansion }) ?? expansion);
		this.#notify();
	}

	/** Passes the whole text to `onExternalEditor` and takes the result. */
	async openExternalEditor(): Promise<void> {
		if (this.onExternalEditor === undefined || this.#isEditingOutside) return;
		this.#isEditingOutside = true;
		try {
			const edited = await this.onExternalEditor(this.getExpandedText());
			if (edited !== undefined) this.setText(edited.replace(/\r?\n$/, ""));
		} finally {
			this.#isEditingOutside = false;
		}
		this.tui.requestRender();
	}

	invalidate(): void {
		this.#layout.forget();
	}

	[Symbol.dispose](): void {
		this.#menu[Symbol.dispose]();
	}

	render(width: number): string[] {
		const search = this.#history.search;
		const match = search?.shown;
		const { buffer } = this.#editing;
		const state: FrameState = {
			lines: match === undefined ? buffer.lines : match.split("\n"),
			caret: search === undefined ? buffer.caret : undefined,
			selection: search === undefined ? this.#vim?.selection : undefined,
			style: {
				markerCells: this.#markerCells,
				label: (unit) => this.#text.markers.display(unit),
				isFocused: this.focused,
			},
			border: this.borderColor,
			height: this.#height(),
			paddingX: this.#paddingX,
			note: this.#note(),
			footer: search === undefined ? undefined : this.#history.footer(width, this.focused, this.borderColor),
		};
		return [...drawFrame(state, this.#layout, width), ...this.#menu.render(width)];
	}

	handleInput(data: string): void {
		if (isKeyRelease(data)) return;
		for (const part of this.#pastes.read(data)) {
			if ("paste" in part) this.#paste(part.paste);
			else this.#key(part.input);
		}
		this.#vim?.settle();
		this.#notify();
	}

	readonly #markerCells = (unit: string): number => visibleWidth(this.#text.markers.display(unit));

	#key(data: string): void {
		const keys = getKeybindings();
		if (this.#history.handleSearch(data, keys)) return;
		if (this.#editing.isJumping && typed(data) === undefined) return this.#editing.forgetLast();
		if (!this.#editing.isJumping && this.#vim?.handle(data) === true) {
			this.#history.leave();
			return this.#menu.close();
		}
		const chosen = this.#menu.handle(data, keys);
		if (chosen === "done") return;
		if (chosen !== "pass") {
			// A command that was chosen with Enter is also submitted; a file is part of the draft.
			if (!chosen.isCommand || !keys.matches(data, "tui.input.submit")) return;
		}
		if (this.#submitKeys(data)) return;
		if (keys.matches(data, "tui.input.tab")) return this.#menu.ask();
		if (this.#history.handle(data, keys) || this.#pageKeys(data)) return this.#menu.close();
		this.#edit(data);
	}

	#edit(data: string): void {
		const { buffer } = this.#editing;
		const before = buffer.revision;
		if (!this.#editing.handle(data, getKeybindings())) {
			const text = typed(data);
			if (text === undefined) return;
			this.#editing.type(text);
		}
		if (buffer.revision === before) return this.#menu.close();
		this.#history.leave();
		this.#menu.update();
	}

	#submitKeys(data: string): boolean {
		const keys = getKeybindings();
		if (keys.matches(data, "tui.input.newLine")) {
			this.#leaveOthers();
			this.#editing.insert("\n", "type");
			return true;
		}
		if (!keys.matches(data, "tui.input.submit")) return false;
		if (this.disableSubmit) return true;
		const { buffer, left } = this.#editing;
		// For terminals that send the same for Enter with and without modifiers: a backslash before it inserts a new
		// line.
		if (buffer.textBetween(left, buffer.caret) === "\\") {
			this.#leaveOthers();
			buffer.replace(left, buffer.caret, "\n");
		} else this.#submit();
		return true;
	}

	#submit(): void {
		const text = this.getExpandedText().trim();
		const markers = this.getMarkers();
		this.#leaveOthers();
		this.#editing.buffer.reset();
		this.#text.markers.keepOnly(this.#editing.kills.entries());
		this.#pasteCount = 0;
		this.#vim?.reset();
		this.#notify();
		this.onSubmit?.(text, markers);
	}

	#pageKeys(data: string): boolean {
		const keys = getKeybindings();
		const isUp = keys.matches(data, "tui.editor.pageUp");
		if (!isUp && !keys.matches(data, "tui.editor.pageDown")) return false;
		this.#editing.forgetLast();
		this.#vertical.move(isUp ? -this.#height() : this.#height());
		return true;
	}

	/** Pasted text is text: nothing in it has an effect. */
	#paste(pasted: string): void {
		const text = cleanText(pasted);
		if (text === "") return;
		if (this.#history.search !== undefined) return this.#history.search.type(cleanLine(text));
		const marker = this.onPasteText?.(text);
		if (marker !== undefined) return this.insertMarker(marker);
		if (!isLongPaste(text)) return this.#insert(text);
		this.insertMarker(pasteMarker(text, this.#nextPaste()));
	}

	/** A recalled prompt brings pastes with numbers of its own. */
	#nextPaste(): number {
		const labels = this.getMarkers().map(({ label }) => label);
		do this.#pasteCount++;
		while (labels.some((label) => label.startsWith(`paste #${this.#pasteCount} `)));
		return this.#pasteCount;
	}

	#insert(text: string): void {
		this.#leaveOthers();
		this.#editing.insert(text);
	}

	/** The text is about to change by something else than the keys of search, history and completion. */
	#leaveOthers(): void {
		this.#menu.close();
		this.#history.leave();
		this.#editing.forgetLast();
	}

	/** Called once for every change, however many steps it had. */
	#notify(): void {
		const { revision } = this.#editing.buffer;
		if (revision === this.#notifiedRevision) return;
		this.#notifiedRevision = revision;
		this.onChange?.(this.getText());
	}

	#height(): number {
		const screen = this.tui.terminal?.rows ?? 24;
		const share = Math.max(limits.leastRows, Math.floor(screen * limits.screenShare));
		// With its borders it must fit the smallest screen.
		return Math.max(1, this.#maxHeight ?? Math.min(share, screen - 2));
	}

	#note(): string {
		if (this.#vim === undefined) return "";
		return [this.#vim.pending, this.#vim.mode.toUpperCase()].filter((part) => part !== "").join(" ");
	}
}

/** The text that the key types: itself, or the text of its sequence. */
function typed(data: string): string | undefined {
	const text = decodePrintableKey(data) ?? (data.startsWith("\x1b") ? "" : cleanText(data));
	return text === "" ? undefined : text;
}
