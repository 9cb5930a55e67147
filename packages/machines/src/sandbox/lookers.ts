/** What looks after commands: each looker knows one kind of what they could plant, and one that fails keeps no other from looking. */
import type { Denial } from "./denial.ts";
import { eachOf } from "./reports.ts";

export interface Looker {
	/** What is there is the user's: called while no process of a command runs. */
	keep?(): void;
	/** Takes back what commands have changed or made since. What takes long may wait until the look is complete. */
	disarm(isComplete: boolean): readonly Denial[];
}

export function keptBy(lookers: Iterable<Looker>): Denial[] {
	return eachOf([...lookers], (looker) => {
		looker.keep?.();
		return [];
	});
}

export function disarmedBy(lookers: readonly Looker[], isComplete = true): Denial[] {
	return eachOf(lookers, (looker) => looker.disarm(isComplete));
}

/** Paths that are looked at one by one. */
export function lookerAt(paths: readonly string[], disarm: (path: string) => readonly Denial[]): Looker {
	return { disarm: () => eachOf(paths, disarm) };
}
