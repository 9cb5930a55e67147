/** What the person said, on its own ground. */
import type { AgentMessage } from "@tau/agent";
import { Text, type Theme } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { StageBlock, type Stage } from "./stage.ts";

export class UserMessageView extends StageBlock {
	readonly #text: string;

	constructor(stage: Stage, message: AgentMessage) {
		super(stage);
		this.#text = spokenText(message);
	}

	protected draw(width: number, theme: Theme): string[] {
		const ground = (row: string): string => theme.bg("userMessageBg", theme.fg("userMessageText", row));
		return new Text(this.#text, 1, 0, ground).render(width);
	}
}

/** The words of a message, with a sign for each image. */
function spokenText(message: AgentMessage): string {
	if (message.role !== "user") return "";
	if (typeof message.content === "string") return stripControls(message.content);
	const parts = message.content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`));
	return stripControls(parts.join(" "));
}
