/** The answer to a question beside the conversation, in place of the editor: it streams in, scrolls and can be dismissed. */
import { Markdown, markdownTheme, wrapTextWithAnsi, type Theme } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { ScrollPane } from "../kit/scroll-pane.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";

export interface AnswerPaneParts {
	title: string;
	question: string;
	/** Asks, and resolves when the answer is complete. Rejects with the reason why there is none. */
	ask(options: { signal: AbortSignal; onText(delta: string): void }): Promise<unknown>;
	/** Closes itself when the answer is complete, because it is shown elsewhere then. */
	closesAtEnd?: boolean;
	close(): void;
}

export interface AnswerPane {
	component: ScrollPane;
	/** Stops the question. */
	owns: Disposable;
}

export function answerPane(screen: PickerScreen, parts: AnswerPaneParts): AnswerPane {
	const { title, question, ask, closesAtEnd = false, close } = parts;
	const stop = new AbortController();
	let state: "asking" | "answered" | { failed: string } = "asking";
	let text = "";
	let drawn: { theme: Theme; markdown: Markdown } | undefined;
	const answerRows = (width: number, theme: Theme): string[] => {
		if (drawn?.theme !== theme) {
			drawn = { theme, markdown: new Markdown("", 0, 0, markdownTheme(theme)) };
			drawn.markdown.append(text);
		}
		return text === "" ? [] : drawn.markdown.render(width);
	};
	const component = new ScrollPane(screen, {
		title,
		follows: true,
		mostRows: () => Math.max(limits.leastAnswerRows, Math.floor(screen.rows * limits.answerShare)),
		leaves: () => (state === "asking" ? "cancel" : "close"),
		back: close,
		rows: (width, theme) => [
			...wrapTextWithAnsi(stripControls(question), width).map((row) => theme.fg("muted", row)),
			"",
			...answerRows(width, theme),
			...(state === "asking" && text === "" ? [theme.fg("dim", "Waiting for the answer…")] : []),
			...(typeof state === "object"
				? wrapTextWithAnsi(stripControls(state.failed), width).map((row) => theme.fg("error", row))
				: []),
		],
	});
	const changed = (): void => {
		component.invalidate();
		screen.requestRender();
	};
	const onText = (delta: string): void => {
		text += delta;
		drawn?.markdown.append(delta);
		changed();
	};
	ask({ signal: stop.signal, onText }).then(
		() => {
			state = "answered";
			drawn?.markdown.setText(text);
			changed();
			if (closesAtEnd) close();
		},
		(error: unknown) => {
			state = { failed: error instanceof Error ? error.message : String(error) };
			changed();
		},
	);
	return { component, owns: { [Symbol.dispose]: () => stop.abort() } };
}
