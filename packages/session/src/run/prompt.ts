/** A prompt: what a user, a program or an extension sends to the model. */
import type { ImageContent, Message, TextContent } from "@tau/ai";

export interface Prompt {
	text: string;
	images?: readonly ImageContent[];
	/** Who sends it; the client's own source if absent. */
	source?: "interactive" | "rpc" | "extension";
	/** How it is queued while a run is active. */
	streamingBehavior?: "steer" | "followUp";
	/** The end of the text, where only that was said: before it stand files and what was piped in. */
	userText?: string;
	/** What was said, where the text has what it calls instead. */
	invocation?: string;
	/** True once input handlers have run and skills and templates are expanded. */
	admitted?: true;
}

/** Expands skills and templates that the prompt invokes. Rejects with the reason if it cannot. */
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
