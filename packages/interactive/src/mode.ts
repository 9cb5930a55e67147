/** The interactive mode: a session on a screen. It wires the parts together and is what commands see of them. */
import type { ThinkingLevel } from "@tau/ai";
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
import type { Settings } from "@tau/config/settings";
import type { Env } from "@tau/utils";
import type { ApprovalMode, EventFrame, Phase, SessionClient, UserRequest } from "@tau/wire";
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
import { Ide } from "./ide/ide.ts";
import { loadKeys } from "./keys.ts";
import { Leaving } from "./leaving.ts";
import { LocalMembers, type ElsewhereParts } from "./local-parts.ts";
import { LiveViewContext } from "./live-view-context.ts";
import { isExit, isWorking, Prompting, type WrittenPrompt } from "./prompting.ts";
import { mayAnswer, followRequests } from "./request-dialogs.ts";
import { showTerminals } from "./terminal-viewer.ts";
import type { Screen } from "./screen.ts";
import type { ThemeStore } from "./theme-store.ts";
import type { TextTransforms, FindMessageRenderer, FindRenderer } from "./tool-view.ts";
import { UserCommands } from "./user-commands.ts";
import { DividerView } from "./views/divider.ts";
import { CommandEcho } from "./views/echo.ts";
import { plural } from "./views/format.ts";
import { SessionStartView } from "./views/welcome.ts";
import { customView, pastView } from "./views/message-views.ts";
import { moveTo, reloadSession } from "@tau/session-commands/work";

export interface InteractiveParts extends ElsewhereParts {
	/** The session that is drawn. */
	client: SessionClient;
	/** For programs that the screen starts, without keys of providers. */
	env(): Env;
	settings: Settings;
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
	transforms: TextTransforms;
}

/** A new prompt is queued. */
const busy: ReadonlySet<Phase> = new Set(["running", "retrying", "compacting"]);

export class InteractiveMode extends LocalMembers implements InteractiveHost, AsyncDisposable {
	readonly #screen: Screen;
	readonly #parts: InteractiveParts;
	readonly client: SessionClient;
	readonly viewContext: LiveViewContext;
	readonly #owned = new DisposableStack();
	readonly #view: ConversationView;
	readonly #activity: ActivityFollower;
	readonly attention: Attention;
	readonly #status: StatusModel;
	readonly #git: GitStatus;
	readonly #echo: CommandEcho;
	readonly #input: Prompting;
	readonly #leaving: Leaving;
	readonly #ended = Promise.withResolvers<number>();
	/** The session in which the user has said yes to `full`. */
	#fullIn: string | undefined;
	readonly commands: CommandTable;
	readonly ide: Ide;
	readonly ask: Dialogs;

