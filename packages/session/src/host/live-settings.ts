/** The settings of a running session, read each time they are used: a change takes effect at once. */
import type { Model } from "@tau/ai";

import { resolveModel, selector } from "../models/model-resolver.ts";
import { followRole } from "../models/model-roles.ts";
import type { ModelRegistry } from "../models/model-registry.ts";
import type { Settings } from "../settings/index.ts";
import type { RetryHelp, RetrySettings } from "../behaviors/auto-retry.ts";
import type { Budget } from "../behaviors/budget-guard.ts";
import type { CompactionSettings } from "../compaction/settings.ts";

type Live = Pick<Settings, "get">;

export function liveRetry(settings: Live): RetrySettings {
	return {
		get enabled() {
			return settings.get("retry.enabled");
		},
		get maxAttempts() {
			return settings.get("retry.maxRetries");
		},
		get baseDelayMs() {
			return settings.get("retry.baseDelayMs");
		},
		get maxDelayMs() {
			return settings.get("retry.maxDelayMs");
		},
	};
}

/** `afterAnswer`: whether the conversation is compacted between two prompts too. */
export function liveCompaction(
	settings: Live,
	afterAnswer: boolean,
	registry: ModelRegistry,
): CompactionSettings {
	return {
		afterAnswer,
		retry: liveRetry(settings),
		models: (current) => summaryModels(current, settings, registry),
		larger: (current) =>
			settings.get("contextPromotion.enabled") ? promotionTarget(current, registry) : undefined,
		get enabled() {
			return settings.get("compaction.enabled") && settings.get("compaction.strategy") !== "off";
		},
		get strategy() {
			const strategy = settings.get("compaction.strategy");
			return strategy === "off" ? "context-full" : strategy;
		},
		get shape() {
			const shape = settings.get("snapcompact.shape");
			return shape === "auto" ? undefined : shape;
		},
		get providerNative() {
			return settings.get("compaction.remoteEnabled") && settings.get("compaction.providerNative");
		},
		get autoContinue() {
			return settings.get("compaction.autoContinue");
		},
		get dropUseless() {
			return settings.get("compaction.dropUseless");
		},
		get idle() {
			if (!settings.get("compaction.idleEnabled")) return undefined;
			return {
				thresholdTokens: settings.get("compaction.idleThresholdTokens"),
				timeoutSeconds: settings.get("compaction.idleTimeoutSeconds"),
			};
		},
		get branchReserveTokens() {
			return settings.get("branchSummary.reserveTokens");
		},
		get remoteEndpoint() {
			return settings.get("compaction.remoteEnabled") ? settings.get("compaction.remoteEndpoint") : undefined;
		},
		get reserveTokens() {
			return settings.get("compaction.reserveTokens");
		},
		get keepRecentTokens() {
			return settings.get("compaction.keepRecentTokens");
		},
		get thresholdPercent() {
			return settings.get("compaction.thresholdPercent");
		},
		get thresholdTokens() {
			return settings.get("compaction.thresholdTokens");
		},
	};
}

/** `overrides`, such as those of the command line, win over the settings. */
export function liveBudget(settings: Live, overrides: Budget = {}): Budget {
	return {
		get maxCost() {
			return overrides.maxCost ?? settings.get("budget.maxCost");
		},
		get maxTurns() {
			return overrides.maxTurns ?? settings.get("budget.maxTurns");
		},
		get maxTokens() {
			return overrides.maxTokens ?? settings.get("budget.maxTokens");
		},
		get maxSeconds() {
			return overrides.maxSeconds ?? settings.get("budget.maxSeconds");
		},
	};
}

/** Only a target that the model's data or the user names: another model may cost more, and answers differently. */
function promotionTarget(
	{ provider, contextWindow, contextPromotionTarget: target }: Model,
	registry: ModelRegistry,
) {
	if (target === undefined) return undefined;
	const model = registry.find(target) ?? registry.find(`${provider}/${target}`);
	return model && model.contextWindow > contextWindow && registry.isAvailable(model) ? model : undefined;
}

/** Only models that the user named: text is not sent to a company that the user has not agreed to. */
function summaryModels(current: Model, settings: Live, registry: ModelRegistry): Model[] {
	const smol = followRole("smol", registry.settings.roles);
	const names = [...settings.get("fallbackModels"), ...(smol.kind === "pattern" ? [smol.pattern] : [])];
	const others = names.flatMap((name) => {
		const resolved = resolveModel(name, registry.all(), registry);
		return resolved.ok && registry.isAvailable(resolved.model) ? [resolved.model] : [];
	});
	return [...new Map([current, ...others].map((model) => [selector(model), model])).values()];
}

/** The first of `fallbackModels` that is available and has not failed yet. */
export function retryHelp(registry: ModelRegistry, settings: Live): RetryHelp {
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
