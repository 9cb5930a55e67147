/** What extensions can show and ask in the interactive mode. What one session's have shown goes with that session. */
import {
	guarded,
	type AutocompleteProvider,
	type Component,
	type Guarded,
	type Theme,
	type TUI,
} from "@tau/tui";
import { log, stripControls } from "@tau/utils";
import {
	askAll,
	type AskDialogQuestion,
	type AskDialogResult,
	type AutocompleteFactory,
	type ComponentFactory,
	type CustomFactory,
	type CustomOptions,
	type DialogOptions,
	type EditorFactory,
	type ExtensionUI,
	type FooterData,
	type FooterFactory,
	type NotifyType,
	type SelectItem,
	type TerminalInputHandler,
	type WidgetOptions,
	type WorkingIndicatorOptions,
} from "@tau/extensions/ui";
import { useScreenTheme } from "@tau/compat";
import type { AnswerOf, Dialog } from "@tau/wire";
import type { AskUser } from "@tau/tools/tool";

import { completionFor } from "../completion.ts";
import type { InteractiveHost } from "../host.ts";
import { liveEditorTheme, type Screen } from "../screen.ts";
import type { Slot } from "../views/slot.ts";
import { showCustom } from "./custom-view.ts";
import { limits } from "./limits.ts";
import { Widgets } from "./widgets.ts";

/** The part of the interactive mode that is needed here. */
export interface UIHost extends InteractiveHost {
	setTitle(title: string | undefined): void;
}

export class ScreenUI implements ExtensionUI, Disposable {
	readonly #screen: Screen;
	readonly #host: UIHost;
	readonly #widgets: Widgets;
	readonly #statuses = new Map<string, string>();
	readonly #listeners = new Set<() => void>();
	readonly #open = new Set<() => void>();
	readonly #placed = new Map<Slot, Guarded>();
	readonly #branchListeners = new Set<() => void>();
	#completions: AutocompleteFactory[] = [];
	#editorFactory: EditorFactory | undefined;
	#isGone = false;
	readonly theme: Theme;
	readonly timeoutStartsOnPresentation = true;

	constructor(screen: Screen, host: UIHost) {
		this.#screen = screen;
		this.#host = host;
		this.theme = liveTheme(screen.theme);
		useScreenTheme(this.theme);
		this.#widgets = new Widgets(screen, this.theme);
	}

	async select(title: string, items: SelectItem[], how?: DialogOptions): Promise<string | undefined> {
		// Extensions are not always typed: a number can be chosen, too.
		const options = items.map((item) => String(typeof item === "object" ? item.label : item));
		const descriptions = items.map((item) => (typeof item === "object" ? (item.description ?? null) : null));
		return this.#text({ method: "select", title, options, descriptions }, how);
	}

	async confirm(title: string, message: string, how?: DialogOptions): Promise<boolean> {
		const answer = await this.#ask({ method: "confirm", title, message }, how);
		return answer !== undefined && "confirmed" in answer && answer.confirmed;
	}

	async input(title: string, placeholder?: string, how?: DialogOptions): Promise<string | undefined> {
		return this.#text({ method: "input", title, placeholder }, how);
	}

	async editor(title: string, prefill = "", how?: DialogOptions): Promise<string | undefined> {
		return this.#text({ method: "editor", title, prefill }, how);
	}

	async askDialog(questions: AskDialogQuestion[], how?: DialogOptions): Promise<AskDialogResult | undefined> {
		const { requests } = this.#host.sessionHost;
		const ask: AskUser = async (asked, signal) =>
			(await requests.ask("questions", { questions: asked }, { signal }))?.answers;
		return await askAll(ask, questions, how);
	}

