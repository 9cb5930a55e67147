/** What extensions draw for one terminal elsewhere: their components, made for its size and its colors. */
import type {
	CustomFactory,
	CustomOptions,
	FooterData,
	ShownChange,
	ShownParts,
	UIPlace,
} from "@tau/extensions/ui";
import {
	Container,
	guarded,
	OffscreenTerminal,
	OffscreenTUI,
	type Component,
	type Guarded,
	type InputListener,
	type KeybindingsManager,
	type Theme,
} from "@tau/tui";
import { log } from "@tau/utils";
import type { CommandFields, ComponentAct, ComponentView } from "@tau/wire";

import { showCustom } from "../extensions/custom-view.ts";
import { liveTheme } from "../extensions/screen-ui.ts";
import { Widgets } from "../extensions/widgets.ts";
import type { ShownTerminal } from "../local-parts.ts";
import type { RestoreFacts } from "../selectors/rewind/preview.ts";
import { TerminalView } from "../terminal-viewer.ts";
import { Blocks, type BlockSource } from "./blocks.ts";
import { SurfaceEditor } from "./surface-editor.ts";
import { themeOf } from "./theme-of.ts";

/** What a client says about its window. */
export type SurfaceFacts = CommandFields<"show_components">;

export interface SurfaceParts {
	readonly shown: ShownParts;
	readonly keys: KeybindingsManager;
	readonly blocks: BlockSource;
	/** What a footer may show. */
	footerData(): FooterData;
	/** Runs the shortcuts of extensions. */
	readonly onShortcut: InputListener;
	/** An extension wants to be drawn again, here and on every other screen. */
	changed(): void;
	/** Something on this surface alone may look different now. */
	schedule(): void;
	act(act: ComponentAct): void;
	/** Runs code that draws: colors that it asks for by no name are those of this surface. */
	draw<T>(surface: Surface, work: () => T): T;
}

export class Surface implements UIPlace, Disposable {
	readonly #parts: SurfaceParts;
	readonly #owned = new DisposableStack();
	readonly #terminal: OffscreenTerminal;
	readonly #tui: OffscreenTUI;
	readonly #above = new Container();
	readonly #below = new Container();
	readonly #widgets: Widgets;
	readonly #editor: SurfaceEditor;
	readonly blocks: Blocks;
	/** In the place of the editor, the last one on top. */
	#customs: Component[] = [];
	/** Of them, the terminals of commands. */
	readonly #terminals = new Set<Component>();
	#header: Guarded | undefined;
	#footer: Guarded | undefined;
	/** Called, each closes its own. */
	readonly #open = new Set<() => void>();
	readonly #ids = new WeakMap<Component, string>();
	#made = 0;
	#current: Theme;
	readonly theme: Theme;

	constructor(parts: SurfaceParts, facts: SurfaceFacts) {
		this.#parts = parts;
		this.#current = themeOf(facts.theme);
		const store = { current: (): Theme => this.#current };
		this.theme = liveTheme({
			get current() {
				return store.current();
			},
		});
		this.#terminal = new OffscreenTerminal(facts.columns, facts.rows);
		this.#tui = new OffscreenTUI(this.#terminal, () => parts.changed());
		this.#tui.addInputListener((data) =>
			this.#tui.focused === null || this.#tui.focused === this.#editor.component
				? parts.onShortcut(data)
				: undefined,
		);
		this.#widgets = new Widgets({ tui: this.#tui, above: this.#above, below: this.#below }, this.theme);
		this.#editor = new SurfaceEditor(this.#tui, this.theme, parts.keys, (act) => parts.act(act));
		this.blocks = this.#owned.use(new Blocks(parts.blocks, () => parts.schedule(), this.theme, facts));
		this.#owned.use(parts.shown.onChange((change) => this.#show(change)));
		for (const key of parts.shown.widgets.keys()) this.#show({ part: "widget", key });
		for (const part of ["header", "footer", "editor"] as const) this.#show({ part });
	}

