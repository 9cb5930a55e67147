/** What `tau schedule` and `/schedule` do. */
import { delay, plural, shortenHome, stripControls, UsageError, oneLine, withTimeout } from "@tau/utils";

import { registeredDaemon, startedDaemon } from "./daemon-client.ts";
import { limits } from "../local/limits.ts";
import { runningSessions, type RunningSession } from "../local/running-sessions.ts";
import { endOf } from "../schedules/runner.ts";
import {
	addSchedule,
	dueAt,
	readSchedules,
	removeSchedule,
	required,
	wantRun,
	type Schedule,
	type ScheduleRun,
} from "../schedules/store.ts";

const scheduleActions = ["list", "add", "show", "rm", "run"] as const;

/** Where a new schedule works, and with which flags. */
export interface ScheduleContext {
	readonly cwd: string;
	readonly argv: readonly string[];
	readonly signal?: AbortSignal | undefined;
}

/** What to print, and the same for programs: one object for each schedule. */
export interface ScheduleReply {
	readonly text: string;
	readonly schedules: readonly ListedSchedule[];
}

interface ListedSchedule extends Omit<Schedule, "runs" | "doneUntil" | "createdAt" | "isWanted"> {
	/** ISO 8601 */
	readonly next: string;
	readonly runs: readonly {
		at: string;
		sessionId?: string | undefined;
		state: string;
		reason?: string | undefined;
	}[];
}

/** The words after `tau schedule`. Throws what is wrong with them. */
export async function runScheduleAction(
	[action = "list", ...rest]: readonly string[],
	context: ScheduleContext,
): Promise<ScheduleReply> {
	switch (action) {
		case "list":
			return await list();
		case "add":
			return await add(rest, context);
		case "show":
			return await show(numberOf(rest));
		case "rm": {
			const removed = removeSchedule(numberOf(rest));
			return { text: `Removed schedule ${removed.id}. Its sessions stay.`, schedules: [] };
		}
		case "run":
			return await runNow(numberOf(rest), context);
		default:
			throw new UsageError(`"${action}" is not an action. Use ${scheduleActions.join(", ")}.`);
	}
}

async function list(): Promise<ScheduleReply> {
	const schedules = readSchedules();
	if (schedules.length === 0)
		return { text: 'No schedules. Example: tau schedule add "every 2h" "check the CI"', schedules: [] };
	const running = await runningSessions();
	const lines = schedules.map((each) => `${headOf(each)}\n   ${lastLine(each, running)}`);
	return {
		text: [...lines, ...daemonLine()].join("\n"),
		schedules: schedules.map((each) => listed(each, running)),
	};
}

async function add(words: readonly string[], { cwd, argv, signal }: ScheduleContext): Promise<ScheduleReply> {
	const [when, prompt] = whenAndPrompt(words);
	const added = addSchedule({ when, prompt, cwd, argv: [...argv] });
	await startedDaemon(signal);
	const text = `${headOf(added)}\nThe daemon runs it; after a restart of the machine it has to be started: tau daemon unit`;
	return { text, schedules: [listed(added, [])] };
}