	async #ask(
		dialog: Dialog,
		{ signal, timeout }: DialogOptions = {},
	): Promise<AnswerOf<"dialog"> | undefined> {
		const { requests } = this.#host.sessionHost;
		// The time runs from when the dialog is shown, and the dialog shows what is left of it.
		return requests.ask("dialog", { dialog: { ...dialog, timeout } }, { signal });
	}

	async #text(dialog: Dialog, how?: DialogOptions): Promise<string | undefined> {
		const answer = await this.#ask(dialog, how);
		return answer && "value" in answer ? answer.value : undefined;
	}

	async custom<T>(factory: CustomFactory<T>, options?: CustomOptions): Promise<T> {
		const { tui, keys, slot } = this.#screen;
		return await showCustom({ tui, keys, slot, theme: this.theme, open: this.#open }, factory, options);
	}

	notify(message: string, type: NotifyType = "info"): void {
		this.#host.notify(message, type);
	}

	setStatus(key: string, text: string | undefined): void {
		if (text === undefined) this.#statuses.delete(key);
		else this.#statuses.set(key, text);
		this.#host.status(`extension ${key}`, text);
	}

	setWidget(key: string, content: string[] | ComponentFactory | undefined, options?: WidgetOptions): void {
		this.#widgets.set(key, content, options);
	}

	setFooter(factory: FooterFactory | undefined): void {
		const make = factory && ((tui: TUI, theme: Theme) => factory(tui, theme, this.#footerData()));
		this.#fill(this.#screen.footer, "footer", make);
	}

	setHeader(factory: ComponentFactory | undefined): void {
		this.#fill(this.#screen.header, "header", factory);
	}

	setTitle(title: string): void {
		// The terminal is the shell's again; others draw nothing then by themselves.
		if (!this.#isGone) this.#host.setTitle(title);
	}

	setWorkingMessage(message?: string): void {
		this.#screen.status.words =
			message === undefined ? undefined : stripControls(message, { newline: false });
		this.#draw();
	}

	setWorkingVisible(visible: boolean): void {
		this.#screen.status.isHidden = !visible;
		this.#draw();
	}

	setWorkingIndicator(options?: WorkingIndicatorOptions): void {
		const { frames, intervalMs = limits.indicatorMs } = options ?? {};
		this.#screen.status.indicator = frames && {
			frames: frames.length > 0 ? frames : [""],
			intervalMs: Math.max(1, intervalMs),
		};
		this.#draw();
	}

	setHiddenThinkingLabel(label?: string): void {
		this.#screen.thinkingLabel = label === undefined ? undefined : stripControls(label, { newline: false });
		this.#screen.tui.invalidate();
		this.#draw();
	}

	setEditorText(text: string): void {
		this.#screen.editor.setText(text);
		this.#draw();
	}

	getEditorText(): string {
		return this.#screen.editor.getExpandedText();
	}

	pasteToEditor(text: string): void {
		this.#screen.editor.handleInput(`\x1b[200~${text}\x1b[201~`);
		this.#draw();
	}

	setEditorComponent(factory: EditorFactory | undefined): void {
		const { editor, tui, theme, keys } = this.#screen;
		const component = factory?.(tui, liveEditorTheme(theme), keys);
		this.#editorFactory = factory;
		editor.setReplacement(component);
	}

	getEditorComponent(): EditorFactory | undefined {
		return this.#editorFactory;
	}

	addAutocompleteProvider(factory: AutocompleteFactory): void {
		this.#completions.push(factory);
		this.#complete();
	}

	onTerminalInput(handler: TerminalInputHandler): () => void {
		const stop = this.#screen.tui.addInputListener((data) => {
			try {
				return handler(data);
			} catch (error) {
				// One failure is enough to remove the listener, because it receives every key.
				forget();
				this.#screen.trouble("An extension's key listener", error);
				return undefined;
			}
		});
		const forget = (): void => {
			this.#listeners.delete(forget);
			stop();
		};
		this.#listeners.add(forget);
		return forget;
	}

	getAllThemes(): { name: string; path: string | undefined }[] {
		const themes = this.#screen.theme.list().filter(({ name }) => name !== "auto");
		return themes.map(({ name, path }) => ({ name, path }));
	}

	getTheme(name: string): Theme | undefined {
		return this.#screen.theme.load(name);
	}

	setTheme(theme: string | Theme): { success: boolean; error?: string } {
		if (typeof theme !== "string") {
			// What was given out by `theme` is the current theme already.
			if (theme !== this.theme) this.#screen.theme.use(theme);
			return { success: true };
		}
		const change = this.#screen.theme.set(theme);
		return change.ok ? { success: true } : { success: false, error: change.message };
	}

	getToolsExpanded(): boolean {
		return this.#host.expandTools;
	}

	setToolsExpanded(expanded: boolean): void {
		this.#host.expandTools = expanded;
	}

	/** Restores the state from before any extension. */
	reset(): void {
		this.#letGo();
		for (const key of this.#statuses.keys()) this.setStatus(key, undefined);
		this.#host.setTitle(undefined);
		this.setWorkingMessage();
		this.setWorkingVisible(true);
		this.setWorkingIndicator();
		this.setHiddenThinkingLabel();
		if (this.#editorFactory) this.setEditorComponent(undefined);
		if (this.#completions.length === 0) return;
		this.#completions = [];
		this.#complete();
	}

	[Symbol.dispose](): void {
		this.#isGone = true;
		this.#letGo();
	}

	/** Everything that may wait, listen or have its own timer. */
	#letGo(): void {
		for (const leave of this.#open) leave();
		for (const forget of this.#listeners) forget();
		this.#widgets.clear();
		for (const slot of this.#placed.keys()) this.#fill(slot, "", undefined);
		for (const listener of this.#branchListeners) this.#screen.branchListeners.delete(listener);
		this.#branchListeners.clear();
	}

	#fill(slot: Slot, name: string, factory: ComponentFactory | undefined): void {
		this.#placed.get(slot)?.dispose();
		this.#placed.delete(slot);
		const component: Component | undefined = factory?.(this.#screen.tui, this.theme);
		const guard = component && guarded(component, { name, theme: this.theme });
		if (guard) this.#placed.set(slot, guard);
		slot.set(guard);
		this.#draw();
	}

	#footerData(): FooterData {
		const { facts, branchListeners } = this.#screen;
		return {
			getGitBranch: () => facts.git?.branch ?? null,
			getExtensionStatuses: () => this.#statuses,
			getAvailableProviderCount: () =>
				new Set(this.#host.models.available().map(({ provider }) => provider)).size,
			onBranchChange: (callback) => {
				this.#branchListeners.add(callback);
				branchListeners.add(callback);
				return () => {
					this.#branchListeners.delete(callback);
					branchListeners.delete(callback);
				};
			},
		};
	}

	/** Each provider takes precedence over earlier ones; one that cannot be created is left out. */
	#complete(): void {
		let provider: AutocompleteProvider = completionFor(this.#host);
		for (const factory of this.#completions) {
			try {
				provider = factory(provider);
			} catch (error) {
				log.error("a completion of an extension failed", { reason: String(error) });
			}
		}
		this.#screen.editor.setAutocompleteProvider(provider);
	}

	#draw(): void {
		this.#screen.tui.requestRender();
	}
}

/** The theme object for extensions: one that is stored still draws with the current colors. */
export function liveTheme(store: { readonly current: Theme }): Theme {
	return new Proxy(store.current, {
		get(_, name) {
			const { current } = store;
			const member: unknown = Reflect.get(current, name, current);
			return typeof member === "function" ? member.bind(current) : member;
		},
	});
}
