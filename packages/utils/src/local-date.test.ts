/** The date that the model reads, and the time that the user reads, are those on the user's wall. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { localClock, localDate, zoneOffset } from "./local-date.ts";

const names = [
	"UTC",
	"Europe/Berlin",
	"America/New_York",
	"Asia/Kolkata",
	"Pacific/Auckland",
	"America/Sao_Paulo",
];

/** As `Intl` has them: `2026-11-15, 14:05`. */
function intlTimes(timeZone: string): Intl.DateTimeFormat {
	return new Intl.DateTimeFormat("en-CA", {
		timeZone,
		year: "numeric",
		month: "2-digit",
		day: "2-digit",
		hour: "2-digit",
		minute: "2-digit",
		hourCycle: "h23",
	});
}

test("it is the date and the time of Intl, in every zone and season, also close to midnight", () => {
	for (const name of names) {
		const file = readFileSync(join("/usr/share/zoneinfo", name));
		const times = intlTimes(name);
		for (let hour = 0; hour < 24 * 400; hour += 5) {
			const time = new Date(Date.UTC(2026, 0, 1, hour, 59, 59));
			// Some systems have tables that end before today.
			if (zoneOffset(file, time.getTime() / 1000) === undefined) continue;
			const env = { TZ: name };
			const here = `${localDate(time, env)}, ${localClock(time, env)}`;
			expect(`${name} ${here}`).toBe(`${name} ${times.format(time)}`);
		}
	}
	expect(localDate(new Date(Date.UTC(2026, 0, 1, 20)), { TZ: "Asia/Kolkata" })).toBe("2026-01-02");
});

test("a name that leads elsewhere and an invalid file are not trusted", () => {
	const time = new Date();
	const here = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
	expect(localDate(time, { TZ: "../../etc/passwd" })).toBe(here);
	expect(localDate(time, { TZ: "No/Such_Zone" })).toBe(here);
	expect(zoneOffset(Buffer.from("not a zone"), 0)).toBeUndefined();
	expect(zoneOffset(Buffer.alloc(0), 0)).toBeUndefined();
});

test("without a name, it is the zone of the machine", () => {
	expect(localDate(new Date(0), {})).toMatch(/^19(?:69-12-31|70-01-01)$/);
});

test("after the table of a zone with summer time nothing is claimed", () => {
	const file = readFileSync(join("/usr/share/zoneinfo", "Europe/Berlin"));
	expect(zoneOffset(file, Date.UTC(2090, 6, 1) / 1000)).toBeUndefined();
	expect(zoneOffset(file, Date.UTC(2000, 6, 1) / 1000)).toBe(7200);
});
