/** Shows what changes often enough to follow it, and seldom enough to cost nothing. */
import { onDispose, timer } from "@tau/utils";

import { limits } from "../tool/limits.ts";

export interface LiveUpdates extends Disposable {
	changed(): void;
}

/**
 * Shows a change within a frame or, soon after the last time, a moment later: also what comes before a long silence is
 * seen. Of what is over before that, only the result is shown: most commands cause no update.
 */
export function liveUpdates(show: () => void): LiveUpdates {
	let pause: Disposable | undefined;
	let stale = false;
	const showAfter = (ms: number): void => {
		pause = timer(ms, () => {
			pause = undefined;
			if (!stale) return;
			stale = false;
			show();
			showAfter(limits.updateMs);
		});
	};
	return {
		changed() {
			stale = true;
			if (!pause) showAfter(limits.firstUpdateMs);
		},
		...onDispose(() => pause?.[Symbol.dispose]()),
	};
}