	/** Whether an extension waits for what the user does here. */
	get isOpen(): boolean {
		return this.#open.size > 0;
	}

	/** The window of the client is another one. */
	resize(facts: SurfaceFacts): void {
		const { columns, rows } = this.#terminal;
		this.#current = themeOf(facts.theme);
		this.blocks.resize(facts);
		Object.assign(this.#terminal, { columns: facts.columns, rows: facts.rows });
		this.#draw(() => {
			for (const part of [this.#above, this.#below, this.#header, this.#footer, ...this.#customs])
				part?.invalidate();
			this.#tui.invalidate();
		});
		if (columns !== facts.columns || rows !== facts.rows) this.#tui.resized();
		this.#parts.schedule();
	}

	/** What the client is to draw, as of now. */
	views(): ComponentView[] {
		return this.#draw(() => [
			...this.#view("header", "header", this.#header),
			...this.#view("above", "aboveEditor", this.#above),
			...this.#view("below", "belowEditor", this.#below),
			...this.#view("footer", "footer", this.#footer),
			...this.#editorView(),
			...this.#customs.flatMap((custom) => this.#view(this.#idOf(custom), "custom", custom)),
			...this.#overlays(),
			...this.blocks.views(),
		]);
	}

	/** For the component of this id, if it is still there; otherwise for what has the focus. */
	key(data: string, id?: string): void {
		const named = id === undefined ? undefined : this.#customs.find((custom) => this.#idOf(custom) === id);
		if (named && named !== this.#tui.focused) this.#tui.setFocus(named);
		this.#draw(() => this.#tui.input(data));
	}

	/** Shows the terminal of a command until the result is disposed of. */
	showTerminal(terminal: ShownTerminal): Disposable {
		// The client takes the key that leaves it.
		const view = new TerminalView(terminal, { current: this.theme }, () => {});
		const owned = new DisposableStack();
		this.#customs.push(view);
		this.#terminals.add(view);
		this.#tui.setFocus(view);
		owned.use(
			terminal.screen.onChange(() => {
				view.invalidate();
				this.#parts.schedule();
			}),
		);
		owned.defer(() => {
			this.#terminals.delete(view);
			this.#close(view);
			this.#parts.schedule();
		});
		this.#parts.schedule();
		return owned;
	}

	text(text: string): void {
		this.#draw(() => this.#editor.setText(text));
		this.#parts.schedule();
	}

	/** The user has left what takes the keys. */
	leave(): void {
		const last = [...this.#open].at(-1);
		if (last) last();
		else this.#tui.hideOverlays();
		this.#parts.schedule();
	}

	async custom<T>(factory: CustomFactory<T>, options?: CustomOptions): Promise<T> {
		const slot = {
			show: (component: Component): { close(): void } => {
				this.#customs.push(component);
				this.#tui.setFocus(component);
				return { close: () => this.#close(component) };
			},
		};
		const parts = { tui: this.#tui, theme: this.theme, keys: this.#parts.keys, slot, open: this.#open };
		return await showCustom(parts, (...about) => this.#draw(() => factory(...about)), options);
	}

	/** Shows the diffs of a restore, and resolves when the user has seen them. */
	async previewRestore(...about: RestoreFacts): Promise<void> {
		const { previewAt } = await import("../selectors/rewind/preview.ts");
		await previewAt(this, ...about);
	}

	setEditorText(text: string): void {
		if (this.#editor.component) this.text(text);
		else this.#parts.act({ type: "set_text", text });
	}

	/** What is written in the editor of the client is not known here, unless an extension draws it. */
	getEditorText(): string {
		return this.#editor.text;
	}

	pasteToEditor(text: string): void {
		this.#parts.act({ type: "paste", text });
	}

	[Symbol.dispose](): void {
		this.#letGo();
		this.#owned.dispose();
	}

	/** Everything that may wait, or have its own timer. */
	#letGo(): void {
		for (const leave of this.#open) leave();
		this.#tui.hideOverlays();
		this.#widgets.clear();
		for (const part of [this.#header, this.#footer]) part?.dispose();
		this.#header = this.#footer = undefined;
		this.#editor.use(undefined);
		this.#tui.setFocus(this.#customs.at(-1) ?? null);
	}

	#close(component: Component): void {
		this.#customs = this.#customs.filter((other) => other !== component);
		this.#tui.setFocus(this.#customs.at(-1) ?? this.#editor.component ?? null);
	}

	#show(change: ShownChange): void {
		const { shown } = this.#parts;
		this.#draw(() => {
			if (change.part === "all") this.#letGo();
			else if (change.part === "widget") {
				const widget = shown.widgets.get(change.key);
				this.#attempt(change.key, (failed) =>
					this.#widgets.set(change.key, failed ? () => failed : widget?.content, widget),
				);
			} else if (change.part === "header") {
				this.#header = this.#replaced(this.#header, "header", () => shown.header?.(this.#tui, this.theme));
			} else if (change.part === "footer") {
				const make = (): Component | undefined =>
					shown.footer?.(this.#tui, this.theme, this.#parts.footerData());
				this.#footer = this.#replaced(this.#footer, "footer", make);
			} else if (change.part === "editor") {
				this.#editor.use(shown.editor);
				if (this.#customs.length === 0) this.#tui.setFocus(this.#editor.component ?? null);
			}
		});
		this.#parts.schedule();
	}

	#replaced(
		before: Guarded | undefined,
		name: string,
		make: () => Component | undefined,
	): Guarded | undefined {
		before?.dispose();
		let component: Component | undefined;
		this.#attempt(name, (failed) => {
			component = failed ?? make();
		});
		return component && guarded(component, { name, theme: this.theme });
	}

	/** Shows why a component could not be made, in its place. */
	#attempt(name: string, make: (failed: Component | undefined) => void): void {
		try {
			make(undefined);
		} catch (error) {
			log.error("a component of an extension could not be made", { name, reason: String(error) });
			make({
				render: () => {
					throw error;
				},
				invalidate: () => {},
			});
		}
	}

	#view(id: string, slot: ComponentView["slot"], component: Component | undefined): ComponentView[] {
		if (!component) return [];
		const { columns: width } = this.#terminal;
		const rows = component.render(width);
		if (rows.length === 0 && (slot === "aboveEditor" || slot === "belowEditor")) return [];
		const terminal = this.#terminals.has(component) ? { isTerminal: true } : {};
		return [{ id, slot, width, rows, ...this.#focusOf(component), ...terminal }];
	}

	#editorView(): ComponentView[] {
		const { component } = this.#editor;
		if (!component) return [];
		return this.#view("editor", "editor", component).map((view) => ({ ...view, text: this.#editor.text }));
	}

	#overlays(): ComponentView[] {
		try {
			return this.#tui.overlays().map(({ component, row, column, width, rows }) => ({
				id: this.#idOf(component),
				slot: "overlay" as const,
				width,
				rows,
				at: { row, column },
				...this.#focusOf(component),
			}));
		} catch (error) {
			// One that an extension has put there itself, and nothing guards.
			log.error("an overlay of an extension failed", { reason: String(error) });
			this.#tui.hideOverlays();
			return [];
		}
	}

	#focusOf(component: Component): Pick<ComponentView, "isFocused" | "wantsKeyRelease"> {
		const { focused } = this.#tui;
		if (focused === null || !holds(component, focused)) return {};
		return focused.wantsKeyRelease === true
			? { isFocused: true, wantsKeyRelease: true }
			: { isFocused: true };
	}

	#idOf(component: Component): string {
		const id = this.#ids.get(component) ?? `component-${++this.#made}`;
		this.#ids.set(component, id);
		return id;
	}

	#draw<T>(work: () => T): T {
		return this.#parts.draw(this, work);
	}
}

function holds(component: Component, searched: Component): boolean {
	if (component === searched || component.wrapped === searched) return true;
	const { children } = component as { children?: readonly Component[] };
	return Array.isArray(children) && children.some((child: Component) => holds(child, searched));
}
