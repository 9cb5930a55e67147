/** The interactive mode: a session on a screen. It wires the parts together and is what commands see of them. */
import type { CredentialStore, Model, ThinkingLevel } from "@tau/ai";
import {
	onHighlighterReady,
	type Component,
	type Editor,
	type KeybindingsManager,
	type OverlayHandle,
	type OverlayOptions,
	type TranscriptBlock,
	type TUI,
} from "@tau/tui";
import type { Extensions } from "@tau/extensions/host";
import type { Resources } from "@tau/extensions/resources";
import type { AgentSession, CustomEntry, Prompt, SessionEvent, SessionManager } from "@tau/session";
import type { ModelRegistry, UsableModels } from "@tau/session/models";
import type { SessionHost, SessionMove } from "@tau/session/host";
import type { ApprovalMode } from "@tau/session/policy";
import type { Settings } from "@tau/session/settings";
import type { ToolEnv } from "@tau/tools/tool";
import { ActivityFollower } from "./activity.ts";
import { Attention, attentionSettings } from "./attention.ts";
import { calledCommands, serverPrompts } from "./commands/called.ts";
import { CommandTable } from "./commands/table.ts";
import { ConversationView } from "./conversation-view.ts";
import { dialogsIn } from "./dialogs.ts";
import { StatusModel } from "./status-model.ts";
import { GitStatus } from "./git-status.ts";
import { entryKind, entryMessage } from "./entry-message.ts";
import { pastOf } from "./history.ts";
import type { Closable, Dialogs, InEditorOptions, InteractiveHost, NoticeLevel } from "./host.ts";
import { loadKeys } from "./keys.ts";
import { Leaving, type Moved } from "./leaving.ts";
import { LiveViewContext } from "./live-view-context.ts";
import { isExit, PromptInput } from "./prompt-input.ts";
import { RequestDialogs } from "./request-dialogs.ts";
import { terminalViewer } from "./terminal-viewer.ts";
import type { Screen } from "./screen.ts";
import type { ThemeStore } from "./theme-store.ts";
import type { TextTransforms, FindMessageRenderer, FindRenderer } from "./tool-view.ts";
import { UserCommands } from "./user-commands.ts";
import { DividerView } from "./views/divider.ts";
import { CommandEcho } from "./views/echo.ts";
import { plural } from "./views/format.ts";
import { SessionStartView } from "./views/welcome.ts";
import { customView, pastBlocks } from "./views/message-views.ts";
import { isTrusted } from "@tau/extensions/trust";

export interface InteractiveParts {
	host: SessionHost;
	/** The environment of the tools of the session of the moment. */
	env(): ToolEnv;
	extensions?: Pick<Extensions, "beforeTree" | "afterTree" | "times" | "problems"> | undefined;
	/** The machine that the session works on. */
	machine?: InteractiveHost["machine"];
	mcp?: InteractiveHost["mcp"];
	/** What MCP servers that are ready offer to the user. */
	mcpOffers?: InteractiveHost["mcpOffers"];
	doctor?: InteractiveHost["doctor"];
	/** Skills and templates, as they were found last. */
	resources: { readonly current: Resources | undefined; find(): Promise<void> };
	settings: Settings;
	registry: ModelRegistry;
	credentials: CredentialStore;
	/** The directory of keys, themes and drafts. */
	agentDir: string;
	draftsDir: string;
	/** The directory of the prompts of earlier sessions. */
	historyDir: string;
	/** Notices for the user that are shown before the first prompt. */
	notices: readonly string[];
	/** What was read for the model, for the welcome. */
	loaded: readonly string[];
	/** The renderers of tools. */
	findRenderer: FindRenderer;
	/** The renderers of extensions for their messages. */
	findMessageRenderer: FindMessageRenderer;
	/** The text transforms of extensions. */
	transforms: TextTransforms;
}

export class InteractiveMode implements InteractiveHost, AsyncDisposable {
	readonly #screen: Screen;
	readonly #parts: InteractiveParts;
	readonly viewContext: LiveViewContext;
	readonly #owned = new DisposableStack();
	readonly #view: ConversationView;
	readonly #activity: ActivityFollower;
	readonly #attention: Attention;
	readonly #status: StatusModel;
	readonly #git: GitStatus;
	readonly #shell: UserCommands;
	readonly #echo: CommandEcho;
	readonly #input: PromptInput;
	readonly #leaving: Leaving;
	readonly #ended = Promise.withResolvers<number>();
	readonly commands: CommandTable;
	readonly ask: Dialogs;
	readonly machine: InteractiveHost["machine"];
	readonly mcp: InteractiveHost["mcp"];
	readonly doctor: InteractiveHost["doctor"];

