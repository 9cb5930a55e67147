/** Expands a prompt for the model: inserts the templates and skills that the user called by name. */
import type { Prompt } from "@tau/session";
import { UserError } from "@tau/session/run";

import type { CallableResources } from "./expand-prompt.ts";

export interface ExpandParts {
	/** What can be called. */
	resources: CallableResources;
	onNotice(message: string): void | Promise<void>;
	signal: AbortSignal;
}

/** Throws a UserError if the skill is unknown, or its file is gone. */
export async function expandedPrompt(prompt: Prompt, parts: ExpandParts): Promise<Prompt> {
	const { text, source } = prompt;
	const message = prompt.userText !== undefined && text.endsWith(prompt.userText) ? prompt.userText : text;
	// A prompt of an extension is sent unchanged, as in pi.
	if (source === "extension" || !isCall(message)) return prompt;
	const { expandPrompt } = await import("./expand-prompt.ts");
	const expansion = await expandPrompt(message, parts.resources, parts.signal);
	if (expansion.kind === "refused") throw new UserError(expansion.reason);
	if (expansion.kind === "plain") return prompt;
	for (const notice of expansion.notices) await parts.onNotice(notice);
	return {
		...prompt,
		text: text.slice(0, text.length - message.length) + expansion.text,
		invocation: message.trim(),
	};
}

/** Rejects an unknown skill, for callers that must respond before the prompt is sent. */
export async function refuseUnknown(text: string, resources: CallableResources | undefined): Promise<void> {
	if (!resources || !isCall(text)) return;
	const { unknownCall } = await import("./expand-prompt.ts");
	const reason = unknownCall(text, resources);
	if (reason !== undefined) throw new UserError(reason);
}

function isCall(text: string): boolean {
	return text.trimStart().startsWith("/");
}
