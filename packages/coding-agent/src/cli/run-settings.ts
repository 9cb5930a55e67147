/** What the settings and the command line say about how a run goes: how often it is tried, what it may spend. */
import { dirs, env, type Env } from "@tau/utils";

import type { ModelRegistry } from "../config/model-registry.ts";
import { selector } from "../config/model-resolver.ts";
import type { Settings } from "../config/settings/index.ts";
import type { Budget, CompactionSettings, RetryHelp, RetrySettings } from "../session/index.ts";
import { UsageError, type Args } from "./args.ts";
import type { FlagName } from "./flags.ts";

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

/** The command line stands above the settings. */
export function budgetOf(args: Pick<Args, "flags">, settings: Settings): Budget {
	const maxCost = amount(args, "max-cost") ?? settings.get("budget.maxCost");
	const maxTurns = amount(args, "max-turns") ?? settings.get("budget.maxTurns");
	const maxTokens = amount(args, "max-tokens") ?? settings.get("budget.maxTokens");
	return {
		...(maxCost === undefined ? {} : { maxCost }),
		...(maxTurns === undefined ? {} : { maxTurns }),
		...(maxTokens === undefined ? {} : { maxTokens }),
	};
}

function amount({ flags }: Pick<Args, "flags">, name: FlagName): number | undefined {
	const text = flags.get(name);
	if (text === undefined) return undefined;
	const value = Number(text);
	if (!Number.isFinite(value) || value <= 0)
		throw new UsageError(`--${name} needs a positive number, not "${text}".`);
	return value;
}
