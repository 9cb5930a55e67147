/** When the user works: days for a heat map, hours of the day, days of the week. */
import type { Database } from "bun:sqlite";

import { localDate } from "@tau/utils";

import { series, tokensOf } from "./dashboard.ts";
import type { Range } from "./range.ts";
import { readUsage, sumsBy } from "./sums.ts";

export interface Activity {
	/** Oldest first; days without usage are left out. */
	days: {
		day: string;
		timestamp: number;
		requests: number;
		tokens: number;
		cost: number;
		estimatedCost: number;
	}[];
	/** By hour of the day where the user is, 24 of them. */
	hours: number[];
	/** By day of the week, Sunday first. */
	weekdays: number[];
}

export function activity(database: Database, range: Range): Activity {
	const hours = Array<number>(24).fill(0);
	const weekdays = Array<number>(7).fill(0);
	for (const { hour, answers } of sumsBy(database, range, ["hour"])) {
		const at = new Date(hour);
		hours[at.getHours()] = (hours[at.getHours()] ?? 0) + answers;
		weekdays[at.getDay()] = (weekdays[at.getDay()] ?? 0) + answers;
	}
	const days = series(readUsage(database, range, "day"), []).map((row) => ({
		day: localDate(new Date(row.hour)),
		timestamp: row.hour,
		requests: row.answers,
		tokens: tokensOf(row),
		cost: row.cost,
		estimatedCost: row.estimate,
	}));
	return { days, hours, weekdays };
}
