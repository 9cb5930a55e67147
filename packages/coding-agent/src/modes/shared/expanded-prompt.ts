/** A prompt as the model gets it: templates and skills that the person called by name are put in. */
import type { Resources } from "../../discovery/resources.ts";
import type { AgentSession, Prompt } from "../../session/index.ts";
import { Refusal } from "./refusal.ts";

export interface ExpandParts {
	/** What can be called; nothing where nothing is found. */
	resources: Resources | undefined;
	/** Commands of extensions come first. */
	session: Pick<AgentSession, "isCommand">;
	onNotice(message: string): void | Promise<void>;
	signal?: AbortSignal;
}

/** Throws a refusal where a skill is called that is not there, or a file is gone. */
export async function expandedPrompt(prompt: Prompt, parts: ExpandParts): Promise<Prompt> {
	const { resources, session, onNotice, signal } = parts;
	if (!resources || !prompt.text.trimStart().startsWith("/") || session.isCommand(prompt)) return prompt;
	const { expandPrompt } = await import("../../extensibility/prompt-templates/index.ts");
	const expansion = await expandPrompt(prompt.text, resources, signal);
	if (expansion.kind === "refused") throw new Refusal(expansion.reason);
	if (expansion.kind === "plain") return prompt;
	for (const notice of expansion.notices) await onNotice(notice);
	return { ...prompt, text: expansion.text };
}
