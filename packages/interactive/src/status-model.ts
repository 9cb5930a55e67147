/** Keeps what the frame around the conversation shows: footer, welcome, todo list, jobs, debugged programs, the editor's border. */
import { setMaxInlineImages } from "@tau/tui";
import { envFlag, isRecord, stripControls, timer, type Env } from "@tau/utils";
import { isVirtualModel } from "@tau/ai";
import type { Settings } from "@tau/config/settings";
import type { openProblems } from "@tau/integrations/lsp";
import { latencyText } from "@tau/session-commands/rows";
import type { ToolEnv } from "@tau/tools/tool";
import { changedTodo } from "@tau/tools/todo";
import type { Entry, EventFrame, SessionClient, SessionFacts } from "@tau/wire";
import type { GitFacts } from "./git-status.ts";
import { limits } from "./limits.ts";
import { isWorking } from "./prompting.ts";
import type { Screen } from "./screen.ts";
import { cellIn } from "./typed-cell.ts";
import { StatusCommand } from "./status-command.ts";
import { DebugPanel } from "./views/debug-panel.ts";
import { JobsLine } from "./views/jobs-line.ts";
import { TodoPanel } from "./views/todo-panel.ts";
import { modeLine } from "./views/welcome.ts";

const uncounted = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

/** Events after which the footer changes, of any origin. */
const refreshing: ReadonlySet<EventFrame["type"]> = new Set([
	"message_end",
	"agent_end",
	"compaction_end",
	"session_info_changed",
	"model_changed",
	"thinking_level_changed",
	"approval_mode_changed",
	"goal_changed",
	"machine_changed",
	"user_command_end",
	"clients_changed",
] as const);

export interface StatusParts {
	client: Pick<SessionClient, "view">;
	settings: Settings;
	/** The session belongs to another user, who shares it. */
	guest?: object | undefined;
	/** For programs that the screen starts, without keys of providers. */
	env(): Env;
	/** Where the tools of a session in this process work; language servers are known only there. */
	tools?: (() => Pick<ToolEnv, "env" | "services">) | undefined;
}

export class StatusModel implements Disposable {
	readonly #screen: Screen;
	readonly #client: Pick<SessionClient, "view">;
	readonly #settings: Settings;
	readonly #tools: StatusParts["tools"];
	readonly #isGuest: boolean;
	readonly #todo: TodoPanel;
	#isCursorShown = envFlag("TAU_HARDWARE_CURSOR");
	readonly #statuses = new Map<string, string>();
	readonly #jobs: JobsLine;
	readonly #debug: DebugPanel;
	readonly #command: StatusCommand;
	/** Loaded where the setting asks for it. */
	#openProblems: typeof openProblems | undefined;
	#flash: Disposable | undefined;
	#isBusy = false;
	/** What the sandbox has denied in this session. */
	#denied = 0;
	/** What a long session has used is counted when its end is on the screen. */
	#counting: Disposable | undefined;

