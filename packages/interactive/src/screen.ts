/** The screen before there is a session: it draws the first frame, handles keys, and has slots for everything. */
import {
	visibleWidth,
	colorModeOf,
	Container,
	setKeybindings,
	Text,
	Transcript,
	TUI,
	type Component,
	type EditorTheme,
	type KeybindingsManager,
	type Marker,
	type SelectListTheme,
	type Terminal,
} from "@tau/tui";

import { dirs, log, timer } from "@tau/utils";

import { EditorSlot } from "./editor-slot.ts";
import { newKeys, type AppAction } from "./keys.ts";
import type { PromptHistory } from "./prompt-history.ts";
import { PromptEditor, type PastPrompt } from "./prompt-editor.ts";
import { ThemeStore, type Appearance, type ThemeReason } from "./theme-store.ts";
import { Footer, type FooterFacts } from "./views/footer.ts";
import { OfferLine } from "./views/offer-line.ts";
import { PendingView } from "./views/pending.ts";
import { Slot } from "./views/slot.ts";
import { AnimationClock } from "./views/animation-clock.ts";
import { showShortcuts } from "./views/shortcuts.ts";
import { StatusLane } from "./views/status-lane.ts";
import { UserMessageView } from "./views/user-message.ts";
import { firstTip, tips, Welcome, type WelcomeFacts } from "./views/welcome.ts";

/** A terminal that can do what only some can. */
export interface AppTerminal extends Terminal {
	readonly appearance?: Appearance | undefined;
	onAppearance?: ((appearance: Appearance) => void) | undefined;
	onLost?: ((reason: string) => void) | undefined;
	notify?(title: string, body?: string): void;
	copy?(text: string): boolean;
}

export interface ScreenOptions {
	terminal: AppTerminal;
	cwd: string;
	version: string;
	/** The directory of the user's themes; absent if they are not to be loaded. */
	themes: string | undefined;
	/** See `ThemeStoreOptions.named`. */
	namedThemes?: readonly string[] | undefined;
	/** See `ThemeStore.packaged`. */
	packagedThemes?: (() => readonly string[]) | undefined;
	theme: string;
	isStill: boolean;
	/** For screen readers. */
	isLinear?: boolean;
	/** Diffs in blue and orange. */
	isColorBlind?: boolean;
	/** How often Tau was started before; decides about the tip. */
	starts?: number;
	vim: boolean;
	env: Readonly<Record<string, string | undefined>>;
}

export class Screen implements Disposable {
	readonly terminal: AppTerminal;
	readonly tui: TUI;
	readonly theme: ThemeStore;
	readonly keys: KeybindingsManager = newKeys();
	readonly animation: AnimationClock;
	readonly editor: PromptEditor;
	readonly slot: EditorSlot;
	readonly transcript = new Transcript();
	readonly welcome: Welcome;
	readonly pending: PendingView;
	readonly status: StatusLane;
	/** Between the transcript and the editor. */
	readonly above: Container = new AboveEditor(() => this.status.isShown);
	readonly below = new Container();
	/** What Tau offers the user, if anything. */
	readonly offer: OfferLine;
	/** How often Tau was started before. */
	readonly starts: number;
	/** Before the transcript, and below everything. */
	readonly header: Slot;
	readonly footer: Slot;
	/** The label that replaces hidden thinking. */
	thinkingLabel: string | undefined;
	/** The width of an image at most; 0 if none is shown. */
	imageColumns = 0;
	/** Called when the directory's git branch changes. */
	readonly branchListeners = new Set<() => void>();
	/** What is known by now; the mode fills it in. */
	readonly facts: FooterFacts;
	readonly welcomeFacts: WelcomeFacts;
	readonly #following: Disposable;
	/** Prompts that were submitted before there was a session. */
	readonly early: { text: string; markers: Marker[] }[] = [];
	/** The prompts of earlier sessions, once there is a session. */
	history: PromptHistory | undefined;
	/** Called for an unexpected error that does not stop the program. */
	onTrouble: (message: string) => void = (message) => log.error(message);
	/** Called when the user exits before there is a session. */
	onLeave: (() => void) | undefined;

