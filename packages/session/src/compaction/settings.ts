/** How a session is compacted. */
import type { WindowSettings } from "@tau/agent";

import type { RetrySettings } from "../behaviors/auto-retry.ts";

export interface CompactionSettings extends WindowSettings {
	/** Whether it happens by itself. Looked at each time, so that a person can change their mind. */
	enabled: boolean;
	/**
	 * Whether it happens as soon as an answer has filled the context, while the person reads it. Without it the next
	 * prompt sees to it: what is over after one answer needs no room for another.
	 */
	afterAnswer: boolean;
	/** How a summary that failed is tried again. */
	retry: RetrySettings;
}
