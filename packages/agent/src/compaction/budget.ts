/** Divides a model's window: when to compact, what to keep, what a summary may be made from. */
import { limits } from "./limits.ts";

export interface WindowSettings {
	/** Left free for the answer. */
	reserveTokens: number;
	/** The end of the conversation that stays as it was. */
	keepRecentTokens: number;
	/** When to compact, as a share of the window; not above 0 means that the reserve decides. */
	thresholdPercent: number;
	/** The same in tokens; stands above the share. */
	thresholdTokens: number;
}

export interface WindowBudget {
	/** Above it the context is too full; infinite where the window is not known. */
	threshold: number;
	keepTokens: number;
	/** A summary may be this long. */
	summaryTokens: number;
	/** What one request for a summary may show of the conversation, by estimate. */
	sourceTokens: number;
}

export function windowBudget(contextWindow: number, settings: WindowSettings): WindowBudget {
	const window = contextWindow > 0 ? contextWindow : limits.assumedWindow;
	const most = thresholdOf(window, settings);
	const summaryTokens = Math.floor(Math.min(settings.reserveTokens, window * limits.summaryShare));
	return {
		threshold: contextWindow > 0 ? most : Number.POSITIVE_INFINITY,
		keepTokens: Math.floor(Math.min(settings.keepRecentTokens, most * limits.keptShare)),
		summaryTokens,
		sourceTokens: Math.floor((window - summaryTokens) * limits.filledShare),
	};
}

function thresholdOf(window: number, settings: WindowSettings): number {
	const { thresholdTokens, thresholdPercent, reserveTokens } = settings;
	if (thresholdTokens > 0) return Math.min(thresholdTokens, window);
	if (thresholdPercent > 0) return Math.floor((window * Math.min(thresholdPercent, 100)) / 100);
	// A reserve that a large window can spare would leave nothing of a small one.
	const reserve = Math.min(Math.max(window * limits.freeShare, reserveTokens), window / 2);
	return Math.floor(window - reserve);
}

/** How many times more the provider counts than we estimate. */
export function correction(counted: number, estimated: number): number {
	if (estimated <= 0) return 1;
	return Math.min(limits.correction, Math.max(1, counted / estimated));
}
