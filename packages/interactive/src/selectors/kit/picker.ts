/** A list in place of the editor: tabs, a search, the rows, details of the selected one, and hints for the keys. */
import {
	decodePrintableKey,
	getKeybindings,
	Input,
	matchesKey,
	rawKeyHint,
	type Component,
	type Focusable,
	type Theme,
} from "@tau/tui";

import type { NoticeLevel } from "../../host.ts";
import { drawPicker } from "./draw-picker.ts";
import { Line, type LineRequest } from "./line.ts";
import { ListState } from "./list-state.ts";
import type { PickerScreen, PickerSpec } from "./spec.ts";

export interface Note {
	text: string;
	level: NoticeLevel;
}

interface Question {
	text: string;
	onYes(): void | Promise<void>;
}

export class Picker<T> implements Component, Focusable {
	readonly #screen: PickerScreen;
	readonly #spec: PickerSpec<T>;
	readonly #list: ListState<T>;
	readonly #search = new Input();
	#tab: string;
	#line: Line | undefined;
	#question: Question | undefined;
	#note: Note | undefined;
	/** For what the items were asked last. */
	#asked: { search: string; tab: string } | undefined;
	/** The tallest that the list was: a list that shrinks while one types makes the screen jump. */
	#tallest = 0;
	focused = false;

	constructor(screen: PickerScreen, spec: PickerSpec<T>) {
		this.#screen = screen;
		this.#spec = spec;
		this.#list = new ListState((item) => spec.idOf(item));
		this.#tab = spec.tab ?? spec.tabs?.()[0]?.id ?? "";
		if (spec.search !== undefined) this.#search.setValue(spec.search);
		this.refresh();
	}

	get selected(): T | undefined {
		return this.#list.selected;
	}

	get tab(): string {
		return this.#tab;
	}

	get search(): string {
		return this.#search.getValue();
	}

	/** Whether Escape means something in here, before it closes the list. */
	wantsEscape(): boolean {
		return this.#line !== undefined || this.#question !== undefined || this.search !== "";
	}

	/** The items may be others now. */
	refresh(): void {
		this.#asked = undefined;
		this.#look();
		this.#screen.requestRender();
	}

	select(id: string): void {
		this.#moved(() => void this.#list.select(id));
	}

	/** Shows a message in the list until the next key. */
	showMessage(text: string, level: NoticeLevel = "info"): void {
		this.#note = { text, level };
		this.#screen.requestRender();
	}

	/** Requests a line of input in place of the search. */
	ask(request: LineRequest): void {
		this.#line = new Line(request);
		this.#screen.requestRender();
	}

	confirm(text: string, onYes: () => void | Promise<void>): void {
		this.#question = { text, onYes };
		this.#screen.requestRender();
	}

	/** Runs an action and shows its error in the list, where the user looks. */
	run(act: () => void | Promise<void>): void {
		const failed = (error: unknown): void =>
			this.showMessage(error instanceof Error ? error.message : String(error), "error");
		try {
			const done = act();
			if (done) done.catch(failed);
		} catch (error) {
			failed(error);
		}
	}

	invalidate(): void {
		this.#search.invalidate();
	}

	render(width: number): string[] {
		const theme = this.#screen.theme.current;
		const drawn = drawPicker(
			{
				spec: this.#spec,
				list: this.#list,
				tab: this.#tab,
				search: this.search,
				head: this.#head(width, theme),
				instead: this.#line?.request.about,
				note: this.#note,
				hints: this.#hints(theme),
				screenRows: this.#screen.rows,
				tallest: this.#tallest,
			},
			width,
			theme,
		);
		this.#tallest = drawn.listRows;
		return drawn.rows;
	}

