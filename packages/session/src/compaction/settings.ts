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
	/** How room is made; absent means `context-full`. */
	strategy?: "context-full" | "handoff" | "shake" | "snapcompact";
	/** How `snapcompact` prints; undefined leaves it to the model's data. */
	shape?: string | undefined;
	/** Whether a run that was paused for a compaction continues by itself; absent means true. */
	autoContinue?: boolean;
	/** When to compact while nobody uses the session; undefined if never. */
	idle?: { thresholdTokens: number; timeoutSeconds: number } | undefined;
	/** Continues in a new session with a document about this one. Absent where that is not possible. */
	handOff?(): Promise<unknown>;
	/** Whether tool results that say nothing leave the context first; absent means true. */
	dropUseless?: boolean;
	/** The server that writes summaries first; undefined if the models do. */
	remoteEndpoint?: string | undefined;
	/** Whether a provider that can compacts by itself; the result cannot be read, by users or other models. */
	providerNative?: boolean;
	/** The models that may write a summary, in the order in which they are tried; only the conversation's own if absent. */
	models?(current: Model, of: "conversation" | "branch"): readonly Model[];
	/** The model with a larger window that continues when the context of this one is full; undefined if there is none. */
	larger?(current: Model): Model | undefined;
	/** Called when it continues: the log and the clients have to know. */
	promoted?(larger: Model, previous: Model): void;
	/** The reserve of branch summaries; that of compactions if absent. */
	branchReserveTokens?: number;
	/** How a failed summary request is retried. */
	retry: RetrySettings;
}
