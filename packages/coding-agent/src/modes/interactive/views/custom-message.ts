/** A message of an extension: drawn by the renderer that the extension brings, else as an answer is. */
import type { Theme } from "@tau/tui";
import type { CustomMessage } from "@tau/session";

import { AnswerTextView } from "./answer-text.ts";
import { StageBlock, type Stage } from "./stage.ts";

export class CustomMessageView extends StageBlock {
	readonly #message: CustomMessage;
	readonly #plain: AnswerTextView;

	constructor(stage: Stage, message: CustomMessage) {
		super(stage, false);
		this.#message = message;
		this.#plain = new AnswerTextView(stage, textOf(message), true, false);
	}

	override invalidate(): void {
		super.invalidate();
		this.#plain.invalidate();
	}

	protected draw(width: number, theme: Theme): string[] {
		const render = this.stage.findMessageRenderer(this.#message.customType);
		const component = render?.(this.#message, { expanded: this.stage.expandTools }, theme);
		return component ? ["", ...component.render(width)] : this.#plain.render(width);
	}
}

function textOf({ content }: CustomMessage): string {
	if (typeof content === "string") return content;
	return content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n");
}
