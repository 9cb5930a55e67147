/** The settings of a running session, read each time they are used: a change takes effect at once. */
import type { Model } from "@tau/ai";

import { selector, chosenForRole, namedModel, type ModelRegistry, matchesModel } from "@tau/config/models";
import type { SettingPath, Settings, SettingValue } from "@tau/config/settings";
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

type CompactionName = Extract<SettingPath, `compaction.${string}`>;

/**
 * `afterAnswer`: whether the conversation is compacted between two prompts too. `current` is the model whose overrides
 * count.
 */
export function liveCompaction(
	settings: Live,
	afterAnswer: boolean,
	registry: ModelRegistry,
	current: () => Model | undefined,
): CompactionSettings {
	const get = <N extends CompactionName>(name: N): SettingValue<N> => {
		const own = overridesFor(current(), settings);
		const short = name.slice("compaction.".length);
		// The table of overrides has the types of the settings themselves.
		return Object.hasOwn(own, short) ? (own[short] as SettingValue<N>) : settings.get(name);
	};
	return {
		afterAnswer,
		retry: liveRetry(settings),
		models: (model, of) =>
			summaryModels(
				model,
				of === "branch" ? settings.get("branchSummary.model") : get("compaction.model"),
				settings,
				registry,
			),
		larger: (model) =>
			settings.get("contextPromotion.enabled") ? promotionTarget(model, registry) : undefined,
		get enabled() {
			return get("compaction.enabled") && get("compaction.strategy") !== "off";
		},
		get strategy() {
			const strategy = get("compaction.strategy");
			return strategy === "off" ? "context-full" : strategy;
		},
		get shape() {
			const shape = settings.get("snapcompact.shape");
			return shape === "auto" ? undefined : shape;
		},
		get providerNative() {
			return get("compaction.remoteEnabled") && get("compaction.providerNative");
		},
		get autoContinue() {
			return get("compaction.autoContinue");
		},
		get dropUseless() {
			return get("compaction.dropUseless");
		},
		get idle() {
			if (!get("compaction.idleEnabled")) return undefined;
			return {
				thresholdTokens: get("compaction.idleThresholdTokens"),
				timeoutSeconds: get("compaction.idleTimeoutSeconds"),
			};
		},
		get branchReserveTokens() {
			return settings.get("branchSummary.reserveTokens");
		},
		get remoteEndpoint() {
			return get("compaction.remoteEnabled") ? get("compaction.remoteEndpoint") : undefined;
		},
		get reserveTokens() {
			return get("compaction.reserveTokens");
		},
		get keepRecentTokens() {
			return get("compaction.keepRecentTokens");
		},
		get thresholdPercent() {
			return get("compaction.thresholdPercent");
		},
		get thresholdTokens() {
			return get("compaction.thresholdTokens");
		},
	};
}

/** The first pattern that matches the model counts. */
function overridesFor(model: Model | undefined, settings: Live): Readonly<Record<string, unknown>> {
	const all = Object.entries(settings.get("compaction.perModel"));
	return (model && all.find(([pattern]) => matchesModel(pattern, model))?.[1]) ?? {};
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
function summaryModels(
	current: Model,
	first: string | undefined,
	settings: Live,
	registry: ModelRegistry,
): Model[] {
	const named = (name: string): Model[] => {
		const choice = namedModel(name, current, registry);
		return choice ? [choice.model] : [];
	};
	const smol = chosenForRole("smol", registry);
	const models = [
		...(first === undefined ? [] : named(first)),
		current,
		...settings.get("fallbackModels").flatMap(named),
		...(smol ? [smol.model] : []),
	];
	return [...new Map(models.map((model) => [selector(model), model])).values()];
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
