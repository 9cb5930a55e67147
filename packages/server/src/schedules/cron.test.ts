/** When schedules are due, also where clocks are put forward and back. */
import { afterEach, expect, test } from "bun:test";

import { parsePattern } from "./cron.ts";
import { samples } from "../../../../test/support/depth.ts";

const zone = process.env.TZ;
afterEach(() => {
	if (zone === undefined) delete process.env.TZ;
	else process.env.TZ = zone;
});

function times(pattern: string, from: string, count: number): string[] {
	const read = parsePattern(pattern);
	let at = new Date(from).getTime();
	return Array.from({ length: count }, () => {
		at = read.next(at, 0);
		return new Date(at).toISOString().replace(":00.000Z", "");
	});
}

test("expressions with lists, ranges, steps and names come when cron says", () => {
	process.env.TZ = "UTC";
	expect(times("0 9 * * 1-5", "2026-11-20T10:00:00Z", 2)).toEqual(["2026-11-23T09:00", "2026-11-24T09:00"]);
	expect(times("*/20 8,17 * * *", "2026-11-20T08:30:00Z", 4)).toEqual([
		"2026-11-20T08:40",
		"2026-11-20T17:00",
		"2026-11-20T17:20",
		"2026-11-20T17:40",
	]);
	expect(times("5/25 0 1 jan,JUL *", "2026-01-01T00:30:00Z", 2)).toEqual([
		"2026-01-01T00:55",
		"2026-07-01T00:05",
	]);
	expect(times("@weekly", "2026-11-20T00:00:00Z", 1)).toEqual(["2026-11-22T00:00"]);
	expect(times("0 0 29 2 *", "2026-01-01T00:00:00Z", 1)).toEqual(["2028-02-29T00:00"]);
	// Either kind of day, where both are given; Sunday is 0 and 7.
	expect(times("0 0 13 * 7", "2026-11-12T12:00:00Z", 2)).toEqual(["2026-11-13T00:00", "2026-11-15T00:00"]);
	expect(times("0 0 */2 * 0", "2026-11-12T12:00:00Z", 1)).toEqual(["2026-11-15T00:00"]);
});

test("intervals are counted from when the schedule was made, and what was missed comes once", () => {
	const pattern = parsePattern("every 2h");
	expect(pattern.next(1000, 1000)).toBe(1000 + 7_200_000);
	expect(pattern.next(1000 + 50 * 7_200_000 + 5, 1000)).toBe(1000 + 51 * 7_200_000);
	expect(parsePattern("every 30 minutes").next(0, 0)).toBe(1_800_000);
});

test("a time that the clock skips comes once, one that it repeats comes once, and every hour means every hour", () => {
	process.env.TZ = "Europe/Berlin";
	// 2026-03-29 02:00 -> 03:00, 2026-10-25 03:00 -> 02:00.
	expect(times("30 2 * * *", "2026-03-28T12:00:00Z", 2)).toEqual(["2026-03-29T01:30", "2026-03-30T00:30"]);
	expect(times("30 2 * * *", "2026-10-24T12:00:00Z", 2)).toEqual(["2026-10-25T00:30", "2026-10-26T01:30"]);
	expect(times("0 * * * *", "2026-10-24T23:30:00Z", 4)).toEqual([
		"2026-10-25T00:00",
		"2026-10-25T01:00",
		"2026-10-25T02:00",
		"2026-10-25T03:00",
	]);
	expect(times("*/30 * * * *", "2026-03-29T00:45:00Z", 3)).toEqual([
		"2026-03-29T01:00",
		"2026-03-29T01:30",
		"2026-03-29T02:00",
	]);
});

test("the next time is the first minute that fits, in zones of all kinds", () => {
	const random = (below: number): number => Math.floor(Math.random() * below);
	const field = (low: number, high: number): string => {
		const value = (): number => low + random(high - low + 1);
		const [a, b] = [value(), value()].toSorted((x, y) => x - y) as [number, number];
		return (
			["*", `${a}`, `${a}-${b}`, `${a},${b}`, `*/${1 + random(9)}`, `${a}-${b}/${1 + random(4)}`][
				random(6)
			] ?? "*"
		);
	};
	for (let sample = 0; sample < samples(100); sample++) {
		process.env.TZ = ["UTC", "Asia/Kolkata", "Asia/Kathmandu", "America/Phoenix"][random(4)] ?? "UTC";
		const words = [field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6)];
		const after = Date.UTC(2026, random(12), 1 + random(28), random(24), random(60), random(60));
		const next = parsePattern(words.join(" ")).next(after, 0);
		// Every minute in between is tried by the fields alone, for at most a week.
		const reach = Math.min(next, after + 7 * 86_400_000);
		for (let at = Math.floor(after / 60_000) * 60_000 + 60_000; at < reach; at += 60_000)
			if (fits(words, new Date(at)))
				throw new Error(`${words.join(" ")} after ${after} in ${process.env.TZ}: missed ${at}`);
		expect(fits(words, new Date(next))).toBe(true);
	}
});

test("fixed times come once a day all year where clocks change", () => {
	for (const name of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago"]) {
		process.env.TZ = name;
		const pattern = parsePattern(`${Math.floor(Math.random() * 60)} ${Math.floor(Math.random() * 24)} * * *`);
		let at = new Date(2026, 0, 1).getTime();
		const days: string[] = [];
		for (at = pattern.next(at - 1, 0); at < new Date(2027, 0, 1).getTime(); at = pattern.next(at, 0)) {
			const date = new Date(at);
			days.push(`${date.getMonth()}-${date.getDate()}`);
		}
		expect(new Set(days).size).toBe(365);
		expect(days).toHaveLength(365);
	}
});

test("what is no schedule is refused with the field and an example", () => {
	for (const [text, reason] of [
		["", "5 fields"],
		["* * * *", "5 fields"],
		["60 * * * *", "minute"],
		["* 5-1 * * *", "hour"],
		["* * 0 * *", "day of the month"],
		["* * * foo *", "month"],
		["* * * * 8", "day of the week"],
		["*/0 * * * *", "minute"],
		["0 0 30 2 *", "never comes"],
		["every 0m", "interval"],
		["every 900d", "interval"],
	] as const)
		expect(() => parsePattern(text)).toThrow(reason);
});

function fits(words: readonly string[], date: Date): boolean {
	const [minute, hour, day, month, weekday] = words as [string, string, string, string, string];
	const isDay = has(day, date.getDate(), 1, 31);
	const isWeekday = has(weekday, date.getDay(), 0, 6);
	const isOpen = day.startsWith("*") || weekday.startsWith("*");
	return (
		has(minute, date.getMinutes(), 0, 59) &&
		has(hour, date.getHours(), 0, 23) &&
		has(month, date.getMonth() + 1, 1, 12) &&
		(isOpen ? isDay && isWeekday : isDay || isWeekday)
	);
}

function has(word: string, value: number, low: number, high: number): boolean {
	return word.split(",").some((part) => {
		const [range = "", step = "1"] = part.split("/");
		const [from = "", to = from] = range === "*" ? [String(low), String(high)] : range.split("-");
		return value >= Number(from) && value <= Number(to) && (value - Number(from)) % Number(step) === 0;
	});
}
