/** What fails while one path is disarmed is a part of the report, and keeps no other path from being disarmed. */
import type { Denial } from "./denial.ts";

/** What a command has made of one path keeps no other from being disarmed. */
export function eachOf<T>(items: readonly T[], disarm: (item: T) => readonly Denial[]): Denial[] {
	return items.flatMap((item) => reported(() => disarm(item)));
}

export function reported(disarm: () => readonly Denial[]): readonly Denial[] {
	try {
		return disarm();
	} catch (error) {
		const what = `What a command has changed could not be looked at (${String(error)}): look at it before you run git`;
		return [{ what, mayRunOutside: false }];
	}
}