/** A time in quotes is one word; without them it is as many words as such a time has. */
function whenAndPrompt(words: readonly string[]): [when: string, prompt: string] {
	const [first = ""] = words;
	const text =
		words.length > 1 && first.trim().includes(" ")
			? `"${first}" ${words.slice(1).join(" ")}`
			: words.join(" ");
	const [, quoted, bare, prompt] =
		/^(?:["']([^"']+)["']|(every\s+\d+\s*[a-z]+|@[a-z]+|(?:\S+\s+){4}\S+))\s+(.+)$/is.exec(text.trim()) ?? [];
	const when = quoted ?? bare;
	if (when === undefined || prompt === undefined)
		throw new UsageError(
			'A schedule needs a time and a prompt: add "0 9 * * 1-5" "review the commits of yesterday"',
		);
	return [when.trim(), /^(["'])(.+)\1$/s.exec(prompt)?.[2] ?? prompt];
}

async function show(id: number): Promise<ScheduleReply> {
	const found = required(readSchedules(), id);
	const running = await runningSessions();
	const lines = found.runs.toReversed().map((each) => `   ${runLine(each, running)}`);
	const flags = found.argv.length > 0 ? [`   flags: ${clean(found.argv.join(" "))}`] : [];
	const runs = lines.length > 0 ? lines : ["   no runs yet"];
	const text = [headOf(found), ...flags, ...runs, ...daemonLine()].join("\n");
	return { text, schedules: [listed(found, running)] };
}

/** Resolves when its session was started. */
async function runNow(id: number, { signal }: ScheduleContext): Promise<ScheduleReply> {
	const before = wantRun(id).runs.at(-1)?.at;
	await startedDaemon(signal);
	using deadline = withTimeout(
		signal,
		limits.sessionStartMs,
		`Schedule ${id} waits: others run. See tau schedule show ${id}`,
	);
	for (;;) {
		const found = required(readSchedules(), id);
		const last = found.runs.at(-1);
		if (last && last.at !== before && last.outcome === "skipped")
			throw new UsageError(`Schedule ${id} was not run: ${last.reason ?? "it was skipped"}.`);
		if (last && last.at !== before && last.outcome === "failed")
			throw new UsageError(`Schedule ${id} failed: ${last.reason ?? "unknown"}`);
		if (last && last.at !== before && last.sessionId !== undefined)
			return {
				text: `Runs as ${shortId(last.sessionId)}. Look: tau attach ${shortId(last.sessionId)}`,
				schedules: [listed(found, [])],
			};
		await delay(limits.endPollMs * 5, deadline.signal);
	}
}

function headOf(schedule: Schedule): string {
	const { id, when, prompt, cwd } = schedule;
	const next = schedule.isWanted ? "now" : localTime(dueAt(schedule));
	return `${id}  ${when} · next ${next} · ${shortenHome(cwd)}\n   ${clean(prompt)}`;
}

function lastLine({ runs }: Schedule, running: readonly RunningSession[]): string {
	const last = runs.at(-1);
	return last ? `last ${runLine(last, running)}` : "no runs yet";
}

function runLine(each: ScheduleRun, running: readonly RunningSession[]): string {
	const { state, reason } = stateOf(each, running);
	const session = each.sessionId === undefined ? "" : `  ${shortId(each.sessionId)}`;
	return `${localTime(each.at)}  ${state}${session}${reason === undefined ? "" : `  ${clean(reason)}`}`;
}

/** A session that has answered may still be open: it is asked. */
function stateOf(
	each: ScheduleRun,
	running: readonly RunningSession[],
): { state: string; reason?: string | undefined } {
	const status = running.find(({ registration }) => registration.sessionId === each.sessionId)?.status;
	if (each.endedAt === undefined && status) {
		if (status.waiting > 0) return { state: "waiting for you" };
		if (status.phase !== "idle" || status.working > 0) return { state: "running" };
	}
	const end = endOf(each);
	return { state: end?.outcome ?? "running", reason: end?.reason };
}

function listed(schedule: Schedule, running: readonly RunningSession[]): ListedSchedule {
	const { id, when, prompt, cwd, argv, runs } = schedule;
	const rows = runs.map((each) => ({
		at: new Date(each.at).toISOString(),
		sessionId: each.sessionId,
		...stateOf(each, running),
	}));
	return {
		id,
		when,
		prompt,
		cwd,
		argv,
		next: new Date(Math.max(dueAt(schedule), Date.now())).toISOString(),
		runs: rows,
	};
}

/** Schedules without a daemon do nothing, and nobody would notice. */
function daemonLine(): string[] {
	const count = readSchedules().length;
	if (registeredDaemon() || count === 0) return [];
	return [
		`The daemon does not run: ${plural(count, "schedule")} wait for it. tau daemon run starts it, tau daemon unit prints a service.`,
	];
}

function numberOf([word, ...more]: readonly string[]): number {
	if (word === undefined || !/^\d{1,9}$/.test(word) || more.length > 0)
		throw new UsageError("Give the number of the schedule. tau schedule list shows them.");
	return Number(word);
}

/** `2026-11-17 09:00`, where the user is. */
function localTime(time: number): string {
	const date = new Date(time);
	const two = (value: number): string => String(value).padStart(2, "0");
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function shortId(sessionId: string): string {
	return sessionId.slice(0, limits.shownIdChars);
}

function clean(text: string): string {
	return oneLine(stripControls(text, { newline: false, tab: false }), limits.endReasonChars);
}
