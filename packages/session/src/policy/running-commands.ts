/**
 * The commands of a session and its agents that run now. Links are resolved when a command is judged, and it opens files
 * until it ends: where nothing contains commands, those that may put something else in the place of a link or a directory
 * do not run beside those that open files, wherever they run (in the foreground, as a job, by another agent).
 */
import { abortable, oneLine, timer } from "@tau/utils";

import { limits } from "./limits.ts";

/** What a call does with the names of files. */
export interface NameUse {
	/** It opens files by them, at any time until it ends. */
	readonly opens: boolean;
	/** It may change which files they lead to. */
	readonly changes: boolean;
	/** It starts git, which runs what settings of repositories name. */
	readonly usesGit: boolean;
	/** It may change which repositories git finds. */
	readonly changesGit: boolean;
}

interface Running extends NameUse {
	readonly text: string;
	readonly number: number;
	readonly ended: PromiseWithResolvers<void>;
}

export class RunningCommands {
	readonly #running = new Set<Running>();
	#begun = 0;
	#lastChange = 0;
	#lastGitChange = 0;

	/** What begins after a look at it was not seen by whoever has looked. */
	get begun(): number {
		return this.#begun;
	}

	isBusy(use: NameUse): boolean {
		return this.#beside(use).length > 0;
	}

	/** Waits for others to end, which mostly takes less time than a question; as a reason, what still runs then. */
	async inTheWay(use: NameUse, signal: AbortSignal): Promise<string | undefined> {
		const overdue = Promise.withResolvers<void>();
		using _timer = timer(limits.besideMs, () => overdue.resolve());
		let isOverdue = false;
		void overdue.promise.then(() => (isOverdue = true));
		for (;;) {
			const [other] = this.#beside(use);
			if (!other) return undefined;
			if (isOverdue) {
				const shown = `${oneLine(other.text, limits.besideChars)} still runs`;
				return isChangedBy(other, use)
					? `${shown}, and this may change which files it opens`
					: `${shown}, and may change which files this opens`;
			}
			await abortable(Promise.race([other.ended.promise, overdue.promise]), signal);
		}
	}

	/**
	 * The call runs from now on, until the result is called. Undefined if another one has begun since the call was judged
	 * that gets in its way: it is to be judged anew.
	 */
	begin(use: NameUse, text: string, since: number): (() => void) | undefined {
		const hasChanged =
			(use.opens && this.#lastChange > since) || (use.usesGit && this.#lastGitChange > since);
		if (hasChanged || this.#beside(use).some(({ number }) => number > since)) return undefined;
		const one: Running = { ...use, text, number: ++this.#begun, ended: Promise.withResolvers() };
		if (use.changes) this.#lastChange = one.number;
		if (use.changesGit) this.#lastGitChange = one.number;
		this.#running.add(one);
		return () => {
			this.#running.delete(one);
			one.ended.resolve();
		};
	}

	#beside(use: NameUse): Running[] {
		return [...this.#running].filter((one) => isChangedBy(one, use) || isChangedBy(use, one));
	}
}

function isChangedBy({ opens, usesGit }: NameUse, { changes, changesGit }: NameUse): boolean {
	return (opens && changes) || (usesGit && changesGit);
}
