/** A prompt: what a user, a program or an extension sends to the model. */
import type { AgentMessage } from "@tau/agent";
import type { ImageContent, TextContent } from "@tau/ai";

import { UserError } from "./user-error.ts";

export interface Prompt {
	text: string;
	images?: readonly ImageContent[];
	/** The source; the client's own if absent. */
	source?: "interactive" | "rpc" | "extension";
	/** How it is queued while a run is active. */
	streamingBehavior?: "steer" | "followUp";
	/** The end of the text, if only that is the user's: files and piped input come before it. */
	userText?: string;
	/** The typed text, if the text contains its expansion instead. */
	invocation?: string;
	/** The long texts that the user pasted, in order; a client may show each as a marker. */
	pastes?: readonly string[];
	/** Present where no user wrote it, such as the end of a job: the message is a custom one of this type. */
	customType?: string;
	/** Who wrote it, if that was not the owner of the session. */
	by?: string;
	/** Its text means nothing but itself: a guest calls no templates and skills. */
	isVerbatim?: true;
	/** True once input handlers have run and skills and templates are expanded. */
	admitted?: true;
}

/** The conversation without a failed or stopped answer at its end. Throws if the last turn went well. */
export function unansweredMessages(messages: readonly AgentMessage[]): readonly AgentMessage[] {
	const last = messages.at(-1);
	const hasFailed =
		last?.role === "assistant" && (last.stopReason === "error" || last.stopReason === "aborted");
	const rest = hasFailed ? messages.slice(0, -1) : messages;
	const role = rest.at(-1)?.role;
	if (role === undefined || role === "assistant")
		throw new UserError("There is nothing to retry: the last turn did not fail.");
	return rest;
}

/** Expands skills and templates that the prompt invokes. Rejects with the reason if it cannot. */
export type ExpandPrompt = (prompt: Prompt, signal: AbortSignal) => Promise<Prompt>;

/** The message that a prompt becomes. */
export function promptMessage({
	text,
	images = [],
	invocation,
	pastes = [],
	customType,
	by,
}: Prompt): AgentMessage {
	const parts: (TextContent | ImageContent)[] = [{ type: "text", text }, ...images];
	if (customType !== undefined)
		return {
			role: "custom",
			customType,
			content: images.length === 0 ? text : parts,
			display: true,
			timestamp: Date.now(),
		};
	const ranges = rangesOf(pastes, invocation ?? text);
	return {
		role: "user",
		content: images.length === 0 ? text : parts,
		...(invocation === undefined ? {} : { called: invocation }),
		...(ranges.length === 0 ? {} : { pastes: ranges }),
		...(by === undefined ? {} : { by }),
		timestamp: Date.now(),
	};
}

/** Start and end of each paste in the text; one that an input handler has changed is not there any more. */
function rangesOf(pastes: readonly string[], text: string): [number, number][] {
	const ranges: [number, number][] = [];
	let from = 0;
	for (const paste of pastes) {
		const at = text.indexOf(paste, from);
		if (at === -1) continue;
		from = at + paste.length;
		ranges.push([at, from]);
	}
	return ranges;
}
