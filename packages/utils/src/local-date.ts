/**
 * The date and the time where the user is, without the calendars of `Intl`: the first question to `Date` about the local time loads
 * them, which took 5 to 9 ms of a start of 60.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Env } from "./env.ts";

const zones = "/usr/share/zoneinfo";
const zoneName = /^[A-Za-z]\w*(?:[/+-]\w+)*$/;

/** `2026-11-15`. */
export function localDate(now = new Date(), env: Env = process.env): string {
	return localTime(now, env).slice(0, 10);
}

/** `14:05`. */
export function localClock(now = new Date(), env: Env = process.env): string {
	return localTime(now, env).slice(11, 16);
}

function localTime(now: Date, env: Env): string {
	const quarter = Math.floor(now.getTime() / quarterHourMs);
	if (known?.quarter !== quarter || known.zone !== env.TZ) {
		const seconds = offsetHere(now, env) ?? -60 * now.getTimezoneOffset();
		known = { quarter, zone: env.TZ, seconds };
	}
	return new Date(now.getTime() + 1000 * known.seconds).toISOString();
}

/** Clocks are changed at such times only. */
const quarterHourMs = 15 * 60_000;
/** Asked after every turn: reading the zone's file takes longer than the rest of the answer. */
let known: { quarter: number; zone: string | undefined; seconds: number } | undefined;

/** `undefined` where the files of the system do not tell. */
function offsetHere(now: Date, { TZ: name }: Env): number | undefined {
	if (name !== undefined && !zoneName.test(name)) return undefined;
	try {
		const file = readFileSync(name === undefined ? "/etc/localtime" : join(zones, name));
		return zoneOffset(file, Math.floor(now.getTime() / 1000));
	} catch {
		// Another system keeps them elsewhere: the caller uses the slow way.
		return undefined;
	}
}

const headerBytes = 44;

/**
 * Seconds east of Greenwich at a time, from a zone's file (RFC 9636). `undefined` for a file of the first version and
 * for a time after its table, where a rule for summer time would have to be worked out.
 */
export function zoneOffset(file: Buffer, time: number): number | undefined {
	if (file.toString("latin1", 0, 4) !== "TZif" || file[4] === 0) return undefined;
	const start = headerBytes + countsAt(file, 0).bytes(4);
	const { times, types, bytes } = countsAt(file, start);
	const table = start + headerBytes;
	let at = times;
	while (at > 0 && file.readBigInt64BE(table + 8 * (at - 1)) > BigInt(time)) at--;
	const rule = file.toString("latin1", table + bytes(8));
	if (at === times && rule.includes(",")) return undefined;
	const type = at === 0 ? 0 : file.readUInt8(table + 8 * times + at - 1);
	return type < types ? file.readInt32BE(table + 9 * times + 6 * type) : undefined;
}

/** The counts in a header, and the length of what follows it with times of so many bytes. */
function countsAt(file: Buffer, start: number) {
	const count = (index: number): number => file.readUInt32BE(start + 20 + 4 * index);
	const [utc, standard, leaps, times, types, chars] = [0, 1, 2, 3, 4, 5].map(count) as [
		number,
		number,
		number,
		number,
		number,
		number,
	];
	const bytes = (size: number): number =>
		times * (size + 1) + types * 6 + chars + leaps * (size + 4) + standard + utc;
	return { times, types, bytes };
}
