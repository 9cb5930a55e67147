/** Notices that a session or a task of the fleet waits for the user, or that a run has ended, for browsers that want to be told. */
import { log, timer } from "@tau/utils";
import type { Pusher, PushMessage } from "@tau/web/push";

import type { SessionStatus } from "../local/protocol.ts";
import { runningSessions } from "../local/running-sessions.ts";
import type { WaitingTask } from "../fleet/waiting.ts";
import { limits } from "./limits.ts";

type Seen = Pick<SessionStatus, "waiting"> & { readonly isBusy: boolean };

/** Sessions are asked as `tau ps` asks them: joining them would keep those open that nobody looks at. */
export class Watcher implements Disposable {
	readonly #pusher: Pick<Pusher, "isWanted" | "send">;
	readonly #everyMs: number;
	readonly #tasks: () => Promise<readonly WaitingTask[]>;
	#seen = new Map<string, Seen>();
	#next: Disposable | undefined;
	#isOver = false;

	/** `tasks`: those of the fleet that ask something; their sessions may be on other machines. */
	constructor(
		pusher: Pick<Pusher, "isWanted" | "send">,
		tasks: () => Promise<readonly WaitingTask[]>,
		everyMs: number = limits.watchMs,
	) {
		this.#pusher = pusher;
		this.#everyMs = everyMs;
		this.#tasks = tasks;
		this.#later();
	}

	[Symbol.dispose](): void {
		this.#isOver = true;
		this.#next?.[Symbol.dispose]();
	}

	#later(): void {
		if (!this.#isOver) this.#next = timer(this.#everyMs, () => void this.#look());
	}

	async #look(): Promise<void> {
		try {
			if (await this.#pusher.isWanted()) await this.#compare();
			else this.#seen.clear();
		} catch (error) {
			log.warn("sessions could not be watched", { reason: String(error) });
		}
		this.#later();
	}

	async #compare(): Promise<void> {
		const seen = new Map<string, Seen>();
		for (const { status } of await runningSessions()) {
			if (!status) continue;
			const { sessionId, phase, waiting } = status;
			const now = { waiting, isBusy: phase !== "idle" };
			seen.set(sessionId, now);
			const kind = changeOf(this.#seen.get(sessionId), now);
			if (kind !== undefined) await this.#pusher.send({ kind, session: sessionId });
		}
		await this.#compareTasks(seen);
		this.#seen = seen;
	}

	/** A session that was asked already stands for its task. */
	async #compareTasks(seen: Map<string, Seen>): Promise<void> {
		for (const { id, sessionId, questions } of await this.#tasks()) {
			if (sessionId !== undefined && seen.has(sessionId)) continue;
			const key = `task ${id}`;
			const now = { waiting: questions, isBusy: true };
			seen.set(key, now);
			if (changeOf(this.#seen.get(key), now) === "waiting")
				await this.#pusher.send({ kind: "waiting", task: id });
		}
	}
}

/** What the user would want to know; undefined for anything else. */
export function changeOf(before: Seen | undefined, now: Seen): PushMessage["kind"] | undefined {
	if (now.waiting > (before?.waiting ?? 0)) return "waiting";
	return before?.isBusy && !now.isBusy ? "ended" : undefined;
}
