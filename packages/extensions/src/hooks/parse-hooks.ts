/** Reads the `hooks` of a settings file: what can be run, and what cannot with the reason. */
import { oneLine, isRecord } from "@tau/utils";

import type { Findings, Origin } from "@tau/resources/discovery";
import { hookEvents, type Hook, type HookEventName } from "./hook.ts";
import { limits } from "./limits.ts";
import { matcherProblem } from "./matcher.ts";

export type HookOrigin = Origin & Pick<Hook, "projectDir" | "env">;

/** Moments of Claude Code that Tau does not have: a hook for them is no mistake, and never runs. */
const silentEvents = new Set([
	"PermissionRequest",
	"PermissionDenied",
	"Setup",
	"UserPromptExpansion",
	"PostToolBatch",
	"TaskCreated",
	"TaskCompleted",
	"TeammateIdle",
	"InstructionsLoaded",
	"ConfigChange",
	"CwdChanged",
	"FileChanged",
	"WorktreeCreate",
	"WorktreeRemove",
	"Elicitation",
	"ElicitationResult",
]);

/** `hooks` is the value behind the key of that name. */
export function parseHooks(hooks: unknown, origin: HookOrigin): Findings<Hook> {
	const findings: Findings<Hook> = { items: [], warnings: [] };
	const warn = (message: string): void => {
		findings.warnings.push({ path: origin.path, message, isLeftOut: true });
	};
	if (!isRecord(hooks)) {
		warn("hooks must be a group with a list for each event");
		return findings;
	}
	for (const [event, groups] of Object.entries(hooks)) {
		const known = hookEvents.find((name) => name === event);
		if (!known) {
			if (!silentEvents.has(event)) warn(`hooks: unknown event "${oneLine(event, 40)}"`);
			continue;
		}
		if (!Array.isArray(groups)) warn(`hooks.${event} must be a list`);
		else for (const group of groups) takeGroup(known, group, origin, findings, warn);
	}
	return findings;
}

function takeGroup(
	event: HookEventName,
	group: unknown,
	origin: HookOrigin,
	findings: Findings<Hook>,
	warn: (message: string) => void,
): void {
	const at = `hooks.${event}`;
	if (!isRecord(group) || !Array.isArray(group.hooks)) {
		warn(`${at}: each entry must have a list "hooks"`);
		return;
	}
	const { matcher = "" } = group;
	if (typeof matcher !== "string") {
		warn(`${at}: matcher must be a string`);
		return;
	}
	const slip = matcherProblem(matcher);
	if (slip !== undefined) warn(`${at}: ${slip}`);
	for (const entry of group.hooks) {
		const hook = hookOf(event, matcher, entry, origin);
		if (typeof hook === "string") warn(`${at}: ${hook}`);
		else if (findings.items.length < limits.perFile) findings.items.push(hook);
		else warn(`${at}: more than ${limits.perFile} hooks`);
	}
}

/** The hook, or what is wrong with it. */
function hookOf(
	event: HookEventName,
	matcher: string,
	entry: unknown,
	hookOrigin: HookOrigin,
): Hook | string {
	if (!isRecord(entry)) return "a hook must be a group with type and command";
	const { type = "command", command, args, timeout, async: isAsync, if: condition } = entry;
	if (type !== "command")
		return `hooks of type "${oneLine(String(type), 40)}" are not supported, only commands`;
	if (typeof command !== "string" || command.trim() === "") return "a hook has no command";
	const seconds = typeof timeout === "number" && timeout > 0 ? timeout : limits.timeoutMs / 1000;
	const { projectDir, env, ...origin } = hookOrigin;
	return {
		kind: "command",
		name: `${event}${matcher === "" ? "" : ` ${oneLine(matcher, limits.commandChars)}`}`,
		origin,
		event,
		matcher,
		command,
		timeoutMs: Math.min(seconds * 1000, limits.timeoutMaxMs),
		isAsync: isAsync === true,
		...(isTexts(args) ? { args } : {}),
		...(typeof condition === "string" ? { condition } : {}),
		...(projectDir === undefined ? {} : { projectDir }),
		...(env === undefined ? {} : { env }),
	};
}

function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((each) => typeof each === "string");
}
