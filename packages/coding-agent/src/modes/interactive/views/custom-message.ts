/** A message of an extension: drawn by the renderer that the extension brings, else as an answer is. */
import type { Theme } from "@tau/tui";
import type { CustomMessage } from "@tau/session";

import { AnswerTextView } from "./answer-text.ts";
import { ViewBlock, type ViewContext } from "./view-context.ts";

export class CustomMessageView extends ViewBlock {
	readonly #message: CustomMessage;
	readonly #plain: AnswerTextView;

	constructor(view: ViewContext, message: CustomMessage) {
		super(view, false);
		this.#message = message;
		this.#plain = new AnswerTextView(view, textOf(message), true, false);
	}

	override invalidate(): void {
		super.invalidate();
		this.#plain.invalidate();
	}

	protected draw(width: number, theme: Theme): string[] {
		const render = this.view.findMessageRenderer(this.#message.customType);
		const component = render?.(this.#message, { expanded: this.view.expandTools }, theme);
		return component ? ["", ...component.render(width)] : this.#plain.render(width);
	}
}

function textOf({ content }: CustomMessage): string {
	if (typeof content === "string") return content;
	return content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n");
}
