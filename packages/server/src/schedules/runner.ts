/** Starts what is due, as sessions without a terminal. Several daemons may do so: each run is claimed by one. */
import { realpathSync } from "node:fs";

import { log, timer } from "@tau/utils";

import { detachedRecords } from "../local/detached-records.ts";
import { limits } from "../local/limits.ts";
import type { OpenedSession, OpenRequest } from "../local/protocol.ts";
import { registrations } from "../local/registrations.ts";
import { claimRun, dueAt, noteRun, readSchedules, type Schedule, type ScheduleRun } from "./store.ts";

export interface RunnerOptions {
	/** Opens a session; resolves when it works on its prompt. */
	open(request: OpenRequest): Promise<OpenedSession>;
}

export class ScheduleRunner implements Disposable {
	readonly #open: RunnerOptions["open"];
	#timer: Disposable | undefined;
	#looking: Promise<void> = Promise.resolve();
	#isOver = false;

	constructor({ open }: RunnerOptions) {
		this.#open = open;
		this.look();
	}

	/** Whether there is something to wait for. A file that cannot be read is the user's to mend, and keeps nothing. */
	get hasSchedules(): boolean {
		return this.#read().length > 0;
	}

	/** Starts what is due. Called by its own timer, and after a change of the schedules. */
	look(): void {
		this.#looking = this.#looking.then(() => this.#startDue());
	}

	/** To be called before the sessions are ended: what became of them is not known afterwards. */
	[Symbol.dispose](): void {
		this.#timer?.[Symbol.dispose]();
		if (this.#isOver) return;
		this.#isOver = true;
		const stopped = { endedAt: Date.now(), outcome: "stopped", reason: "the daemon was stopped" } as const;
		for (const { id, runs } of this.#read())
			for (const each of runs) if (each.endedAt === undefined) noteRun(id, each.at, endOf(each) ?? stopped);
	}

	async #startDue(): Promise<void> {
		try {
			endRuns(this.#read());
			for (const each of this.#read())
				if (!this.#isOver && dueAt(each) <= Date.now()) await this.#start(each);
		} catch (error) {
			log.warn("a schedule could not be started", { reason: String(error) });
		}
		if (!this.#isOver) this.#sleep();
	}

	async #start({ id, cwd, argv, prompt, runs }: Schedule): Promise<void> {
		const working = this.#read()
			.flatMap((each) => each.runs)
			.filter(isWorking);
		const isOwnWorking = runs.some(isWorking);
		// Those of others end: it waits for its turn. Its own may wait for an answer, for days.
		if (!isOwnWorking && working.length >= limits.scheduledAtOnce) return;
		const claimed = claimRun(id, Date.now(), isOwnWorking ? "its last run still works" : undefined);
		if (!claimed || claimed.outcome === "skipped") return;
		try {
			checkPlace(cwd);
			const env = Object.entries(process.env).filter(
				(pair): pair is [string, string] => pair[1] !== undefined,
			);
			const prompts = [{ text: prompt }];
			const session = await this.#open({ argv, cwd, env: Object.fromEntries(env), prompts });
			noteRun(id, claimed.at, { sessionId: session.sessionId });
			log.info("a schedule was started", { id, sessionId: session.sessionId });
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			log.warn("a schedule failed", { id, reason });
			noteRun(id, claimed.at, { endedAt: Date.now(), outcome: "failed", reason });
		}
	}

	/** Timers do not run while the machine sleeps, and clocks are set: no wait is long. */
	#sleep(): void {
		this.#timer?.[Symbol.dispose]();
		const next = Math.min(...this.#read().map(dueAt));
		if (!Number.isFinite(next)) return;
		const ms = Math.max(limits.scheduleLeastMs, Math.min(next - Date.now(), limits.scheduleLookMs));
		this.#timer = timer(ms, () => this.look());
	}

	#read(): readonly Schedule[] {
		try {
			return readSchedules();
		} catch (error) {
			log.warn("the schedules cannot be read", { reason: String(error) });
			return [];
		}
	}
}

/** The directory is the project of the run, and bounds what it may do: a command may have put a link to another one there. */
function checkPlace(cwd: string): void {
	if (realpathSync(cwd) !== cwd)
		throw new Error(`${cwd} leads elsewhere now: a part of it was replaced by a link`);
}

/** Whether a run has not ended: its session runs, also while it waits for an answer, or was just started. */
function isWorking({ at, sessionId, endedAt }: ScheduleRun): boolean {
	if (endedAt !== undefined) return false;
	if (sessionId === undefined) return Date.now() - at < limits.sessionStartMs;
	return registrations().some((each) => each.sessionId === sessionId);
}

/** What became of a run, from what its session has recorded. Undefined while it works. */
export function endOf(each: ScheduleRun): Pick<ScheduleRun, "endedAt" | "outcome" | "reason"> | undefined {
	if (each.endedAt !== undefined) return each;
	const record = detachedRecords().find(({ sessionId }) => sessionId === each.sessionId);
	if (record?.end) return { endedAt: record.lastAt, ...record.end };
	if (isWorking(each)) return undefined;
	return { endedAt: Date.now(), outcome: "failed", reason: "its process ended before the answer" };
}

/** Keeps the ends of runs: a session that is stopped by the user is recorded nowhere else. */
function endRuns(schedules: readonly Schedule[]): void {
	for (const { id, runs } of schedules)
		for (const each of runs) {
			const end = each.endedAt === undefined ? endOf(each) : undefined;
			// A session that is idle or waits is still there to be continued; it counts until its process has ended.
			if (end && !isWorking(each)) noteRun(id, each.at, end);
		}
}
