/** Keeps what the frame around the conversation shows: footer, welcome, todo list, jobs, debugged programs, the editor's border. */
import type { AgentMessage } from "@tau/agent";
import { setMaxInlineImages } from "@tau/tui";
import { envFlag, timer } from "@tau/utils";
import type { SessionEvent } from "@tau/session";
import type { SessionGoal, SessionHost } from "@tau/session/host";
import { isVirtualModel } from "@tau/session/models";
import { modeLine } from "@tau/session/policy";
import type { Settings } from "@tau/session/settings";
import type { openProblems } from "@tau/tools/lsp";
import type { ToolEnv } from "@tau/tools/tool";
import { changedTodo, newestTodo, todoMarks } from "@tau/tools/todo";
import type { GitFacts } from "./git-status.ts";
import { limits } from "./limits.ts";
import type { Screen } from "./screen.ts";
import { cellIn } from "./typed-cell.ts";
import { StatusCommand } from "./status-command.ts";
import { DebugPanel } from "./views/debug-panel.ts";
import { JobsLine } from "./views/jobs-line.ts";
import { TodoPanel } from "./views/todo-panel.ts";

const uncounted = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };

/** Events after which the footer says something else, whoever caused them. */
const refreshing: ReadonlySet<SessionEvent["type"]> = new Set([
	"message_end",
	"agent_end",
	"compaction_end",
	"session_info_changed",
	"model_changed",
	"thinking_level_changed",
	"approval_mode_changed",
] as const);

export class StatusModel implements Disposable {
	readonly #screen: Screen;
	readonly #live: Pick<SessionHost, "session" | "log" | "policy" | "work">;
	readonly #settings: Settings;
	readonly #env: () => Pick<ToolEnv, "env" | "services">;
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

	constructor(
		screen: Screen,
		live: Pick<SessionHost, "session" | "log" | "policy" | "work">,
		settings: Settings,
		env: () => Pick<ToolEnv, "env" | "services">,
	) {
		this.#screen = screen;
		this.#live = live;
		this.#settings = settings;
		this.#env = env;
		this.#todo = new TodoPanel(screen.theme);
		this.#jobs = new JobsLine(screen.theme);
		this.#debug = new DebugPanel(screen.theme);
		this.#command = new StatusCommand({
			command: () => settings.get("footer.command"),
			cwd: () => live.log.getCwd(),
			// Without keys of providers.
			env: () => env().env,
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

	onEvent(event: SessionEvent): void {
		const phases = changedTodo(event);
		if (phases) this.#todo.set(phases);
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
		this.#showDenied(0);
		this.#showPhase(false);
		this.#todo.set([]);
		this.#jobs.clear();
		this.#debug.clear();
		this.#counting?.[Symbol.dispose]();
		const isLong = this.#live.log.getHeads().length > limits.countAtOnce;
		this.#counting = isLong ? timer(limits.countAfterMs, () => this.#count()) : undefined;
		if (isLong) this.refresh();
		else this.#count();
	}

	/** Refreshes everything. */
	refresh(): void {
		const { session, log, policy } = this.#live;
		const { model, thinkingLevel } = session.state;
		const { input, output, cacheRead, cacheWrite, cost } = this.#counting ? uncounted : session.usage.totals;
		Object.assign(this.#screen.facts, {
			cwd: log.getCwd(),
			sessionName: log.getSessionName(),
			model,
			routed: isVirtualModel(model) ? answeredBy(session.state.messages) : undefined,
			thinking: thinkingLevel,
			approvals: policy && { mode: policy.mode, boundary: policy.boundary },
			context: session.contextUsage(),
			used: { input: input + cacheRead + cacheWrite, output, cost: cost.total },
			segments: this.#settings.get("footer.segments"),
		});
		this.#screen.welcomeFacts.model = `${model.provider}/${model.id}`;
		this.#screen.welcomeFacts.approvals = policy ? modeLine(policy.mode, policy.boundary) : "";
		this.#screen.editor.setAutocompleteMaxVisible(this.#settings.get("autocompleteMaxVisible"));
		this.showBorder(this.#screen.editor.getText());
		const hasCounts = this.#settings.get("lsp.footer");
		if (hasCounts && !this.#openProblems) void this.#countProblems();
		this.setStatus("lsp.footer", hasCounts ? this.#openProblems?.(this.#env()) : undefined);
		this.setStatus("goal", goalLine(this.#live.work.goal));
		const hasCommand = this.#settings.get("footer.command") !== undefined;
		if (hasCommand || this.#statuses.has("footer.command")) this.#command.touch();
		this.#screen.tui.requestRender();
	}

	async #countProblems(): Promise<void> {
		({ openProblems: this.#openProblems } = await import("../../session-commands/work/language-servers.ts"));
		if (this.#settings.get("lsp.footer")) this.setStatus("lsp.footer", this.#openProblems(this.#env()));
	}

	/** What the user's command may show. */
	#facts(): Record<string, unknown> {
		const { cwd, model, thinking, approvals, context, used, sessionName, git } = this.#screen.facts;
		return {
			session: {
				id: this.#live.log.getSessionId(),
				name: sessionName,
				file: this.#live.log.getSessionFile(),
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
		const { thinkingLevel, model } = this.#live.session.state;
		const isShell = text.startsWith("!") || cellIn(text) !== undefined;
		editor.borderColor = (line) => {
			if (isShell) return theme.current.getBashModeBorderColor()(line);
			if (this.#isBusy) return theme.current.fg("accent", line);
			return theme.current.getThinkingBorderColor(model.reasoning ? thinkingLevel : "off")(line);
		};
	}

	#count(): void {
		this.#counting = undefined;
		this.#todo.set(newestTodo(this.#live.log.branchMessages(todoMarks)));
		this.refresh();
	}
}

function answeredBy(messages: readonly AgentMessage[]): string | undefined {
	const answer = messages.findLast((message) => message.role === "assistant");
	return answer?.role === "assistant" ? answer.model : undefined;
}

/** The attempts of the goal, in the footer. */
export function goalLine(goal: SessionGoal | undefined): string | undefined {
	return goal && `goal ${goal.attempts}/${goal.maxAttempts}`;
}
