/** Leaves the session or the program: either stops the running background jobs, so the user decides. */
import type { SessionHost, SessionMove } from "@tau/session/host";

import { jobsWarning, moveTo, type Moved } from "../../session-commands/work/move.ts";

import type { Dialogs, NoticeLevel } from "./host.ts";

export interface LeavingParts {
	host: Pick<SessionHost, "work" | "move">;
	ask: Pick<Dialogs, "confirm">;
	notify(text: string, level: NoticeLevel): void;
	quit(): void;
}

export class Leaving {
	readonly #parts: LeavingParts;
	/** How many running jobs the user was warned about when leaving. */
	#stoppedJobs = 0;

	constructor(parts: LeavingParts) {
		this.#parts = parts;
	}

	/** Quits; while background jobs run, only when it is called a second time. */
	leave(): void {
		const running = this.#parts.host.work.jobs.running();
		if (running <= this.#stoppedJobs) return this.#parts.quit();
		this.#stoppedJobs = running;
		this.#parts.notify(`${jobsWarning(running)} Exit again to leave.`, "warning");
	}

	/** The user has decided to stay: the next try to leave is the first one again. */
	stay(): void {
		this.#stoppedJobs = 0;
	}

	/** Moves the session; undefined if the user or an extension objects. */
	async move(to: SessionMove): Promise<Moved | undefined> {
		const { host, ask, notify } = this.#parts;
		return await moveTo(to, { host, ask, notice: (text, level) => notify(text, level ?? "info") });
	}
}
