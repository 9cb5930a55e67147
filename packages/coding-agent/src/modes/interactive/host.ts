/** What everything on the screen works with: commands, dialogs and views know the interactive mode only as this. */
import type { CredentialStore, Model, ThinkingLevel } from "@tau/ai";
import type {
	Component,
	Editor,
	KeybindingsManager,
	OverlayHandle,
	OverlayOptions,
	TranscriptBlock,
	TUI,
} from "@tau/tui";
import type { SessionMachine } from "@tau/extensions/assembly";
import type { Extensions } from "@tau/extensions/host";
import type { McpManager, McpPrompt, McpResource } from "@tau/extensions/mcp";
import type { Resources } from "@tau/extensions/resources";
import type { AgentSession, SessionManager } from "@tau/session";
import type { ModelRegistry, UsableModels } from "@tau/session/models";
import type { AnswerOf, SessionHost, SessionMove, UserRequestOf } from "@tau/session/host";
import type { ApprovalMode } from "@tau/session/policy";
import type { Settings } from "@tau/session/settings";
import type { AskUser, ToolEnv } from "@tau/tools/tool";

import type { DoctorReport } from "../shared/doctor-report.ts";
import type { SlashCommand } from "./commands/command.ts";
import type { Moved } from "./leaving.ts";
import type { ThemeStore } from "./theme-store.ts";
import type { ViewContext } from "./views/view-context.ts";

export type NoticeLevel = "info" | "warning" | "error" | "success";

export interface InteractiveHost {
	readonly tui: TUI;
	readonly theme: ThemeStore;
	readonly keys: KeybindingsManager;
	/** What blocks of a transcript are drawn with. */
	readonly viewContext: ViewContext;
	/** The current session: ask for it each time, it may be exchanged. */
	readonly session: AgentSession;
	readonly log: SessionManager;
	readonly settings: Settings;
	readonly registry: ModelRegistry;
	readonly models: UsableModels;
	readonly credentials: CredentialStore;
	readonly editor: Editor;
	/** All commands there are now, and of them those of extensions and what can be called by name. */
	readonly commands: { readonly all: readonly SlashCommand[]; readonly added: readonly SlashCommand[] };
	/** The extension events before and after a navigation in the session tree. */
	readonly treeExtensions: Pick<Extensions, "beforeTree" | "afterTree"> | undefined;
	/** The machine that the session works on, and how to choose another one; absent where there is no choice. */
	readonly machine: SessionMachine | undefined;
	/** The MCP servers, found when they are needed; absent in a run without them. */
	readonly mcp: (() => Promise<McpManager>) | undefined;
	/** The prompts and resources of MCP servers that are ready: read them each time. */
	readonly mcpOffers:
		{ readonly prompts: readonly McpPrompt[]; readonly resources: readonly McpResource[] } | undefined;
	/** Examines the machine and the project; absent where the program that opened the session cannot. */
	readonly doctor: (() => Promise<DoctorReport>) | undefined;
	/** Skills and templates that can be called by name. */
	readonly resources: Resources | undefined;
	/** How long extensions took to load, and which could not be. */
	readonly loadedExtensions: Pick<Extensions, "times" | "problems"> | undefined;
	/** The owner of the session: everything that changes or moves it goes through here. */
	readonly sessionHost: SessionHost;
	/** Where the tools of the current session work, with what they keep between calls. */
	readonly env: ToolEnv;
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
	/** The user has chosen something: a request that this opens takes the keys, unless another key comes first. */
	expectRequest(): void;

	/** Draws the conversation anew from the log, as after a step to another branch. */
	redrawSession(): void;
	setModel(model: Model): void;
	setThinking(level: ThinkingLevel): void;
	/** Asks for a yes before `full`. Resolves with whether the mode was set. */
	setApprovalMode(mode: ApprovalMode): Promise<boolean>;
	/** Reads settings, keys, themes, skills, templates and extensions again. Resolves with what is wrong with them. */
	reload(): Promise<string[]>;
	/** Moves to another session or entry; asks first if background jobs run. Undefined if somebody objects. */
	move(to: SessionMove): Promise<Moved | undefined>;
	quit(code?: number): void;
	/** Quits; while background jobs run, only when it is called a second time. */
	leave(): void;
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
