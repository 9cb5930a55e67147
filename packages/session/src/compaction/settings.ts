/** How a session is compacted. */
import type { WindowSettings } from "@tau/agent";
import type { Model } from "@tau/ai";

import type { RetrySettings } from "../behaviors/auto-retry.ts";

export interface CompactionSettings extends WindowSettings {
	/** Whether automatic compaction is on. It is read each time, so that the user can change it during a session. */
	enabled: boolean;
	/**
	 * Whether compaction starts as soon as an answer has filled the context, while the user reads it. Otherwise
	 * the next prompt starts it: a session that ends after one answer needs no room for another.
	 */
	afterAnswer: boolean;
	/** Whether tool results that say nothing leave the context first; absent means true. */
	dropUseless?: boolean;
	/** The models that may write a summary, in the order in which they are tried; only the conversation's own if absent. */
	models?(current: Model): readonly Model[];
	/** The model with a larger window that continues when the context of this one is full; undefined if there is none. */
	larger?(current: Model): Model | undefined;
	/** How a failed summary request is retried. */
	retry: RetrySettings;
}
