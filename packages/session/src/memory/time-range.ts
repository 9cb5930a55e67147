/** The time that a question is about: `in May`, `on 2026-03-02`, `last week`. */
import { dayMs } from "./limits.ts";

export interface TimeRange {
	from: number;
	to: number;
}

const months = [
	"january",
	"february",
	"march",
	"april",
	"may",
	"june",
	"july",
	"august",
	"september",
	"october",
	"november",
	"december",
];
const inMonth = new RegExp(
	`\\b(?:in|during|since|of|last)\\s+(${months.join("|")})(?:\\s+(\\d{4}))?\\b`,
	"i",
);
const relative = /\b(?:yesterday|last (week|month)|(\d{1,3}) (day|week|month)s? ago)\b/i;

/** Undefined if the text names no time. A month without a year is the last one. */
export function timeRange(text: string, now: number): TimeRange | undefined {
	const date = /\b(\d{4})-(\d\d)-(\d\d)\b/.exec(text);
	if (date) {
		const from = Date.parse(date[0]);
		if (!Number.isNaN(from)) return { from, to: from + dayMs };
	}
	const named = inMonth.exec(text);
	if (named) return monthRange(months.indexOf((named[1] ?? "").toLowerCase()), named[2], now);
	const ago = relative.exec(text);
	if (!ago) return undefined;
	const [, last, count, unit] = ago;
	if (last !== undefined) return { from: now - (last === "week" ? 8 : 45) * dayMs, to: now };
	if (count === undefined) return { from: now - 2 * dayMs, to: now };
	const days = Number(count) * (unit === "day" ? 1 : unit === "week" ? 7 : 30);
	const slack = Math.max(1, days / 4);
	return { from: now - (days + slack) * dayMs, to: now - (days - slack) * dayMs };
}

function monthRange(month: number, year: string | undefined, now: number): TimeRange {
	const today = new Date(now);
	const isLater = month > today.getUTCMonth();
	const named = year === undefined ? today.getUTCFullYear() - (isLater ? 1 : 0) : Number(year);
	return { from: Date.UTC(named, month, 1), to: Date.UTC(named, month + 1, 1) };
}
