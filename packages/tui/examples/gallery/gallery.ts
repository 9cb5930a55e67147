/** The gallery on a screen: tabs at the top, a page between two lines, key hints at the bottom. */
import {
	builtinTheme,
	builtinThemeNames,
	DynamicBorder,
	hintLine,
	isFocusable,
	matchesKey,
	rawKeyHint,
	ScrollView,
	Spacer,
	StatusLine,
	Tabs,
	truncateToWidth,
	VStack,
	type BuiltinThemeName,
	type ColorMode,
	type Component,
	type Focusable,
	type Theme,
} from "@tau/tui";

import { pages } from "./pages.ts";
import type { OpenPage, GalleryContext } from "./gallery-context.ts";

/** Tabs, two lines, an empty row and the status line. */
const frameRows = 5;

export interface GalleryOptions {
	themeName: BuiltinThemeName;
	mode: ColorMode;
	ui: GalleryContext["ui"];
	showOverlay: GalleryContext["showOverlay"];
	onQuit(): void;
}

export class Gallery implements Component, Focusable {
	readonly #options: GalleryOptions;
	#themeName: BuiltinThemeName;
	#theme: Theme;
	#tabs: Tabs;
	#page: OpenPage;
	#frame: Component;
	#view: ScrollView;
	#focused = false;

	constructor(options: GalleryOptions) {
		this.#options = options;
		this.#themeName = options.themeName;
		this.#theme = builtinTheme(options.themeName, options.mode);
		this.#tabs = new Tabs(pages, this.#theme);
		[this.#page, this.#view, this.#frame] = this.#open();
	}

	get children(): readonly Component[] {
		return [this.#frame];
	}

	get focused(): boolean {
		return this.#focused;
	}

	set focused(focused: boolean) {
		this.#focused = focused;
		const target = this.#page.target ?? null;
		if (isFocusable(target)) target.focused = focused;
	}

	render(width: number): string[] {
		return this.#frame.render(width);
	}

	invalidate(): void {
		this.#frame.invalidate();
	}

	handleInput(data: string): void {
		const { takes, target } = this.#page;
		const hasText = takes === "text";
		if (matchesKey(data, "ctrl+c") || (!hasText && matchesKey(data, "q"))) return this.#options.onQuit();
		if (matchesKey(data, "ctrl+t") || (!hasText && matchesKey(data, "t"))) return this.#nextTheme();
		const isSideways = matchesKey(data, "left") || matchesKey(data, "right");
		if (!(takes !== undefined && isSideways) && this.#tabs.handleKey(data)) return this.#show();
		if (target?.handleInput === undefined) this.#view.handleKey(data);
		else target.handleInput(data);
	}

	setTheme(name: BuiltinThemeName): void {
		this.#themeName = name;
		this.#theme = builtinTheme(name, this.#options.mode);
		const { open } = this.#tabs;
		this.#tabs = new Tabs(pages, this.#theme);
		if (open) this.#tabs.select(open.id);
		this.#show();
	}

	close(): void {
		this.#page.close?.();
	}

	#nextTheme(): void {
		const at = builtinThemeNames.indexOf(this.#themeName);
		this.setTheme(builtinThemeNames[(at + 1) % builtinThemeNames.length] ?? "dark");
	}

	#show(): void {
		this.close();
		[this.#page, this.#view, this.#frame] = this.#open();
		this.focused = this.#focused;
		this.#options.ui.requestRender();
	}

	#open(): [OpenPage, ScrollView, Component] {
		const { ui, showOverlay } = this.#options;
		const theme = this.#theme;
		const open = pages.find(({ id }) => id === this.#tabs.open?.id) ?? pages[0];
		if (open === undefined) throw new Error("A gallery has pages.");
		const page = open.open({ theme, ui, showOverlay });
		const height = (): number => Math.max(1, ui.terminal.rows - frameRows);
		const view = new ScrollView(page.body, theme, { height });
		const line = new DynamicBorder((text) => theme.fg("borderMuted", text));
		const body = filledTo(view, height);
		return [page, view, new VStack([this.#tabs, line, new Spacer(), body, line, this.#status(page)])];
	}

	#status({ takes }: OpenPage): Component {
		const theme = this.#theme;
		const hasText = takes === "text";
		const hints = hintLine(theme, [
			rawKeyHint(theme, takes === undefined ? "tab/←→" : "tab", "pages"),
			rawKeyHint(theme, hasText ? "ctrl+t" : "t", "theme"),
			rawKeyHint(theme, hasText ? "ctrl+c" : "q", "quit"),
		]);
		return new StatusLine(theme, () => ({
			left: [{ text: hints, priority: 1 }],
			right: [{ text: theme.fg("accent", theme.name) }],
		}));
	}
}

/** Fills the component to the given height, so that the rows below it do not move. */
function filledTo(component: Component, height: () => number): Component & { children: Component[] } {
	return {
		children: [component],
		invalidate: () => component.invalidate(),
		render: (width) => {
			const rows = component.render(width).map((row) => truncateToWidth(row, width));
			return [...rows, ...Array.from({ length: Math.max(0, height() - rows.length) }, () => "")];
		},
	};
}
