/** Prompt templates that a program passes as text: called by `/name`, like those in files. */
import { fillTemplate } from "@tau/resources/prompt-templates";

export interface PromptText {
	name: string;
	/** Absent where it is a file, which the session reads itself. */
	content?: string;
}

/** The text itself if it calls none of them. Commands and files in a template stay unexpanded. */
export async function withOwnPrompt(text: string, prompts: readonly PromptText[]): Promise<string> {
	const [, name, rest = ""] = /^\s*\/(\S+)(?:\s+([^]*))?$/.exec(text) ?? [];
	const body = prompts.find((prompt) => prompt.name === name)?.content;
	if (body === undefined) return text;
	return (await fillTemplate({ body, format: "markdown", rest })).text;
}
