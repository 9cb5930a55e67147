/** Leaves the session or the program: either stops the running background jobs, so the user decides. */
import type { SessionClient } from "@tau/wire";

import { jobsWarning } from "../../session-commands/work/move.ts";
import type { Dialogs, NoticeLevel } from "./host.ts";
import type { Moved, MoveSession, SessionMove } from "./local-parts.ts";

export interface LeavingParts {
	client: Pick<SessionClient, "view">;
	move: MoveSession;
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
		const running = this.#parts.client.view.live.jobs.length;
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
		const { client, move, ask, notify } = this.#parts;
		const running = client.view.live.jobs.length;
		if (running > 0 && (await ask.confirm(jobsWarning(running), "Continue?")) !== true) return undefined;
		const outcome = await move(to);
		if (outcome.kind === "moved") return outcome;
		notify("Cancelled by an extension.", "warning");
		return undefined;
	}
}
