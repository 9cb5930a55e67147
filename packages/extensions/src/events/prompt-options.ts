/** What handlers of `before_agent_start` change in `systemPromptOptions`, as it reaches the system prompt of the run. */
import { log } from "@tau/utils";

import type { BuildSystemPromptOptions } from "../api/event-types.ts";

/** The names of tags that sections can have. */
const tagName = /^[A-Za-z][\w-]*$/;

/** `forceSystemPrompt` replaces the whole prompt; otherwise each section follows it in a tag of its own. */
export function withPromptOptions(
	prompt: string,
	{ forceSystemPrompt, sections }: Pick<BuildSystemPromptOptions, "forceSystemPrompt" | "sections">,
): string {
	if (typeof forceSystemPrompt === "string") return forceSystemPrompt;
	// Extensions are not always typed.
	const added = Object.entries(sections ?? {}).filter(([name, text]: [string, unknown]) => {
		const isSection = tagName.test(name) && typeof text === "string";
		if (!isSection) log.warn("a section of the system prompt is left out", { name });
		return isSection;
	});
	return [prompt, ...added.map(([name, text]) => `<${name}>\n${text}\n</${name}>`)].join("\n\n");
}
