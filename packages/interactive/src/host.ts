/** What everything on the screen works with: commands, dialogs and views know the interactive mode only as this. */
import type { ThinkingLevel } from "@tau/ai";
import type {
	Component,
	Editor,
	KeybindingsManager,
	OverlayHandle,
	OverlayOptions,
	TranscriptBlock,
	TUI,
} from "@tau/tui";
import type { Settings } from "@tau/config/settings";
import type { AskUser } from "@tau/tools/tool";
import type { AnswerOf, ApprovalMode, SessionClient, UserRequestOf } from "@tau/wire";

import type { SlashCommand } from "./commands/command.ts";
import type { Ide } from "./ide/ide.ts";
import type { LocalMembers } from "./local-parts.ts";
import type { ThemeStore } from "./theme-store.ts";
import type { ViewContext } from "./views/view-context.ts";

export type NoticeLevel = "info" | "warning" | "error" | "success";

/** The members of `LocalMembers` are for what still works on the objects of a session: an attached one has none. */
export interface InteractiveHost extends Pick<LocalMembers, keyof LocalMembers> {
	/** What is drawn, and everything that changes the session. */
	readonly client: SessionClient;
	readonly tui: TUI;
	readonly theme: ThemeStore;
	readonly keys: KeybindingsManager;
	/** What blocks of a transcript are drawn with. */
	readonly viewContext: ViewContext;
	/** Those of this process: what they say about the screen applies to it. */
	readonly settings: Settings;
	readonly editor: Editor;
	/** The editor program beside this terminal, if one is connected. */
	readonly ide: Ide;
	/** All commands there are now, and of them those of extensions and what can be called by name. */
	readonly commands: { readonly all: readonly SlashCommand[]; readonly added: readonly SlashCommand[] };
	readonly cwd: string;
	/** Whether the user trusts the project in `cwd`: read it each time, the answer can change. */
	readonly isTrusted: boolean;
	/** A prompt is being answered. */
	readonly isBusy: boolean;
	/** Results of tools are shown whole. Setting it draws what is not in the terminal's history anew. */
	expandTools: boolean;
	/** Whether expanding would show more of the last turn. */
	canExpandTools(): boolean;
	/** Thinking is shown. Setting it draws what is not in the terminal's history anew. */
	showThinking: boolean;

	/** Shows a notice in the transcript, once. */
	notify(text: string, level?: NoticeLevel): void;
	/** Adds a block to the transcript. */
	print(block: TranscriptBlock): void;
	/** Shows the text above the next thing that is printed, unless nothing is until it is disposed of. */
	echo(text: string): Disposable;
	/** A short text in the footer that stays until it is removed. */
	status(key: string, text: string | undefined): void;
	/** The whole todo list was printed: its panel shrinks to one row. */
	todoPrinted(): void;
	/** Sends a prompt to the model, or queues it while the model answers. */
	prompt(text: string): void;
	/** Replaces the editor and gets the keys; Escape closes it unless it handles Escape itself. */
	showInEditor(component: Component, options?: InEditorOptions): Closable;
	showOverlay(component: Component, options?: OverlayOptions): OverlayHandle;
	readonly ask: Dialogs;
	/** Something besides the editor has the keys. */
	readonly isTaken: boolean;
	/** The user has chosen something: a request that this opens takes the keys, unless another key comes first. */
	expectRequest(): void;

	setModel(model: { readonly provider: string; readonly id: string }): void;
	setThinking(level: ThinkingLevel): void;
	/** The user has said yes to `full` in this session. */
	readonly mayBeFull: boolean;
	/** Asks for a yes before `full`. Resolves with whether the mode was set. */
	setApprovalMode(mode: ApprovalMode): Promise<boolean>;
	/** Reads settings, keys, themes, skills, templates and extensions again. Resolves with what is wrong with them. */
	reload(): Promise<string[]>;
	quit(code?: number): void;
	/** Quits; while background jobs run, only when it is called a second time. With others attached, it asks first. */
	leave(): void;
	/**
	 * Leaves the terminal; the session continues in the background, or in this terminal in another directory. Rejects with
	 * the reason where it cannot.
	 */
	detach(directory?: string): Promise<void>;
}

export interface Closable {
	close(): void;
	/** Resolves when it was closed, by whomever. */
	readonly closed: Promise<void>;
}

export interface InEditorOptions {
	/** Called when Escape closes it. */
	onCancel?(): void;
	/** Not opened by the user: while the user is typing, it waits for its own key before it gets any others. */
	isRequest?: boolean;
	/** The user writes in it: what opens meanwhile must not take the keys. */
	takesText?: boolean;
	/** A request that is answered with digits, arrows and Enter: letters typed into it go to the editor. */
	isChoice?: boolean;
}

export interface Choice {
	value: string;
	label: string;
	description?: string;
}

export interface DialogOptions {
	signal?: AbortSignal;
	/** The dialog closes unanswered after this time; the rest of it is shown. */
	timeoutMs?: number;
	/** Markdown above the title. */
	about?: string;
	/** The choice that is selected at first. */
	selected?: string;
	/** Called with the choice that the user moves to. */
	onMove?(value: string): void;
	/** See `InEditorOptions.isRequest`. */
	isRequest?: boolean;
	/** Goes back to the previous of several questions; the dialog closes without an answer. */
	onBack?: () => void;
}

/** Each dialog resolves with undefined when the user cancels it or the signal aborts. */
export interface Dialogs {
	select(title: string, choices: readonly Choice[], options?: DialogOptions): Promise<string | undefined>;
	confirm(title: string, message?: string, options?: DialogOptions): Promise<boolean | undefined>;
	input(
		title: string,
		options?: DialogOptions & { placeholder?: string; initial?: string; secret?: boolean },
	): Promise<string | undefined>;
	/** A text of several lines. */
	editor(title: string, options?: DialogOptions & { initial?: string }): Promise<string | undefined>;
	/** May this tool call run? */
	approval(
		request: UserRequestOf<"approval">,
		signal: AbortSignal,
	): Promise<AnswerOf<"approval"> | undefined>;
	/** The questions of the tool `ask`. */
	readonly questions: AskUser;
}
