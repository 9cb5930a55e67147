/** What a rule is: words for the model, and when they are said. */

export const interruptModes = ["always", "prose-only", "tool-only", "never"] as const;
export const contextModes = ["discard", "keep"] as const;
export const repeatModes = ["once", "after-gap"] as const;

export type InterruptMode = (typeof interruptModes)[number];
export type ContextMode = (typeof contextModes)[number];
export type RepeatMode = (typeof repeatModes)[number];

export interface Rule {
	/** Of its file; unique in a session. */
	name: string;
	path: string;
	level: "project" | "user" | "builtin";
	content: string;
	/** By which the model decides whether to read it. */
	description?: string;
	/** The files that it is about. */
	globs?: readonly string[];
	/** Whether it is in the system prompt. */
	alwaysApply?: boolean;
	/** Regular expressions; one that is met by what the model says calls for the rule. */
	condition?: readonly string[];
	/** The same with patterns of code, in files that the model writes. */
	astCondition?: readonly string[];
	/** Where the conditions count: `text`, `thinking`, `tool`, `tool:edit`, `tool:edit(*.ts)`. */
	scope?: readonly string[];
	/** These stand above the settings of the same names. */
	interruptMode?: InterruptMode;
	contextMode?: ContextMode;
	repeatMode?: RepeatMode;
	repeatGap?: number;
}
