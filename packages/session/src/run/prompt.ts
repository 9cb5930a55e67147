/** What somebody says to the model. */
import type { ImageContent, Message, TextContent } from "@tau/ai";

export interface Prompt {
	text: string;
	images?: readonly ImageContent[];
	/** Who says it; the mode knows where it is not said. */
	source?: "interactive" | "rpc" | "extension";
	/** How it is going to wait, where an answer is under way. */
	streamingBehavior?: "steer" | "followUp";
	/** The end of the text, where only that was said: before it stand files and what was piped in. */
	userText?: string;
	/** What was said, where the text has what it calls instead. */
	invocation?: string;
	/** Extensions were asked about it, and what it calls is put in. */
	admitted?: true;
}

/** Puts in what is called by name. Rejects with why it cannot be said. */
export type ExpandPrompt = (prompt: Prompt, signal: AbortSignal) => Promise<Prompt>;

export function userMessage({ text, images = [], invocation }: Prompt): Message {
	const parts: (TextContent | ImageContent)[] = [{ type: "text", text }, ...images];
	return {
		role: "user",
		content: images.length === 0 ? text : parts,
		...(invocation === undefined ? {} : { called: invocation }),
		timestamp: Date.now(),
	};
}
