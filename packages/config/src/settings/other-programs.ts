/** The user's own settings for pi and omp: the lowest layer, as far as they mean the same here and change nothing that protects the user. */
import { join, resolve } from "node:path";

import type { SettingPath } from "./schema.ts";

export type OtherProgram = "pi" | "omp";

/** Files of another program, lowest first. */
export function otherFiles(home: string, agentDir: string): { program: OtherProgram; path: string }[] {
	const files: [program: OtherProgram, path: string][] = [
		["pi", ".pi/agent/settings.json"],
		["omp", ".omp/agent/settings.json"],
		["omp", ".omp/agent/config.yaml"],
		["omp", ".omp/agent/config.yml"],
	];
	return files
		.map(([program, path]) => ({ program, path: join(home, path) }))
		.filter(({ path }) => resolve(path, "..") !== resolve(agentDir));
}

/** Where another program has its models. */
export function otherDirectories(home: string): { program: OtherProgram; path: string }[] {
	return [
		{ program: "omp", path: join(home, ".omp/agent") },
		{ program: "pi", path: join(home, ".pi/agent") },
	];
}

/** Whether `discovery.disabled` leaves it out: `omp`, or `omp/settings`. */
export function isSwitchedOff(
	program: OtherProgram,
	kind: "settings" | "models",
	disabled: readonly string[],
): boolean {
	return disabled.some((entry) => [program, `${program}/${kind}`].includes(entry.trim().toLowerCase()));
}

/**
 * Approvals, the sandbox, commands, directories, addresses that conversations are sent to, memory and extensions are
 * decided for Tau anew; themes and key names are not the same.
 */
const taken = new Set<string>([
	"modelRoles",
	"enabledModels",
	"modelProviderOrder",
	"disabledProviders",
	"fallbackModels",
	"defaultThinkingLevel",
	"favoriteModels",
	"steeringMode",
	"followUpMode",
	"ask.timeoutSeconds",
	"loopDetection",
	"treeFilterMode",
	"doubleEscape",
	"thinking.show",
	"autocompleteMaxVisible",
	"tui.maxInlineImages",
	"terminal.showImages",
	"terminal.imageWidthCells",
	"showHardwareCursor",
	"compaction.enabled",
	"compaction.strategy",
	"compaction.reserveTokens",
	"compaction.keepRecentTokens",
	"compaction.thresholdPercent",
	"compaction.thresholdTokens",
	"compaction.autoContinue",
	"compaction.idleEnabled",
	"compaction.idleThresholdTokens",
	"compaction.idleTimeoutSeconds",
	"contextPromotion.enabled",
	"providers.openaiWebsockets",
] satisfies SettingPath[]);

export function isTakenOver(path: SettingPath): boolean {
	return taken.has(path) || /^(?:retry|budget|branchSummary)\./.test(path);
}