	handleInput(data: string): void {
		this.#note = undefined;
		if (this.#line) this.#lineKey(this.#line, data);
		else if (this.#question) this.#questionKey(this.#question, data);
		else this.#key(data);
		this.#screen.requestRender();
	}

	#head(width: number, theme: Theme): string[] {
		if (this.#line) return this.#line.render(Math.max(1, width - 1), theme, this.focused);
		if (this.#question || this.#spec.hasSearch === false) return [];
		this.#search.focused = this.focused;
		// In the column of the mark of the selected row.
		return this.#search.render(Math.max(1, width - 1)).map((row) => ` ${row}`);
	}

	#hints(theme: Theme): readonly string[] {
		const hint = (keys: string, what: string): string =>
			theme.fg("muted", keys) + theme.fg("dim", ` ${what}`);
		if (this.#line) return [hint("enter", "submit"), hint("esc", "back")];
		if (this.#question) return [theme.fg("warning", this.#question.text), hint("y", "yes"), hint("n", "no")];
		const hints = this.#spec.hints(theme, this.selected);
		// The first Escape only clears the search, and the hint says so.
		if (this.search === "" || this.#spec.hasSearch === false) return hints;
		const close = rawKeyHint(theme, "escape", "close");
		return hints.map((each) => (each === close ? rawKeyHint(theme, "escape", "clear search") : each));
	}

	#key(data: string): void {
		const keys = getKeybindings();
		if (this.#spec.onKey?.(data, this.selected)) return;
		if (keys.matches(data, "app.list.nextTab")) return this.#turn(1);
		if (keys.matches(data, "app.list.previousTab")) return this.#turn(-1);
		if (this.#move(data)) return;
		if (keys.matches(data, "tui.select.confirm")) return this.#confirm();
		if (keys.matches(data, "tui.select.cancel")) return this.#cancel(data);
		if (this.#spec.hasSearch === false) return;
		this.#search.handleInput(data);
		this.#look();
	}

	#move(data: string): boolean {
		const keys = getKeybindings();
		const page = Math.max(1, this.#tallest);
		const list = this.#list;
		const moves: [boolean, () => void][] = [
			[keys.matches(data, "tui.select.up"), () => list.step(-1)],
			[keys.matches(data, "tui.select.down"), () => list.step(1)],
			[keys.matches(data, "tui.select.pageUp"), () => list.jump(-page)],
			[keys.matches(data, "tui.select.pageDown"), () => list.jump(page)],
			[matchesKey(data, "home"), () => list.first()],
			[matchesKey(data, "end"), () => list.jump(list.items.length)],
		];
		const move = moves.find(([isMeant]) => isMeant)?.[1];
		if (move) this.#moved(move);
		return move !== undefined;
	}

	/** For keys that page in one list and not in others. */
	page(by: 1 | -1): void {
		this.#moved(() => this.#list.jump(by * Math.max(1, this.#tallest)));
	}

	/** For keys that step in one list and not in others. */
	step(by: 1 | -1): void {
		this.#moved(() => this.#list.step(by));
	}

	#moved(move: () => void): void {
		const before = this.selected;
		move();
		if (this.selected !== before) this.#spec.onSelectionChange?.(this.selected);
	}

	#turn(by: 1 | -1): void {
		const tabs = this.#spec.tabs?.() ?? [];
		const at = tabs.findIndex(({ id }) => id === this.#tab);
		const next = tabs[(at + by + tabs.length) % Math.max(1, tabs.length)];
		if (!next) return;
		this.#tab = next.id;
		this.#look();
	}

	#confirm(): void {
		const { selected } = this;
		if (selected !== undefined) this.run(() => this.#spec.onConfirm(selected));
	}

	/** The first Escape clears the search, the next one closes; Ctrl+C closes at once. */
	#cancel(data: string): void {
		if (this.search === "" || matchesKey(data, "ctrl+c")) return this.#spec.onCancel();
		this.#search.setValue("");
		this.#look();
	}

	#lineKey(line: Line, data: string): void {
		const action = line.handle(data);
		if (action === "cancel") {
			this.#line = undefined;
			line.request.onCancel?.();
		} else if (action === "submit") this.run(() => this.#submit(line));
	}

	async #submit(line: Line): Promise<void> {
		const wrong = await line.request.onSubmit(line.value);
		if (wrong !== undefined) this.showMessage(wrong, "error");
		else if (this.#line === line) this.#line = undefined;
		this.refresh();
	}

	#questionKey({ onYes }: Question, data: string): void {
		const letter = (decodePrintableKey(data) ?? data).toLowerCase();
		const isYes = letter === "y" || getKeybindings().matches(data, "tui.select.confirm");
		const isNo = letter === "n" || getKeybindings().matches(data, "tui.select.cancel");
		if (!isYes && !isNo) return;
		this.#question = undefined;
		if (isYes) this.run(onYes);
	}

	#look(): void {
		const { search } = this;
		const tab = this.#tab;
		if (this.#asked?.search === search && this.#asked.tab === tab) return;
		const isAnother = this.#asked !== undefined;
		this.#asked = { search, tab };
		const before = this.selected;
		this.#list.setItems(this.#spec.items(search, tab), (id) => this.#spec.instead?.(id));
		// A new search selects the best match, which comes first, unless the list has a meaningful order.
		if (isAnother && search !== "" && !this.#spec.instead) this.#list.first();
		if (this.selected !== before) this.#spec.onSelectionChange?.(this.selected);
	}
}
