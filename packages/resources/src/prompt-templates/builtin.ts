/** The built-in prompt templates. A template of the user with the same name takes precedence. */
import init from "./init.md" with { type: "text" };

export interface BuiltinPrompt {
	name: string;
	description: string;
	argumentHint?: string;
	text: string;
}

export const builtinPrompts: readonly BuiltinPrompt[] = [
	{
		name: "init",
		description: "Write AGENTS.md: instructions for agents that work on this project",
		argumentHint: "[what to consider]",
		text: init.trim(),
	},
];
