/** When a schedule is due: cron expressions in local time, and `every 2h`. */
import { UsageError } from "@tau/utils";

/** The next time after another one; every pattern that can be read has one. */
export interface Pattern {
	/** `since`: from when intervals are counted. */
	next(after: number, since: number): number;
}

interface Field {
	readonly name: string;
	readonly low: number;
	readonly high: number;
	readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const fields: readonly [Field, Field, Field, Field, Field] = [
	{ name: "minute", low: 0, high: 59 },
	{ name: "hour", low: 0, high: 23 },
	{ name: "day of the month", low: 1, high: 31 },
	{ name: "month", low: 1, high: 12, names: months },
	// Both 0 and 7 are Sunday.
	{ name: "day of the week", low: 0, high: 7, names: days },
];

const shorthands: Readonly<Record<string, string>> = {
	"@hourly": "0 * * * *",
	"@daily": "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *",
	"@yearly": "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
};

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Longer intervals are dates, which cron expressions name. */
const longestEveryMs = 366 * 86_400_000;
/** A 29 February that falls on a given day of the week may be 40 years away (none in 2100). */
const furthestDays = 41 * 366;
const examples = `Examples: "0 9 * * 1-5" (9:00 on workdays), "*/30 * * * *", "@daily", "every 2h".`;

/** Throws what is wrong, with examples. */
export function parsePattern(text: string): Pattern {
	const plain = text.trim().toLowerCase();
	const [, count, unit] = /^every\s+(\d+)\s*(m|h|d)(?:in|ins|inutes?|ours?|rs?|ays?)?$/.exec(plain) ?? [];
	if (count !== undefined && unit !== undefined) return every(Number(count) * (unitMs[unit] ?? 0), text);
	const words = (shorthands[plain] ?? plain).split(/\s+/);
	if (words.length !== fields.length)
		throw new UsageError(
			`"${text}" is not a schedule: a cron expression has 5 fields (minute hour day month weekday). ${examples}`,
		);
	const [minutes, hours, dates, inMonths, weekdays] = fields.map((field, at) =>
		readField(words[at] ?? "", field),
	) as [Values, Values, Values, Values, Values];
	const cron = new Cron({ minutes, hours, dates, inMonths, weekdays });
	if (cron.find(Date.now()) === undefined) throw new UsageError(`"${text}" never comes: no such day exists.`);
	return cron;
}

function every(intervalMs: number, text: string): Pattern {
	if (intervalMs <= 0 || intervalMs > longestEveryMs)
		throw new UsageError(`"${text}": an interval is between 1 minute and 366 days. ${examples}`);
	return {
		next: (after, since) => since + (Math.max(0, Math.floor((after - since) / intervalMs)) + 1) * intervalMs,
	};
}

interface Values {
	readonly set: ReadonlySet<number>;
	/** It begins with a star: then it does not restrict, as cron has it. */
	readonly isOpen: boolean;
}

/** Lists of values, ranges and steps: `1,3-5,*\/2,10-30/5`. */
function readField(word: string, field: Field): Values {
	const set = new Set<number>();
	for (const part of word.split(",")) {
		const [range = "", step, ...more] = part.split("/");
		const by = step === undefined ? 1 : wholeNumber(step);
		const [from = "", to, ...rest] = range.split("-");
		if (more.length > 0 || rest.length > 0 || by === undefined || by === 0) throw badField(part, field);
		// `5/10` is `5-59/10`.
		const last = to ?? (step === undefined ? from : String(field.high));
		const [low, high] =
			range === "*" ? [field.low, field.high] : [valueOf(from, field), valueOf(last, field)];
		if (low === undefined || high === undefined || low > high) throw badField(part, field);
		for (let value = low; value <= high; value += by) set.add(field.high === 7 ? value % 7 : value);
	}
	return { set, isOpen: word.startsWith("*") };
}

function valueOf(word: string, { low, high, names }: Field): number | undefined {
	const named = names?.indexOf(word) ?? -1;
	const value = named >= 0 ? named + low : wholeNumber(word);
	return value !== undefined && value >= low && value <= high ? value : undefined;
}

function wholeNumber(word: string): number | undefined {
	return /^\d{1,4}$/.test(word) ? Number(word) : undefined;
}

function badField(part: string, { name, low, high }: Field): UsageError {
	return new UsageError(
		`"${part}" is not a ${name}: it takes ${low}-${high}, lists, ranges and steps. ${examples}`,
	);
}

interface CronFields {
	readonly minutes: Values;
	readonly hours: Values;
	readonly dates: Values;
	readonly inMonths: Values;
	readonly weekdays: Values;
}

class Cron implements Pattern {
	readonly #fields: CronFields;

	constructor(cron: CronFields) {
		this.#fields = cron;
	}

	next(after: number): number {
		const found = this.find(after);
		if (found === undefined) throw new Error("a pattern that was read has a next time");
		return found;
	}

	/** Undefined if there is no such day. */
	find(after: number): number | undefined {
		const start = new Date(after);
		for (let offset = 0; offset < furthestDays; offset++) {
			const day = new Date(start.getFullYear(), start.getMonth(), start.getDate() + offset);
			if (!this.#hasDay(day)) continue;
			const first = this.#timesOf(day).reduce(
				(soonest, time) => (time > after && time < soonest ? time : soonest),
				Number.POSITIVE_INFINITY,
			);
			if (Number.isFinite(first)) return first;
		}
		return undefined;
	}

	/** Where both kinds of days are restricted, either of them is enough: cron's own rule. */
	#hasDay(day: Date): boolean {
		const { dates, inMonths, weekdays } = this.#fields;
		if (!inMonths.set.has(day.getMonth() + 1)) return false;
		const hasDate = dates.set.has(day.getDate());
		const hasWeekday = weekdays.set.has(day.getDay());
		return dates.isOpen || weekdays.isOpen ? hasDate && hasWeekday : hasDate || hasWeekday;
	}

	/**
	 * A time that the clock skips when it is put forward comes that much later, once. One that comes twice when it is put
	 * back comes once, unless every hour is meant: then the hour that is repeated counts too.
	 */
	#timesOf(day: Date): number[] {
		const { minutes, hours } = this.#fields;
		const [year, month, date] = [day.getFullYear(), day.getMonth(), day.getDate()];
		const following = new Date(year, month, date + 1);
		const backMs = 60_000 * (following.getTimezoneOffset() - day.getTimezoneOffset());
		const times: number[] = [];
		for (const hour of hours.set)
			for (const minute of minutes.set) {
				const time = new Date(year, month, date, hour, minute);
				times.push(time.getTime());
				const again = new Date(time.getTime() + backMs);
				if (backMs > 0 && hours.isOpen && again.getHours() === hour && again.getMinutes() === minute)
					times.push(again.getTime());
			}
		return times;
	}
}
