/** Tool results for protocols that accept only text: their text, and their images after them. */
import type { ImageContent, Message, TextContent, ToolResultMessage } from "../types.ts";
import { notes } from "./notes/index.ts";

/** A result cannot contain images there: they follow the results of an answer as a user message. */
export function imagesAfterResults(messages: readonly Message[]): Message[] {
	const out: Message[] = [];
	let images: ImageContent[] = [];
	const show = (): void => {
		if (images.length > 0) out.push({ role: "user", content: images, timestamp: 0 });
		images = [];
	};
	for (const message of messages) {
		if (message.role !== "toolResult") {
			show();
			out.push(message);
			continue;
		}
		const shown = message.content.filter((part) => part.type === "image");
		images.push(...shown);
		out.push(shown.length === 0 ? message : { ...message, content: message.content.map(asText) });
	}
	show();
	return out;
}

function asText(part: TextContent | ImageContent): TextContent {
	return part.type === "text" ? part : { type: "text", text: notes.imageBelow };
}

/** The texts of a result, or a note that there are none. */
export function resultText({ content }: ToolResultMessage): string {
	return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") || notes.noOutput;
}