	constructor(screen: Screen, { client, settings, guest, env, tools }: StatusParts) {
		this.#isGuest = guest !== undefined;
		this.#screen = screen;
		this.#client = client;
		this.#settings = settings;
		this.#tools = tools;
		this.#todo = new TodoPanel(screen.theme);
		this.#jobs = new JobsLine(screen.theme);
		this.#debug = new DebugPanel(screen.theme);
		this.#command = new StatusCommand({
			command: () => settings.get("footer.command"),
			cwd: () => client.view.facts.session.cwd,
			env,
			facts: () => this.#facts(),
			show: (text) => this.setStatus("footer.command", text),
		});
		screen.above.addChild(this.#todo);
		screen.above.addChild(this.#jobs);
		screen.above.addChild(this.#debug);
	}

	[Symbol.dispose](): void {
		this.#flash?.[Symbol.dispose]();
		this.#counting?.[Symbol.dispose]();
		this.#command[Symbol.dispose]();
	}

	get sessionName(): string | undefined {
		return this.#screen.facts.sessionName;
	}

	onEvent(event: EventFrame): void {
		const phases = changedTodo(event);
		if (phases) this.#todo.set(phases);
		if (event.type === "todos_changed") this.#todo.set(event.phases);
		if (event.type === "job_update") this.#jobs.follow(event);
		if (event.type === "port_update") this.#jobs.followPort(event);
		if (event.type === "sandbox_denied") this.#showDenied(this.#denied + event.denials.length);
		if (event.type === "debug_update") this.#debug.follow(event);
		if (event.type === "phase_changed") this.#showPhase(event.phase !== "idle");
		if (refreshing.has(event.type)) this.refresh();
	}

	todoPrinted(): void {
		this.#todo.listPrinted();
	}

	/** A list without active work takes one row, and the editor's rule shows that something runs. */
	#showPhase(isBusy: boolean): void {
		this.#isBusy = isBusy;
		this.#todo.isIdle = !isBusy;
		this.showBorder(this.#screen.editor.getText());
	}

	/** `/sandbox` lists them. */
	#showDenied(count: number): void {
		this.#denied = count;
		this.setStatus("sandbox", count === 0 ? undefined : `sandbox: ${count} denied`);
	}

	/** The session is another one. */
	begin(): void {
		const { facts, live, tail } = this.#client.view;
		this.#showDenied(live.denied);
		this.#showPhase(isWorking(facts.phase));
		this.#todo.set([]);
		this.#jobs.clear();
		this.#debug.clear();
		for (const job of live.jobs) this.#jobs.follow(job);
		for (const port of live.ports) this.#jobs.followPort(port);
		for (const program of live.debugged) this.#debug.follow(program);
		this.#counting?.[Symbol.dispose]();
		const isLong = tail.earlier + tail.entries.length > limits.countAtOnce;
		if (isLong) this.#countLater();
		else this.#count();
	}

	#countLater(): void {
		this.#counting = timer(limits.countAfterMs, () => this.#count());
		this.refresh();
	}

	/** Refreshes everything. */
	refresh(): void {
		const { facts, tail } = this.#client.view;
		const { session, model, thinkingLevel, approvals } = facts;
		const { input, output, cacheRead, cacheWrite, cost } = (this.#counting ? null : facts.usage) ?? uncounted;
		Object.assign(this.#screen.facts, {
			cwd: session.cwd,
			sessionName: session.name,
			model,
			routed: isVirtualModel(model) ? answeredBy(tail.entries) : undefined,
			thinking: thinkingLevel,
			approvals: approvals ?? undefined,
			context: facts.context,
			used: { input: input + cacheRead + cacheWrite, output, cost },
			segments: this.#settings.get("footer.segments"),
		});
		this.#screen.welcomeFacts.model = `${model.provider}/${model.id}`;
		this.#screen.welcomeFacts.approvals = approvals ? modeLine(approvals.mode, approvals.boundary) : "";
		this.#screen.editor.setAutocompleteMaxVisible(this.#settings.get("autocompleteMaxVisible"));
		this.showBorder(this.#screen.editor.getText());
		this.#showProblems();
		this.setStatus("goal", goalLine(facts.goal));
		this.setStatus("machine", machineLine(facts.machine));
		if (this.#isGuest) this.setStatus("collab", `⇄ guest, ${this.#client.view.clients.length} here`);
		const hasCommand = this.#settings.get("footer.command") !== undefined;
		if (hasCommand || this.#statuses.has("footer.command")) this.#command.touch();
		this.#screen.tui.requestRender();
	}

	#showProblems(): void {
		const tools = this.#settings.get("lsp.footer") ? this.#tools?.() : undefined;
		if (tools && !this.#openProblems) void this.#countProblems();
		this.setStatus("lsp.footer", tools && this.#openProblems?.(tools));
	}

	async #countProblems(): Promise<void> {
		({ openProblems: this.#openProblems } = await import("@tau/session-commands/work/language-servers"));
		this.#showProblems();
	}

	/** What the user's command may show. */
	#facts(): Record<string, unknown> {
		const { cwd, model, thinking, approvals, context, used, sessionName, git } = this.#screen.facts;
		return {
			session: {
				id: this.#client.view.facts.session.id,
				name: sessionName,
				file: this.#client.view.facts.session.file,
			},
			cwd,
			model: { provider: model?.provider, id: model?.id },
			thinking,
			approvalMode: approvals?.mode,
			branch: git?.branch,
			context: { tokens: context?.tokens, window: context?.contextWindow, percent: context?.percent },
			...used,
		};
	}

	/** A setting that is about the screen takes effect at once. */
	followSettings(): Disposable {
		const { theme, animation, editor } = this.#screen;
		const settings = this.#settings;
		this.#applyTerminal();
		return settings.onChange((path) => {
			this.#applyTerminal();
			if (path === "terminal.showImages" || path === "terminal.imageWidthCells") this.#screen.redrawAll();
			if (path === "theme") theme.set(settings.get("theme"));
			if (path === "ui.motion") animation.isStill = settings.get("ui.motion") === "off";
			if (path === "transcript") this.#screen.redrawAll();
			if (path === "ui.screenReader") this.#screen.setLinear(settings.get("ui.screenReader"));
			if (path === "ui.colorBlind") theme.setColorBlind(settings.get("ui.colorBlind"));
			if (path === "editor.vim") editor.setVimMode(settings.get("editor.vim"));
			this.refresh();
		});
	}

	#applyTerminal(): void {
		const { tui } = this.#screen;
		const settings = this.#settings;
		setMaxInlineImages(settings.get("tui.maxInlineImages"));
		this.#screen.imageColumns = settings.get("terminal.showImages")
			? settings.get("terminal.imageWidthCells")
			: 0;
		const isCursorShown = settings.get("showHardwareCursor") || envFlag("TAU_HARDWARE_CURSOR");
		if (isCursorShown !== this.#isCursorShown) tui.setShowHardwareCursor(isCursorShown);
		this.#isCursorShown = isCursorShown;
	}

	setGit(git: GitFacts | undefined): void {
		const isOther = git?.branch !== this.#screen.facts.git?.branch;
		this.#screen.facts.git = git;
		if (isOther) for (const update of this.#screen.branchListeners) update();
		this.#screen.tui.requestRender();
	}

	setStatus(key: string, text: string | undefined): void {
		if (text === undefined || text === "") this.#statuses.delete(key);
		else this.#statuses.set(key, text);
		this.#screen.facts.statuses = [...this.#statuses.values()];
		this.#screen.tui.requestRender();
	}

	/** A message in the footer that disappears by itself. */
	flash(text: string): void {
		this.#flash?.[Symbol.dispose]();
		this.#flash = timer(limits.flashMs, () => this.#showFlash(undefined));
		this.#showFlash(text);
	}

	/** A hint about a key is over with the next key. */
	dropFlash(): void {
		if (this.#screen.facts.flash === undefined) return;
		this.#flash?.[Symbol.dispose]();
		this.#showFlash(undefined);
	}

	#showFlash(text: string | undefined): void {
		this.#screen.facts.flash = text;
		this.#screen.tui.requestRender();
	}

	/** The border shows that the text is a command or code, that something runs, or the thinking level. */
	showBorder(text: string): void {
		const { editor, theme } = this.#screen;
		const { thinkingLevel, model } = this.#client.view.facts;
		const isShell = text.startsWith("!") || cellIn(text) !== undefined;
		editor.borderColor = (line) => {
			if (isShell) return theme.current.getBashModeBorderColor()(line);
			if (this.#isBusy) return theme.current.fg("accent", line);
			return theme.current.getThinkingBorderColor(model.reasoning ? thinkingLevel : "off")(line);
		};
	}

	/** A long log is counted in many short turns, and its sums are asked for again. */
	#count(): void {
		this.#counting = undefined;
		const { todos, usage } = this.#client.view.facts;
		this.#todo.set(todos);
		if (usage === null) this.#countLater();
		else this.refresh();
	}
}

function answeredBy(entries: readonly Entry[]): string | undefined {
	const answer = entries.findLast(
		({ message }) => isRecord(message) && message.role === "assistant",
	)?.message;
	return isRecord(answer) && typeof answer.model === "string" ? answer.model : undefined;
}

/** The attempts of the goal, in the footer. */
function goalLine(goal: SessionFacts["goal"] | undefined): string | undefined {
	return goal ? `goal ${goal.attempts}/${goal.maxAttempts}` : undefined;
}

/** The other machine that the session works on, and how fast it answers. */
function machineLine(machine: SessionFacts["machine"]): string | undefined {
	if (!machine) return undefined;
	const { name, cwd, latencyMs, isConnected } = machine;
	if (!isConnected) return stripControls(`${name}: connection lost`);
	return stripControls(`${name}:${cwd}${latencyMs === undefined ? "" : ` ${latencyText(latencyMs)}`}`);
}
