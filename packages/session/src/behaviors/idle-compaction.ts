/** Compacts a long conversation while nobody uses it, so that the next prompt does not wait for that. */
import { timer } from "@tau/utils";

import type { Compactor } from "../compaction/compactor.ts";
import type { CompactionSettings } from "../compaction/settings.ts";
import type { Behavior } from "../run/behavior.ts";
import { contextUsage } from "../run/context-usage.ts";

export function idleCompaction(compactor: Compactor, settings: CompactionSettings): Behavior {
	return {
		name: "idle-compaction",
		attach(session) {
			using owned = new DisposableStack();
			let waiting: Disposable | undefined;
			/** True if it was tried since the last run: a second time would end in the same way. */
			let isDone = false;
			const compact = (): void => {
				const { idle, enabled } = settings;
				if (!idle || !enabled || contextUsage(session.state).tokens < idle.thresholdTokens) return;
				isDone = true;
				void compactor.run({ reason: "idle" });
			};
			const cancel = (): void => waiting?.[Symbol.dispose]();
			owned.defer(cancel);
			owned.use(
				session.onPhase((phase) => {
					cancel();
					if (phase === "running") isDone = false;
					if (phase !== "idle" || isDone || !settings.afterAnswer || !settings.idle) return;
					waiting = timer(settings.idle.timeoutSeconds * 1000, compact);
				}),
			);
			return owned.move();
		},
	};
}
