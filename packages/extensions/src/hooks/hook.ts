/** A hook: a command that runs at an event of the session, in the terms of Claude Code's settings. */
import type { Discovered } from "@tau/resources/discovery";

/** The moments that Tau has. */
export const hookEvents = [
	"SessionStart",
	"UserPromptSubmit",
	"PreToolUse",
	"PostToolUse",
	"PostToolUseFailure",
	"Notification",
	"Stop",
	"StopFailure",
	"SubagentStart",
	"SubagentStop",
	"PreCompact",
	"PostCompact",
	"SessionEnd",
] as const;

export type HookEventName = (typeof hookEvents)[number];

export interface Hook extends Discovered {
	kind: "command";
	event: HookEventName;
	/** The tools or reasons of the event that the hook applies to, as written in the file. */
	matcher: string;
	/** A line for the shell or, with arguments, a program. */
	command: string;
	args?: readonly string[];
	/** A rule as `Bash(git *)`, which the call has to match as well. */
	condition?: string;
	timeoutMs: number;
	/** It runs in the background. */
	isAsync: boolean;
	/** Where `CLAUDE_PROJECT_DIR` leads; the root of the project by default. */
	projectDir?: string;
	/** What else is in its environment. */
	env?: Readonly<Record<string, string>>;
}

/** A file that sets `disableAllHooks`: no hook of its program runs then. */
export interface HooksOff extends Discovered {
	kind: "off";
}

export type HookItem = Hook | HooksOff;