	constructor(screen: Screen, parts: InteractiveParts) {
		super(parts);
		const { settings, client, local } = parts;
		this.#screen = screen;
		this.#parts = parts;
		this.client = client;
		const who = { cwd: () => this.cwd, self: client.me.name, signsOwn: parts.guest !== undefined };
		const view = new LiveViewContext(screen, who, parts, {
			expandTools: false,
			showThinking: settings.get("thinking.show"),
		});
		this.viewContext = view;
		this.#echo = new CommandEcho(view);
		const now = (): number => screen.animation.now();
		this.ide = this.#owned.use(new Ide(this));
		this.ask = this.ide.withEditor(dialogsIn(screen));
		this.commands = new CommandTable(this);
		this.#view = new ConversationView(view, screen.transcript, () => client.view.live, this.#echo);
		this.#activity = new ActivityFollower(now, (each) => screen.status.set(each), mayAnswer(this.client));
		screen.status.awaitedMs = () => this.awaitedMs();
		this.attention = new Attention(screen.terminal, () => attentionSettings(settings), now);
		this.#git = this.#owned.use(
			new GitStatus({
				cwd: () => this.cwd,
				env: process.env,
				// The directory of a guest's session is on another machine.
				isTrusted: () => this.isTrusted && !parts.guest,
				journal: () => local?.env().journal,
				onChange: (git) => this.#status.setGit(git),
			}),
		);
		const tools = local && (() => local.env());
		this.#status = this.#owned.use(new StatusModel(screen, { ...parts, tools }));
		this.#owned.use(client.subscribe((event) => this.#onEvent(event)));
		this.#owned.use(client.subscribe((event) => this.#activity.onEvent(event)));
		this.#owned.use(client.subscribe(this.#view.onEvent));
		this.#owned.use(client.onReset(() => this.#onReset()));
		this.#owned.use(followRequests(client, this.ask, (reason) => this.notify(reason, "error")));
		if (local) this.#owned.use(showTerminals(local.host.requests, screen, this.attention));
		this.#leaving = new Leaving({
			client,
			own: local && { detach: local.detach, waitForIdle: () => local.host.waitForIdle() },
			ask: this.ask,
			notify: (text, level) => this.notify(text, level),
			quit: () => this.quit(),
		});
		this.#input = this.#owned.use(this.#newInput());
		this.#follow();
		if (this.isAttached) {
			void this.commands.follow();
			this.#owned.use(this.client.onReset(() => void this.commands.follow()));
		}
		this.#owned.use(this.commands.addSource(() => calledCommands(this.resources)));
		this.#owned.use(this.commands.addSource(() => serverPrompts(this.mcpOffers?.prompts ?? [])));
	}

	/** Shows the session and waits for its end; returns the exit code. */
	async run(prompts: readonly WrittenPrompt[]): Promise<number> {
		this.#showPast();
		this.#showNotices();
		if (this.#input.isRestored) this.notify("Restored an unsent draft (ctrl+c clears it).");
		for (const notice of this.#parts.notices) this.notify(notice, "warning");
		for (const problem of await this.#loadKeys()) this.notify(problem, "warning");
		const [first, ...rest] = prompts;
		if (first) {
			await this.#input.send(first);
			for (const prompt of rest) await this.#input.send(prompt, "followUp");
		}
		this.#showQueue();
		await this.#input.sendEarly();
		void this.#git.refresh();
		void this.ide.start();
		void this.local?.host.policy?.settle();
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

	get settings(): Settings {
		return this.#parts.settings;
	}

	get cwd(): string {
		return this.client.view.facts.session.cwd;
	}

	get isTrusted(): boolean {
		return this.client.view.facts.session.isTrusted;
	}

	get isBusy(): boolean {
		return busy.has(this.client.view.facts.phase);
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
		return this.viewContext.canExpandTools();
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
	#printEntry(entryId: string): void {
		const entry = this.client.view.tail.entries.findLast(({ id }) => id === entryId);
		const customType = entry?.customType;
		if (!entry || typeof customType !== "string") return;
		const view = customView(this.viewContext, entryMessage({ ...entry, customType }));
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
		this.attention.own = title;
		this.#showTitle(this.isBusy);
	}

	onSessionReplaced(listener: () => void): Disposable {
		return this.client.onReset(listener);
	}

	redrawSession(): void {
		this.#screen.transcript.clear();
		this.#view.reset();
		this.#activity.rest();
		this.#showPast();
		this.tui.resetDisplay();
		this.#git.touch();
	}

	setModel({ provider, id: modelId }: { readonly provider: string; readonly id: string }): void {
		void this.#request(() => this.client.request("set_model", { provider, modelId }));
	}

	setThinking(level: ThinkingLevel): void {
		void this.#request(() => this.client.request("set_thinking_level", { level }));
	}

	get mayBeFull(): boolean {
		const { approvals, session } = this.client.view.facts;
		return approvals?.mode === "full" || this.#fullIn === session.id;
	}

	async setApprovalMode(mode: ApprovalMode): Promise<boolean> {
		if (!this.client.view.facts.approvals) return false;
		if (mode === "full" && !this.mayBeFull) {
			const question = "Run everything in this session without asking?";
			// A stray Enter must not open everything.
			const yes = await this.ask.confirm(question, "No questions, no sandbox.", { selected: "no" });
			if (!yes) return false;
		}
		const isSet = await this.#request(() => this.client.request("set_approval_mode", { mode }));
		this.#status.refresh();
		return isSet;
	}

	async reload(): Promise<string[]> {
		await this.settings.reload();
		const wrong = await this.#loadKeys();
		const theme = this.theme.set(this.settings.get("theme"));
		this.#status.refresh();
		if (!theme.ok) wrong.push(theme.message);
		this.#git.touch();
		if (!this.local)
			return [...wrong, "Extensions and skills of an attached session are reloaded where it runs."];
		const { host, resources } = this.local;
		await resources.find();
		this.expectRequest();
		const notice = (text: string): void => this.notify(text, "warning");
		return [...wrong, ...(await reloadSession(host, (to) => moveTo(to, { host, ask: this.ask, notice })))];
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

	detach(directory?: string): Promise<void> {
		return this.#leaving.detach(directory);
	}

	get isTaken(): boolean {
		return this.#screen.slot.hasGuest || this.tui.hasOverlay();
	}

	expectRequest(): void {
		this.#screen.slot.expectRequest();
	}

	quit(code = 0): void {
		this.#ended.resolve(code);
	}

	/** Shows and asks nothing from now on: the terminal is gone, and the session continues. */
	release(): void {
		this.#owned.dispose();
	}

	/** Cancels the answer and all commands of the user, unless they run elsewhere. The session is on disk already. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#owned.dispose();
		await this.local?.host.stop();
	}

	#newInput(): Prompting {
		return new Prompting({
			host: this,
			screen: this.#screen,
			status: this.#status,
			shell: new UserCommands(this.client),
			draftsDir: this.#parts.draftsDir,
			historyDir: this.#parts.historyDir,
			command: (text) => this.#command(text),
			onSubmit: (text) => {
				// An exit command is the second try; anything else is a decision to stay.
				if (!isExit(text)) this.#leaving.stay();
			},
			onKey: () => this.attention.onKey(),
		});
	}

	#command(text: string): boolean | Promise<boolean> {
		if (text.startsWith("/") || this.editor.getText() === "") this.expectRequest();
		return this.commands.take(text);
	}

	#follow(): void {
		this.#screen.terminal.onLost = () => this.quit(0);
		this.#screen.onTrouble = (message) => this.notify(message, "error");
		this.#owned.defer(onHighlighterReady(() => this.tui.recolor()));
		this.#owned.use(this.#status.followSettings());
	}

	/** Called before the view of the conversation, which is then shown below what this prints. */
	#onEvent(event: EventFrame): void {
		// Deltas come by the thousand, and are for the view alone, which requests the frame that they need.
		if (event.type === "message_update") return;
		// The first prompt, of any client.
		if (event.type === "message_start" && event.message.role === "user") this.#leaveWelcome();
		if (event.type === "entry_shown") this.#printEntry(event.entryId);
		this.#status.onEvent(event);
		this.#onChange(event);
		this.#showTitle(event.type !== "agent_end" && this.isBusy);
		this.tui.requestRender();
	}

	#onChange(event: EventFrame): void {
		switch (event.type) {
			case "queue_update":
				return this.#screen.pending.set(event.steering, event.followUp);
			case "agent_start":
				return this.attention.begin();
			case "agent_end":
				this.attention.end(this.client.view.facts.session.name ?? "The turn is finished.");
				// Tools of extensions may write files in ways that no journal records.
				return this.#git.touch();
			case "tool_execution_end":
				return this.local ? undefined : this.#git.touch();
			case "user_command_end":
				return this.#git.touch();
			case "prompt_refused":
				return this.#input.onRefused(event.text);
			case "request_opened":
				// The schema of the event and the type of requests are made from the same rows.
				return this.attention.onRequest(event.request as UserRequest);
			case "request_closed":
				if (event.by !== undefined && event.by !== this.client.me.name)
					this.notify(`Answered by ${event.by}.`);
				return;
			case "model_changed":
				return event.source === "restore" ? undefined : this.#modelChanged(event);
			case "setting_changed":
				// This process has read the same files, and draws by them.
				return this.local ? undefined : void this.settings.reload();
			case "approval_mode_changed":
				if (event.mode === "full") this.#fullIn = this.client.view.facts.session.id;
		}
	}

	/** The session is another one, or this client had lagged too far behind. */
	#onReset(): void {
		this.redrawSession();
		this.#showNotices();
		this.#showQueue();
	}

	#showPast(): void {
		const { facts, tail, live } = this.client.view;
		const isDrawn = (type: string): boolean =>
			this.viewContext.findMessageRenderer(entryKind(type)) !== undefined;
		const { messages, leftOut } = pastOf(tail, isDrawn);
		if (leftOut > 0)
			this.print(new DividerView(this.viewContext, `${plural(leftOut, "earlier entry", "earlier entries")}`));
		const isRunning = isWorking(facts.phase);
		this.#view.join(pastView(this.viewContext, messages), isRunning, tail.leafId);
		if (isRunning) this.#activity.join(live, messages);
		this.#input.addPast(messages);
		this.#screen.welcome.isGone = messages.length > 0;
		this.#screen.welcomeFacts.loaded = this.#parts.loaded;
		this.#status.begin();
		this.#showTitle(isRunning);
		this.tui.requestRender();
	}

	#showNotices(): void {
		for (const { message, level, by } of this.client.view.live.notices)
			if (by === undefined || by !== this.client.me.name) this.notify(message, level);
	}

	#showQueue(): void {
		const { steering, followUp } = this.client.view.facts.queue;
		this.#screen.pending.set(steering, followUp);
	}

	/** Returns whether it was done; otherwise a notice says why. */
	async #request(work: () => Promise<unknown>): Promise<boolean> {
		try {
			await work();
			return true;
		} catch (error) {
			this.notify(error instanceof Error ? error.message : String(error), "error");
			return false;
		}
	}

	#showTitle(isBusy: boolean): void {
		this.attention.setTitle(this.cwd, this.#status.sessionName, isBusy);
	}

	#leaveWelcome(): void {
		if (this.#screen.welcome.isGone) return;
		this.#screen.welcome.isGone = true;
		this.print(new SessionStartView(this.viewContext, this.#screen.welcomeFacts));
		this.tui.requestRender();
	}

	#modelChanged({ provider, modelId }: { provider: string; modelId: string }): void {
		if (this.#screen.welcome.isGone) this.print(new DividerView(this.viewContext, `${provider}/${modelId}`));
	}
}
