/** Spans of time that statistics are asked for. */
import { hourMs } from "../index/tally.ts";

export interface Range {
	/** The first and the last moment, as `Date.now()`. */
	from: number;
	to: number;
}

const dayMs = 24 * hourMs;
const units: Readonly<Record<string, number>> = {
	h: hourMs,
	d: dayMs,
	w: 7 * dayMs,
	m: 30 * dayMs,
	y: 365 * dayMs,
};

/** Everything. */
const always: Range = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** `24h`, `7d`, `2w`, `today`, `all`, or a day such as `2026-11-01`; undefined for anything else. */
export function rangeOf(text: string, now: number = Date.now()): Range | undefined {
	if (text === "" || text === "all") return always;
	if (text === "today") return { from: startOfDay(now), to: always.to };
	const [, number, unit = ""] = /^(\d{1,5})([hdwmy])$/.exec(text) ?? [];
	const length = units[unit];
	if (length !== undefined) return { from: now - Number(number) * length, to: always.to };
	const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
	if (year === undefined) return undefined;
	const from = new Date(Number(year), Number(month) - 1, Number(day));
	return from.getMonth() === Number(month) - 1 ? { from: from.getTime(), to: always.to } : undefined;
}

/** Midnight where the user is. */
export function startOfDay(at: number): number {
	return new Date(at).setHours(0, 0, 0, 0);
}
