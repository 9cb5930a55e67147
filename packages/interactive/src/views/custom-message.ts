/** A message of an extension: drawn by the extension's renderer, else like an answer. */
import { wrapTextWithAnsi, type Component, type Theme } from "@tau/tui";
import { oneLine, runOwned, stripControls } from "@tau/utils";
import type { WireMessage } from "@tau/wire";

import { AnswerTextView } from "./answer-text.ts";
import { isSettled, renderHelpers, ViewBlock, type ViewContext } from "./view-context.ts";

export type CustomMessage = Extract<WireMessage, { role: "custom" }>;

export class CustomMessageView extends ViewBlock {
	readonly #message: CustomMessage;
	readonly #plain: AnswerTextView;
	#drawn: Component | undefined;

	constructor(view: ViewContext, message: CustomMessage) {
		super(view, "flush");
		this.#message = message;
		this.#plain = new AnswerTextView(view, textOf(message), true, false);
	}

	override invalidate(): void {
		super.invalidate();
		this.#plain.invalidate();
	}

	protected override isDone(): boolean {
		return isSettled(this.#drawn);
	}

	protected draw(width: number, theme: Theme): string[] {
		const render = this.view.findMessageRenderer(this.#message.customType);
		const component = render?.(
			this.#message,
			{ expanded: this.view.expandTools, ...renderHelpers(theme) },
			theme,
		);
		this.#drawn = component;
		if (component) return ["", ...runOwned(component, "render", () => component.render(width))];
		return this.#message.customType === "job" ? this.#jobEnd(width, theme) : this.#labelled(width, theme);
	}

	/** As in pi: whose message it is, then its text. */
	#labelled(width: number, theme: Theme): string[] {
		const [first = "", ...rest] = this.#plain.render(width);
		const label = ` [${oneLine(this.#message.customType, Math.max(1, width - 3))}]`;
		const rows = first.trim() === "" ? rest : [first, ...rest];
		return ["", theme.fg("customMessageLabel", label), ...rows];
	}

	/** The first line says which job has ended and how; its output follows. */
	#jobEnd(width: number, theme: Theme): string[] {
		const [head = "", ...output] = stripControls(textOf(this.#message)).split("\n");
		const shown = this.view.expandTools ? output : [];
		const indented = (text: string, indent: string): string[] =>
			wrapTextWithAnsi(text, Math.max(1, width - indent.length)).map((row) => indent + row);
		return [
			"",
			...indented(theme.fg("muted", head), " "),
			...shown.flatMap((line) => indented(theme.fg("toolOutput", line), "   ")),
		];
	}
}

function textOf({ content }: CustomMessage): string {
	if (typeof content === "string") return content;
	return content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n");
}
