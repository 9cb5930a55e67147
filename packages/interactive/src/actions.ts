/** What the keys of the application do. */
import type { Editor } from "@tau/tui";

import { commandOf, type AppAction } from "./keys.ts";
import { limits } from "./limits.ts";
import { cellIn } from "./typed-cell.ts";

export interface ActionParts {
	editor: Editor;
	now(): number;
	/** Cancels the current work; returns whether there was any. */
	stop(): boolean;
	/** Escape twice, while nothing runs and nothing is written. */
	doubleEscape(): void;
	/** Asks first, where something would be lost. */
	leave(): void;
	/** Stashes the draft, or restores it; returns whether there was one. */
	stashDraft(): boolean;
	/** Moves running commands to the background; returns whether there were any. */
	background(): boolean;
	suspend(): void;
	redraw(): void;
	editOutside(): void;
	pasteImage(): void;
	followUp(): void;
	dequeueLast(): boolean;
	toggleTools(): void;
	toggleThinking(): void;
	cycleThinking(): void;
	cycleApproval(): void;
	cycleModel(step: 1 | -1): void;
	/** Returns whether something was offered. */
	answerOffer(isAccepted: boolean): boolean;
	/** Returns whether the command exists. */
	runCommand(name: string): boolean;
	hint(text: string): void;
}

/** Gives what `PromptEditor.onAction` asks for. */
export function actionsFor(parts: ActionParts): (action: AppAction) => boolean {
	const table = actionTable(parts);
	return (action) => {
		const name = commandOf[action];
		if (name !== undefined) return parts.runCommand(name);
		return table[action]?.() ?? false;
	};
}

type Table = Partial<Record<AppAction, () => boolean>>;

function actionTable(parts: ActionParts): Table {
	const always = (act: () => void) => () => {
		act();
		return true;
	};
	const presses = new Presses(parts.now);
	return {
		"app.interrupt": () => interrupt(parts, presses),
		"app.clear": always(() => clear(parts, presses)),
		"app.exit": always(() => parts.leave()),
		"app.suspend": always(() => parts.suspend()),
		"app.draft.stash": () => parts.stashDraft(),
		"app.command.background": () => parts.background(),
		"app.screen.redraw": always(() => parts.redraw()),
		"app.editor.external": always(() => parts.editOutside()),
		"app.clipboard.pasteImage": always(() => parts.pasteImage()),
		"app.message.followUp": always(() => parts.followUp()),
		"app.message.dequeue": () => parts.dequeueLast(),
		"app.tools.expand": always(() => parts.toggleTools()),
		"app.thinking.toggle": always(() => parts.toggleThinking()),
		"app.thinking.cycle": always(() => parts.cycleThinking()),
		"app.approval.cycle": always(() => parts.cycleApproval()),
		"app.offer.accept": () => parts.answerOffer(true),
		"app.offer.never": () => parts.answerOffer(false),
		"app.model.cycleForward": always(() => parts.cycleModel(1)),
		"app.model.cycleBackward": always(() => parts.cycleModel(-1)),
	};
}

/** Finds out whether a key is pressed twice in a row. */
class Presses {
	readonly #now: () => number;
	#last: { action: AppAction; at: number } | undefined;

	constructor(now: () => number) {
		this.#now = now;
	}

	isSecond(action: AppAction): boolean {
		const at = this.#now();
		const last = this.#last;
		const isSecond = last?.action === action && at - last.at <= limits.doublePressMs;
		this.#last = isSecond ? undefined : { action, at };
		return isSecond;
	}

	forget(): void {
		this.#last = undefined;
	}
}

function interrupt(parts: ActionParts, presses: Presses): boolean {
	if (parts.stop()) {
		presses.forget();
		return true;
	}
	const text = parts.editor.getText();
	// Leaves the mode of commands and cells; undo restores the text.
	const isRun = text.startsWith("!") || text === "$" || cellIn(text) !== undefined;
	if (isRun) parts.editor.setText("");
	if (text !== "") return isRun;
	if (presses.isSecond("app.interrupt")) parts.doubleEscape();
	return true;
}

function clear(parts: ActionParts, presses: Presses): void {
	const isSecond = presses.isSecond("app.clear");
	// What was written since the first press is cleared, and nobody leaves by accident.
	if (isSecond && parts.editor.getText() === "") return parts.leave();
	// Undo restores it.
	if (parts.editor.getText() !== "") return parts.editor.setText("");
	// With an empty editor it stops what is running; when nothing is, a second press quits.
	if (!parts.stop()) parts.hint("press ctrl+c again to exit");
}
