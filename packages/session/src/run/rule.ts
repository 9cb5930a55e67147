/** A rule: instructions for the model, and the conditions under which they apply. */
import type { ContextMode, InterruptMode, RepeatMode } from "../settings/rule-modes.ts";

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
