/** Shows what changes often enough to follow it, and seldom enough to cost nothing. */
import { onDispose, timer } from "@tau/utils";

import { limits } from "../tool/limits.ts";

export interface LiveUpdates extends Disposable {
	changed(): void;
}

/** Shows a change at once or, soon after the last time, a moment later: also what comes before a long silence is seen. */
export function liveUpdates(show: () => void): LiveUpdates {
	let pause: Disposable | undefined;
	let stale = false;
	const showNow = (): void => {
		stale = false;
		show();
		pause = timer(limits.updateMs, () => {
			pause = undefined;
			if (stale) showNow();
		});
	};
	return {
		changed() {
			if (pause) stale = true;
			else showNow();
		},
		...onDispose(() => pause?.[Symbol.dispose]()),
	};
}