	constructor(options: ScreenOptions) {
		const { terminal, cwd, env } = options;
		this.terminal = terminal;
		this.tui = new TUI(terminal);
		this.theme = new ThemeStore({
			mode: colorModeOf(env),
			directory: options.themes,
			named: options.namedThemes,
			packaged: options.packagedThemes,
			name: options.theme,
			appearance: terminal.appearance ?? "dark",
			isColorBlind: options.isColorBlind,
		});
		// This is set first, because the terminal reports its appearance while everything else is loading.
		terminal.onAppearance = (appearance) => this.theme.setAppearance(appearance);
		this.#following = this.theme.onChange((_, why) => this.#showTheme(why));
		this.animation = new AnimationClock(this.tui);
		this.animation.isStill = options.isStill;
		if (options.isLinear) this.setLinear(true);
		this.facts = unknownFacts(cwd);
		this.starts = options.starts ?? 0;
		this.welcomeFacts = {
			version: options.version,
			cwd,
			model: undefined,
			loaded: [],
			tip: tipOf(this.starts),
			approvals: "",
		};
		this.offer = new OfferLine(this.theme, () => this.tui.requestRender());
		this.above.addChild(this.offer);
		setKeybindings(this.keys);
		this.editor = new PromptEditor(this.tui, liveEditorTheme(this.theme), {
			paddingX: 1,
			vimMode: options.vim,
		});
		this.editor.placeholder = (width) => this.theme.current.fg("dim", this.#placeholder(width));
		this.editor.onTrouble = (error) => this.trouble("A key", error);
		this.slot = new EditorSlot({
			screen: this.tui,
			editor: this.editor,
			onTrouble: (error) => this.trouble("The open dialog", error),
			now: () => this.animation.now(),
			after: timer,
			hint: (text) => ` ${this.theme.current.fg("accent", text)}`,
		});
		this.tui.addInputListener((data) => (this.slot.sawKey(data) ? { consume: true } : undefined));
		this.editor.onHelp = () =>
			showShortcuts({
				editor: this.editor,
				theme: this.theme,
				showInEditor: (component) => this.slot.show(component),
				search: () => void this.#openKeys(),
			});
		this.editor.onHistorySearch = (prompts) => void this.#openHistory(prompts);
		this.welcome = new Welcome(this.theme, () => this.welcomeFacts);
		this.header = new Slot(this.welcome);
		this.footer = new Slot(new Footer(this.theme, () => this.facts));
		this.pending = new PendingView(this.theme);
		this.status = new StatusLane(this.theme, this.animation);
		for (const part of this.#parts()) this.tui.addChild(part);
		this.tui.setFocus(this.slot.current);
		this.editor.onAction = (action) => this.#actEarly(action);
		this.editor.onSubmit = (text, markers = []) => this.#keepEarly(text, markers);
	}

	/** For screen readers: nothing moves, and nothing is drawn with lines. */
	setLinear(on: boolean): void {
		this.animation.isSilent = on;
		this.tui.setLinear(on);
	}

	start(): void {
		this.tui.start();
	}

	/** Leaves only the transcript on the screen, and below it what the user is to know. */
	finish(words: string): void {
		const live = [this.pending, this.status, this.above, this.slot, this.below, this.footer];
		for (const part of live) this.tui.removeChild(part);
		if (words !== "") this.tui.addChild(new Text(this.theme.current.fg("dim", words), 1, 1));
	}

	/** Scrolled-off lines stay unchanged unless the user asks: redrawing them costs the terminal's history. */
	#showTheme(why: ThemeReason): void {
		if (why === "chosen") return this.redrawAll();
		for (const block of this.transcript.children) block.invalidate();
		this.tui.invalidate();
		this.tui.requestRender(true);
	}

	/** Reports the error to the user and to the log. */
	trouble(what: string, error: unknown): void {
		const reason = error instanceof Error ? error.message : String(error);
		log.error("something failed", { what, reason, stack: error instanceof Error ? (error.stack ?? "") : "" });
		this.onTrouble(`${what} failed: ${reason}. The log is in ${dirs().logs}.`);
	}

	/**
	 * Blocks show more or less than before. The terminal's history stays as it is; to show more, the last turn is
	 * shown again, also what of it has scrolled away.
	 */
	relayout(showsMore: boolean): void {
		const { children } = this.transcript;
		this.transcript.relayout(
			showsMore ? children.findLast((block) => block instanceof UserMessageView) : undefined,
		);
		this.tui.requestRender();
	}

	/** The last turn, drawn afresh. */
	lastTurnRows(): string[] {
		const { children } = this.transcript;
		const blocks = children.slice(children.findLastIndex((block) => block instanceof UserMessageView));
		for (const block of blocks) block.invalidate();
		return blocks.flatMap((block) => block.render(this.terminal.columns));
	}

	/** Redraws everything, including the terminal's history, because the user changed how it is shown. */
	redrawAll(): void {
		const blocks = this.transcript.children;
		this.transcript.clear();
		for (const block of blocks) {
			block.invalidate();
			this.transcript.addChild(block);
		}
		this.tui.invalidate();
		this.tui.resetDisplay();
	}

	[Symbol.dispose](): void {
		this.#following[Symbol.dispose]();
		this.animation[Symbol.dispose]();
		this.slot[Symbol.dispose]();
		this.editor[Symbol.dispose]();
		this.tui.stop();
	}

	/** The longest that fits. */
	#placeholder(width: number): string {
		const texts = this.status.activity
			? ["Enter steers, alt+enter queues a follow-up", "Enter steers, alt+enter queues"]
			: ["Ask anything, / for commands, ? for help", "Ask anything, ? for help"];
		return texts.find((text) => visibleWidth(text) <= width) ?? "";
	}

