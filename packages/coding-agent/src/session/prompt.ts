/** What somebody says to the model. */
import type { ImageContent, Message, TextContent } from "@tau/ai";

export interface Prompt {
	text: string;
	images?: readonly ImageContent[];
	/** Who says it; the mode knows where it is not said. */
	source?: "interactive" | "rpc" | "extension";
}

export function userMessage({ text, images = [] }: Prompt): Message {
	const parts: (TextContent | ImageContent)[] = [{ type: "text", text }, ...images];
	return { role: "user", content: images.length === 0 ? text : parts, timestamp: Date.now() };
}
