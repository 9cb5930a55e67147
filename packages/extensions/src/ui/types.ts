/** What an extension can show and ask. Each mode has its own implementation; the names are pi's. */
import type {
	AutocompleteProvider,
	Component,
	EditorComponent,
	EditorTheme,
	KeybindingsManager,
	OverlayHandle,
	OverlayOptions,
	Theme,
	TUI,
} from "@tau/tui";

export interface DialogOptions {
	/** Closes the dialog as unanswered. */
	signal?: AbortSignal;
	/** Milliseconds; the rest is shown, and then the dialog closes unanswered. */
	timeout?: number;
}

/** The result is the label; omp has a description beside it. */
export type SelectItem = string | { label: string; description?: string };

export interface AskDialogQuestion {
	id: string;
	question: string;
	header?: string;
	options: { label: string; description?: string }[];
	/** Several options may be chosen. */
	multi?: boolean;
	/** The position of the option that is proposed. */
	recommended?: number;
}

export interface AskDialogResult {
	kind: "submit";
	results: {
		id: string;
		question: string;
		options: string[];
		multi: boolean;
		selectedOptions: string[];
		/** The text that the user wrote in addition to the options. */
		customInput?: string;
	}[];
}

export type WidgetPlacement = "aboveEditor" | "belowEditor";

export interface WidgetOptions {
	/** The default is above the editor. */
	placement?: WidgetPlacement;
}

export type NotifyType = "info" | "warning" | "error";

/** Receives terminal input before all other handlers; `data` replaces it. */
export type TerminalInputHandler = (data: string) => { consume?: boolean; data?: string } | undefined;

export interface WorkingIndicatorOptions {
	/** An empty list hides it. Lines are shown unchanged, including colors. */
	frames?: string[];
	intervalMs?: number;
}

/** The methods of a theme; without a screen, a theme without colors is used. */
export type ThemeFace = { [K in keyof Theme]: Theme[K] };

type Owned = Component & { dispose?(): void };
export type ComponentFactory = (tui: TUI, theme: Theme) => Owned;
export type FooterFactory = (tui: TUI, theme: Theme, data: FooterData) => Owned;
export type EditorFactory = (tui: TUI, theme: EditorTheme, keys: KeybindingsManager) => EditorComponent;
export type AutocompleteFactory = (current: AutocompleteProvider) => AutocompleteProvider;
export type CustomFactory<T> = (
	tui: TUI,
	theme: Theme,
	keys: KeybindingsManager,
	done: (result: T) => void,
) => Owned | Promise<Owned>;

/** What a footer of an extension can show besides `ctx`. */
export interface FooterData {
	getGitBranch(): string | null;
	/** The values set by `setStatus`, by key. */
	getExtensionStatuses(): ReadonlyMap<string, string>;
	getAvailableProviderCount(): number;
	/** Gives the way to stop listening. */
	onBranchChange(callback: () => void): () => void;
}

export interface CustomOptions {
	overlay?: boolean;
	overlayOptions?: OverlayOptions | (() => OverlayOptions);
	onHandle?(handle: OverlayHandle): void;
}

/**
 * The UI for extensions, which the interactive mode implements in full. Dialogs resolve with undefined when the user
 * cancels, when the time is up, or when the signal aborts.
 */
export interface ExtensionUI {
	select(title: string, options: SelectItem[], how?: DialogOptions): Promise<string | undefined>;
	confirm(title: string, message: string, how?: DialogOptions): Promise<boolean>;
	input(title: string, placeholder?: string, how?: DialogOptions): Promise<string | undefined>;
	editor(title: string, prefill?: string, how?: DialogOptions): Promise<string | undefined>;
	/** omp's: asks several questions in turn, with choices or free text; undefined if the user cancels. */
	askDialog(questions: AskDialogQuestion[], how?: DialogOptions): Promise<AskDialogResult | undefined>;
	/** omp's: the timeout of a dialog starts when it is shown. */
	readonly timeoutStartsOnPresentation: boolean;
	/** A component with focus, in place of the editor or as an overlay, until it calls `done`. */
	custom<T>(factory: CustomFactory<T>, options?: CustomOptions): Promise<T>;

	notify(message: string, type?: NotifyType): void;
	/** A short text in the footer; without a text it is removed. */
	setStatus(key: string, text: string | undefined): void;
	setWidget(key: string, content: string[] | ComponentFactory | undefined, options?: WidgetOptions): void;
	/** Without a factory the built-in one is back. */
	setFooter(factory: FooterFactory | undefined): void;
	setHeader(factory: ComponentFactory | undefined): void;
	setTitle(title: string): void;
	/** Sets the text beside the working indicator; without a text, restores the previous one. */
	setWorkingMessage(message?: string): void;
	setWorkingVisible(visible: boolean): void;
	setWorkingIndicator(options?: WorkingIndicatorOptions): void;
	/** Sets the label that replaces hidden thinking. */
	setHiddenThinkingLabel(label?: string): void;

	setEditorText(text: string): void;
	getEditorText(): string;
	/** As a paste: a long text becomes a marker. */
	pasteToEditor(text: string): void;
	setEditorComponent(factory: EditorFactory | undefined): void;
	getEditorComponent(): EditorFactory | undefined;
	addAutocompleteProvider(factory: AutocompleteFactory): void;
	/** Gives the way to stop listening. */
	onTerminalInput(handler: TerminalInputHandler): () => void;

	readonly theme: ThemeFace;
	getAllThemes(): { name: string; path: string | undefined }[];
	getTheme(name: string): Theme | undefined;
	setTheme(theme: string | Theme): { success: boolean; error?: string };

	/** Whether results of tools are shown whole. */
	getToolsExpanded(): boolean;
	setToolsExpanded(expanded: boolean): void;
}
