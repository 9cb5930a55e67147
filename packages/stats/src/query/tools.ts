/** What tools did: calls, failures, time. */
import type { Database } from "bun:sqlite";

import { hourMs } from "../index/tally.ts";
import { startOfDay, type Range } from "./range.ts";

export interface ToolStats {
	tool: string;
	calls: number;
	errors: number;
	errorRate: number;
	/** Of calls whose time is known. */
	avgDuration: number | null;
	totalDuration: number;
	lastUsed: number;
}

export interface ToolPoint {
	timestamp: number;
	tool: string;
	calls: number;
	errors: number;
}

const sums = "sum(calls) AS calls, sum(failed) AS errors";
const inRange = "WHERE hour BETWEEN ? AND ?";

export function toolStats(database: Database, range: Range): ToolStats[] {
	return database
		.query<
			{ tool: string; calls: number; errors: number; ms: number; timed: number; last: number },
			[number, number]
		>(
			`SELECT tool, ${sums}, sum(ms) AS ms, sum(timed) AS timed, max(hour) AS last FROM tool_usage ${inRange} GROUP BY tool ORDER BY 2 DESC`,
		)
		.all(...hours(range))
		.map(({ tool, calls, errors, ms, timed, last }) => ({
			tool,
			calls,
			errors,
			errorRate: errors / calls,
			avgDuration: timed === 0 ? null : ms / timed,
			totalDuration: ms,
			lastUsed: last * hourMs,
		}));
}

/** By day of the user. */
export function toolSeries(database: Database, range: Range): ToolPoint[] {
	const rows = database
		.query<{ hour: number; tool: string; calls: number; errors: number }, [number, number]>(
			`SELECT hour, tool, ${sums} FROM tool_usage ${inRange} GROUP BY hour, tool ORDER BY hour`,
		)
		.all(...hours(range));
	const points = new Map<string, ToolPoint>();
	for (const { hour, tool, calls, errors } of rows) {
		const timestamp = startOfDay(hour * hourMs);
		const key = `${timestamp}\n${tool}`;
		const known = points.get(key) ?? { timestamp, tool, calls: 0, errors: 0 };
		points.set(key, { ...known, calls: known.calls + calls, errors: known.errors + errors });
	}
	return [...points.values()];
}

function hours({ from, to }: Range): [number, number] {
	return [Math.floor(from / hourMs), Math.floor(to / hourMs)];
}