	constructor(screen: Screen, parts: InteractiveParts) {
		const { settings, host } = parts;
		this.#screen = screen;
		this.#parts = parts;
		this.machine = parts.machine;
		this.mcp = parts.mcp;
		this.doctor = parts.doctor;
		const view = new LiveViewContext(screen, () => this.cwd, parts, {
			expandTools: false,
			showThinking: settings.get("thinking.show"),
		});
		this.viewContext = view;
		this.#echo = new CommandEcho(view);
		const now = (): number => screen.animation.now();
		this.ask = dialogsIn(screen);
		this.commands = new CommandTable(this);
		this.#view = new ConversationView(view, screen.transcript, this.#echo);
		this.#activity = new ActivityFollower(now, (activity) => screen.status.set(activity));
		screen.status.awaitedMs = () => host.work.jobs.awaitedMs();
		this.#attention = new Attention(screen.terminal, () => attentionSettings(settings), now);
		this.#git = this.#owned.use(
			new GitStatus({
				cwd: () => this.cwd,
				env: process.env,
				isTrusted: () => this.isTrusted,
				journal: () => parts.env().journal,
				onChange: (git) => this.#status.setGit(git),
			}),
		);
		this.#status = this.#owned.use(new StatusModel(screen, host, settings, () => parts.env()));
		this.#owned.use(host.subscribe((event) => this.#onEvent(event)));
		this.#owned.use(host.onReplaced(() => this.redrawSession()));
		this.#owned.use(host.requests.subscribe((event) => this.#attention.onRequest(event)));
		const terminals = terminalViewer(screen, this.#attention);
		this.#owned.use(host.requests.connect(new RequestDialogs(host.requests, this.ask, terminals)));
		this.#shell = new UserCommands({
			viewContext: view,
			view: this.#view,
			host,
			onEnd: () => {
				this.#git.touch();
				this.#status.refresh();
			},
		});
		this.#leaving = new Leaving({
			host,
			ask: this.ask,
			notify: (text, level) => this.notify(text, level),
			quit: () => this.quit(),
		});
		this.#input = this.#owned.use(this.#newInput());
		this.#follow();
		this.#owned.use(this.commands.addSource(() => calledCommands(this.resources)));
		this.#owned.use(this.commands.addSource(() => serverPrompts(this.mcpOffers?.prompts ?? [])));
	}

	/** Shows what there is and waits for the end; gives the exit code. */
	async run(prompts: readonly Prompt[]): Promise<number> {
		this.#showPast();
		if (this.#input.isRestored) this.notify("Restored an unsent draft (ctrl+c clears it).");
		for (const notice of this.#parts.notices) this.notify(notice, "warning");
		for (const problem of await this.#loadKeys()) this.notify(problem, "warning");
		const [first, ...rest] = prompts;
		if (first) {
			await this.#input.send(first);
			for (const prompt of rest) await this.#input.send(prompt, "followUp");
		}
		this.#screen.pending.set([], []);
		await this.#input.sendEarly();
		void this.#git.refresh();
		void this.#parts.host.policy?.settle();
		return await this.#ended.promise;
	}

	get tui(): TUI {
		return this.#screen.tui;
	}

	get theme(): ThemeStore {
		return this.#screen.theme;
	}

	get keys(): KeybindingsManager {
		return this.#screen.keys;
	}

	get editor(): Editor {
		return this.#screen.editor;
	}

	get sessionHost(): SessionHost {
		return this.#parts.host;
	}

	get session(): AgentSession {
		return this.#parts.host.session;
	}

	get log(): SessionManager {
		return this.#parts.host.log;
	}

	get settings(): Settings {
		return this.#parts.settings;
	}

	get registry(): ModelRegistry {
		return this.#parts.registry;
	}

	get models(): UsableModels {
		return this.#parts.host.models;
	}

	get treeExtensions(): InteractiveHost["treeExtensions"] {
		return this.#parts.extensions;
	}

	get mcpOffers(): InteractiveHost["mcpOffers"] {
		return this.#parts.mcpOffers;
	}

	get resources(): Resources | undefined {
		return this.#parts.resources.current;
	}

	get loadedExtensions(): InteractiveHost["loadedExtensions"] {
		return this.#parts.extensions;
	}

	get credentials(): CredentialStore {
		return this.#parts.credentials;
	}

	get env(): ToolEnv {
		return this.#parts.env();
	}

	get cwd(): string {
		return this.log.getCwd();
	}

	get isTrusted(): boolean {
		const { resources, cwd } = this;
		// A session of another project is judged by the answer about that project.
		return resources?.cwd === cwd ? resources.isTrusted() : isTrusted(cwd, this.#parts.agentDir);
	}

	get isBusy(): boolean {
		return this.#parts.host.isBusy;
	}

	get expandTools(): boolean {
		return this.viewContext.expandTools;
	}

	set expandTools(expand: boolean) {
		if (expand === this.viewContext.expandTools) return;
		this.viewContext.expandTools = expand;
		this.#screen.relayout(expand);
	}

	canExpandTools(): boolean {
		if (this.expandTools) return false;
		const condensed = this.#screen.lastTurnRows();
		this.viewContext.expandTools = true;
		const expanded = this.#screen.lastTurnRows();
		this.viewContext.expandTools = false;
		// Draws the blocks condensed again.
		this.#screen.lastTurnRows();
		return condensed.join("\n") !== expanded.join("\n");
	}

	get showThinking(): boolean {
		return this.viewContext.showThinking;
	}

	set showThinking(show: boolean) {
		if (show === this.viewContext.showThinking) return;
		this.viewContext.showThinking = show;
		this.#screen.relayout(show);
	}

	notify(text: string, level: NoticeLevel = "info"): void {
		this.#view.notice(text, level, this.#echo);
	}

	print(block: TranscriptBlock): void {
		this.#view.add(this.#echo.above(block));
	}

	echo(text: string): Disposable {
		return this.#echo.begin(text);
	}

	/** Shows what an extension keeps and draws itself. */
	printEntry(entry: CustomEntry): void {
		const view = customView(this.viewContext, entryMessage(entry));
		if (view) this.print(view);
	}

	status(key: string, text: string | undefined): void {
		this.#status.setStatus(key, text);
	}

	todoPrinted(): void {
		this.#status.todoPrinted();
	}

	prompt(text: string): void {
		void this.#input.send({ text });
	}

	showInEditor(component: Component, options?: InEditorOptions): Closable {
		return this.#screen.slot.show(component, options);
	}

	showOverlay(component: Component, options?: OverlayOptions): OverlayHandle {
		return this.tui.showOverlay(component, options);
	}

	/** Sets an extension's terminal title; without one, Tau shows the directory. */
	setTitle(title: string | undefined): void {
		this.#attention.own = title;
		this.#showTitle(this.isBusy);
	}

	onSessionReplaced(listener: () => void): Disposable {
		return this.#parts.host.onReplaced(listener);
	}

	redrawSession(): void {
		this.#screen.transcript.clear();
		this.#view.reset();
		this.#activity.rest();
		this.#showPast();
		this.tui.resetDisplay();
		this.#git.touch();
	}

	setModel(model: Model): void {
		void this.#parts.host.apply({ type: "model", model });
		this.#modelChanged();
	}

	setThinking(level: ThinkingLevel): void {
		void this.#parts.host.apply({ type: "thinking", level });
		this.#status.refresh();
	}

	async setApprovalMode(mode: ApprovalMode): Promise<boolean> {
		const { policy } = this.#parts.host;
		if (!policy) return false;
		if (mode === "full" && !policy.mayBeFull) {
			const question = "Run everything in this session without asking?";
			// A stray Enter must not open everything.
			const yes = await this.ask.confirm(question, "No questions, no sandbox.", { selected: "no" });
			if (!yes) return false;
		}
		policy.setMode(mode);
		this.#status.refresh();
		return true;
	}

	async reload(): Promise<string[]> {
		await this.settings.reload();
		const wrong = await this.#loadKeys();
		const theme = this.theme.set(this.settings.get("theme"));
		this.#status.refresh();
		if (!theme.ok) wrong.push(theme.message);
		await this.#parts.resources.find();
		this.#git.touch();
		// A move would end a compaction that was asked for meanwhile.
		if (this.isBusy || this.#parts.host.session.isCompacting)
			wrong.push("Extensions and skills are not reloaded during a run. Run /reload again afterwards.");
		else if (!(await this.move({ to: "reload" }))) wrong.push("Extensions and skills were not reloaded.");
		return wrong;
	}

	async #loadKeys(): Promise<string[]> {
		const { problems, isVim } = await loadKeys(this.keys, this.#parts.agentDir);
		this.#screen.editor.setVimMode(isVim || this.settings.get("editor.vim"));
		return problems;
	}

	leave(): void {
		this.#leaving.leave();
		this.tui.requestRender();
	}

	expectRequest(): void {
		this.#screen.slot.expectRequest();
	}

	move(to: SessionMove): Promise<Moved | undefined> {
		this.expectRequest();
		return this.#leaving.move(to);
	}

	quit(code = 0): void {
		this.#ended.resolve(code);
	}

	/** Cancels the answer and all commands of the user. The session is on disk already. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#owned.dispose();
		await this.#parts.host.stop();
	}

	#newInput(): PromptInput {
		return new PromptInput({
			host: this,
			sessionHost: this.#parts.host,
			screen: this.#screen,
			status: this.#status,
			shell: this.#shell,
			draftsDir: this.#parts.draftsDir,
			historyDir: this.#parts.historyDir,
			command: (text) => this.#command(text),
			onSubmit: (text) => {
				// An exit command is the second try; anything else is a decision to stay.
				if (!isExit(text)) this.#leaving.stay();
			},
			onKey: () => this.#attention.onKey(),
			onPrompt: () => this.#leaveWelcome(),
			modelChanged: () => this.#modelChanged(),
		});
	}

	#command(text: string): boolean {
		if (text.startsWith("/") || this.editor.getText() === "") this.expectRequest();
		return this.commands.take(text);
	}

	#follow(): void {
		this.#screen.terminal.onLost = () => this.quit(0);
		this.#screen.onTrouble = (message) => this.notify(message, "error");
		this.#owned.defer(onHighlighterReady(() => this.tui.recolor()));
		this.#owned.use(this.#status.followSettings());
	}

	#onEvent(event: SessionEvent): void {
		this.#activity.onEvent(event);
		this.#view.onEvent(event);
		// Deltas come by the thousand, change nothing else, and request the frame that they need themselves.
		if (event.type === "message_update") return;
		this.#status.onEvent(event);
		if (event.type === "queue_update") this.#screen.pending.set(event.steering, event.followUp);
		if (event.type === "agent_start") this.#attention.begin();
		if (event.type === "agent_end") this.#attention.end(this.log.getSessionName() ?? "The turn is finished.");
		// Tools of extensions may write files in ways that no journal records.
		if (event.type === "agent_end") this.#git.touch();
		this.#showTitle(event.type !== "agent_end" && this.isBusy);
		this.tui.requestRender();
	}

	#showPast(): void {
		const isDrawn = (type: string): boolean =>
			this.viewContext.findMessageRenderer(entryKind(type)) !== undefined;
		const { messages, leftOut } = pastOf(this.log, isDrawn);
		if (leftOut > 0)
			this.print(new DividerView(this.viewContext, `${plural(leftOut, "earlier entry", "earlier entries")}`));
		for (const block of pastBlocks(this.viewContext, messages)) this.print(block);
		this.#input.addPast(messages);
		this.#screen.welcome.isGone = messages.length > 0;
		this.#screen.welcomeFacts.loaded = this.#parts.loaded;
		this.#status.begin();
		this.#showTitle(false);
		this.tui.requestRender();
	}

	#showTitle(isBusy: boolean): void {
		this.#attention.setTitle(this.cwd, this.#status.sessionName, isBusy);
	}

	#leaveWelcome(): void {
		if (this.#screen.welcome.isGone) return;
		this.#screen.welcome.isGone = true;
		this.print(new SessionStartView(this.viewContext, this.#screen.welcomeFacts));
		this.tui.requestRender();
	}

	#modelChanged(): void {
		const { provider, id } = this.session.model;
		this.#status.refresh();
		if (this.#screen.welcome.isGone) this.print(new DividerView(this.viewContext, `${provider}/${id}`));
	}
}
