/** What the settings and the command line say about how a run goes: how often it is tried, what it may spend. */
import { dirs, env, type Env } from "@tau/utils";

import type { ModelRegistry } from "../models/model-registry.ts";
import { selector } from "../models/model-resolver.ts";
import type { Settings } from "../settings/index.ts";
import type { Budget, CompactionSettings, RetryHelp, RetrySettings } from "../index.ts";

export function retrySettings(settings: Settings): RetrySettings {
	return {
		enabled: settings.get("retry.enabled"),
		maxAttempts: settings.get("retry.maxRetries"),
		baseDelayMs: settings.get("retry.baseDelayMs"),
		maxDelayMs: settings.get("retry.maxDelayMs"),
	};
}

/** A new object for each session, which may change its mind. */
export function compactionSettings(settings: Settings): CompactionSettings {
	return {
		enabled: settings.get("compaction.enabled"),
		afterAnswer: true,
		reserveTokens: settings.get("compaction.reserveTokens"),
		keepRecentTokens: settings.get("compaction.keepRecentTokens"),
		thresholdPercent: settings.get("compaction.thresholdPercent"),
		thresholdTokens: settings.get("compaction.thresholdTokens"),
		retry: retrySettings(settings),
	};
}

/** The first of `fallbackModels` that can be used and has not failed yet. */
export function retryHelp(registry: ModelRegistry, settings: Settings): RetryHelp {
	return {
		fallback: (tried) =>
			settings
				.get("fallbackModels")
				.map((name) => registry.find(name))
				.find(
					(model) =>
						model && registry.isAvailable(model) && !tried.some((one) => selector(one) === selector(model)),
				),
	};
}

/** Where a session is to be named: not where the person turned it off. */
export function titleOf(settings: Settings, from: Env): { agentDir: string } | undefined {
	const isOff = env("TAU_NO_TITLE", from) !== undefined || !settings.get("sessionTitle");
	return isOff ? undefined : { agentDir: dirs(from).agent };
}

/** `overrides` win over the settings. */
export function budgetOf(settings: Settings, overrides: Budget = {}): Budget {
	const maxCost = overrides.maxCost ?? settings.get("budget.maxCost");
	const maxTurns = overrides.maxTurns ?? settings.get("budget.maxTurns");
	const maxTokens = overrides.maxTokens ?? settings.get("budget.maxTokens");
	return {
		...(maxCost === undefined ? {} : { maxCost }),
		...(maxTurns === undefined ? {} : { maxTurns }),
		...(maxTokens === undefined ? {} : { maxTokens }),
	};
}