	async #openKeys(): Promise<void> {
		const { openShortcuts } = await import("./selectors/shortcuts/selector.ts");
		const { theme, tui, slot } = this;
		openShortcuts({ theme, tui, showInEditor: (component) => slot.show(component) }, this.keys);
	}

	async #openHistory(session: readonly PastPrompt[]): Promise<void> {
		const { historySelector } = await import("./selectors/history/selector.ts");
		const { openSelector } = await import("./selectors/open.ts");
		const { theme, tui, slot } = this;
		openSelector({ theme, tui, showInEditor: (component) => slot.show(component) }, (screen, close) => ({
			component: historySelector(screen, {
				session,
				stored: this.history,
				now: Date.now(),
				choose: (text) => this.editor.recall(text),
				close,
			}),
		}));
	}

	#actEarly(action: AppAction): boolean {
		const isEnd = action === "app.exit" || (action === "app.clear" && this.editor.getText() === "");
		if (isEnd) this.onLeave?.();
		else if (action === "app.clear") this.editor.setText("");
		return isEnd || action === "app.clear";
	}

	#keepEarly(text: string, markers: Marker[]): void {
		if (text === "" && markers.length === 0) return;
		this.early.push({ text, markers });
		this.pending.set(
			[],
			this.early.map((one) => one.text),
		);
	}

	#parts(): Component[] {
		return [
			this.header,
			this.transcript,
			this.pending,
			this.status,
			this.above,
			this.slot,
			this.below,
			this.footer,
		];
	}
}

/** A blank row is above the editor, whatever is above that; only the line of the current activity touches it. */
class AboveEditor extends Container {
	readonly #isBelowStatus: () => boolean;

	constructor(isBelowStatus: () => boolean) {
		super();
		this.#isBelowStatus = isBelowStatus;
	}

	override render(width: number): string[] {
		const rows = super.render(width);
		return rows.length === 0 && this.#isBelowStatus() ? rows : [...rows, ""];
	}
}

export function liveEditorTheme(theme: ThemeStore): EditorTheme {
	return {
		borderColor: (text) => theme.current.fg("border", text),
		selectList: liveSelectTheme(theme),
	};
}

/** Colors are asked for when something is drawn: the theme may have changed. */
export function liveSelectTheme(theme: ThemeStore): SelectListTheme {
	return {
		selectedPrefix: (text) => theme.current.fg("accent", text),
		selectedText: (text) => theme.current.fg("accent", text),
		description: (text) => theme.current.fg("muted", text),
		scrollInfo: (text) => theme.current.fg("dim", text),
		noMatch: (text) => theme.current.fg("warning", text),
		selectedRow: (text) => theme.current.selected(text),
	};
}

function unknownFacts(cwd: string): FooterFacts {
	return {
		cwd,
		git: undefined,
		sessionName: undefined,
		model: undefined,
		thinking: "off",
		approvals: undefined,
		context: undefined,
		used: { input: 0, output: 0, cost: 0 },
		statuses: [],
		flash: undefined,
		segments: [],
	};
}

/** The first start shows what one needs first, each later one another tip. */
function tipOf(starts: number): string {
	return starts === 0 ? firstTip : (tips[(starts - 1) % tips.length] ?? firstTip);
}
