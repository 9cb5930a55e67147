/** The type of a prompt template: a text that the user calls by `/name`, with placeholders for arguments. */
import type { Discovered } from "../discovery/types.ts";

/** `gemini` is TOML with its own placeholders. */
export type TemplateFormat = "markdown" | "gemini";

export interface PromptTemplate extends Discovered {
	/** Folders below the directory are part of it: `git:commit`. */
	name: string;
	description: string;
	/** What to type behind the name: `<PR-URL>`. */
	argumentHint?: string;
	path: string;
	format: TemplateFormat;
}
