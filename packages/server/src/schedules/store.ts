/** The schedules of the user, with their last runs: one file in the directory of settings that all daemons share. */
import { realpathSync } from "node:fs";
import { join } from "node:path";

import { dirs, privateDirectory, readSecretFile, UsageError, waitForLock, writeSecretFile } from "@tau/utils";
import { z } from "zod";

import { limits } from "../local/limits.ts";
import { parsePattern } from "./cron.ts";

const run = z.object({
	/** When it was started. */
	at: z.number(),
	sessionId: z.string().optional(),
	/** Absent while the session works. */
	endedAt: z.number().optional(),
	outcome: z.enum(["answered", "failed", "stopped", "skipped"]).optional(),
	/** Why, where it failed or was skipped. */
	reason: z.string().optional(),
});

const schedule = z.object({
	id: z.number().int(),
	when: z.string(),
	prompt: z.string(),
	cwd: z.string(),
	argv: z.array(z.string()),
	createdAt: z.number(),
	/** What was due until then has been seen to. */
	doneUntil: z.number(),
	/** The user wants a run now. */
	isWanted: z.boolean().optional(),
	/** Oldest first. */
	runs: z.array(run),
});

const file = z.object({ lastId: z.number().int(), schedules: z.array(schedule) });

export type ScheduleRun = z.infer<typeof run>;
export type Schedule = z.infer<typeof schedule>;
type ScheduleFile = z.infer<typeof file>;

function schedulesFile(): string {
	return join(dirs().agent, "schedules.json");
}

/** Throws what is wrong with the file. */
export function readSchedules(): readonly Schedule[] {
	return read().schedules;
}

function read(): ScheduleFile {
	const path = schedulesFile();
	const bytes = readSecretFile(path, limits.schedulesBytes);
	if (!bytes) return { lastId: 0, schedules: [] };
	try {
		return file.parse(JSON.parse(bytes.toString()));
	} catch (error) {
		throw new UsageError(`${path} cannot be read: ${String(error)}. Mend it, or move it away.`);
	}
}

/** Other processes wait meanwhile. The change may throw: then nothing is written. */
function change<T>(edit: (content: ScheduleFile) => T): T {
	const path = schedulesFile();
	privateDirectory(dirs().agent);
	using _lock = waitForLock(path);
	const content = read();
	const result = edit(content);
	writeSecretFile(path, `${JSON.stringify(content, undefined, "\t")}\n`);
	return result;
}

/** Throws what is wrong with it. */
export function addSchedule(given: Pick<Schedule, "when" | "prompt" | "cwd" | "argv">): Schedule {
	parsePattern(given.when);
	if (given.prompt.trim() === "") throw new UsageError("A schedule needs a prompt.");
	return change((content) => {
		if (content.schedules.length >= limits.schedules)
			throw new UsageError(`There are ${limits.schedules} schedules. Remove one: tau schedule rm <number>`);
		const now = Date.now();
		// Without links: one that takes the place of a directory later must not lead a run elsewhere.
		const cwd = realpathSync(given.cwd);
		const added: Schedule = { id: ++content.lastId, ...given, cwd, createdAt: now, doneUntil: now, runs: [] };
		content.schedules.push(added);
		return added;
	});
}

export function removeSchedule(id: number): Schedule {
	return change((content) => {
		const removed = required(content.schedules, id);
		content.schedules = content.schedules.filter((each) => each !== removed);
		return removed;
	});
}

/** Its next run is due at once. Throws if there is none. */
export function wantRun(id: number): Schedule {
	return change((content) => {
		const found = required(content.schedules, id);
		found.isWanted = true;
		return found;
	});
}

/** When it runs next; in the past for one that was missed. */
export function dueAt({ when, doneUntil, createdAt, isWanted }: Schedule): number {
	return isWanted ? 0 : parsePattern(when).next(doneUntil, createdAt);
}

/**
 * Claims what is due, for the process that calls it: everything that was missed counts as one run. Undefined if it is not
 * due any more: another daemon was faster.
 */
export function claimRun(id: number, now: number, skip: string | undefined): ScheduleRun | undefined {
	return change(({ schedules }) => {
		const found = schedules.find((each) => each.id === id);
		if (!found || dueAt(found) > now) return undefined;
		const claimed: ScheduleRun =
			skip === undefined ? { at: now } : { at: now, endedAt: now, outcome: "skipped", reason: skip };
		found.doneUntil = now;
		delete found.isWanted;
		found.runs = [...found.runs, claimed].slice(-limits.scheduleRuns);
		return claimed;
	});
}

/** Does nothing for a schedule that was removed meanwhile. */
export function noteRun(id: number, at: number, facts: Partial<ScheduleRun>): void {
	change(({ schedules }) => {
		const found = schedules.find((each) => each.id === id)?.runs.find((each) => each.at === at);
		if (found) Object.assign(found, facts);
	});
}

export function required(schedules: readonly Schedule[], id: number): Schedule {
	const found = schedules.find((each) => each.id === id);
	if (!found) throw new UsageError(`There is no schedule ${id}. tau schedule list shows them.`);
	return found;
}
