/** Statistics as one table: by model, project, day, tool or agent. */
import type { Database } from "bun:sqlite";

import { localDate } from "@tau/utils";

import { aggregated, series, tokensOf } from "../query/dashboard.ts";
import type { Range } from "../query/range.ts";
import { readUsage, sumsBy, type Row, type Sums } from "../query/sums.ts";
import { toolStats } from "../query/tools.ts";

export const divisions = ["model", "project", "day", "tool", "agent"] as const;
export type TableDivision = (typeof divisions)[number];

/** A value that is not known is null: a cost without a price is not zero. */
export interface Table {
	columns: readonly string[];
	rows: readonly (readonly (string | number | null)[])[];
}

const usageColumns = [
	"requests",
	"errors",
	"input",
	"output",
	"cache_read",
	"cache_write",
	"cost",
	"estimated_cost",
	"unpriced_requests",
	"avg_duration_ms",
	"avg_ttft_ms",
	"tokens_per_second",
] as const;

export function tableBy(database: Database, range: Range, by: TableDivision): Table {
	switch (by) {
		case "model":
			return usageTable(["provider", "model"], sumsBy(database, range, ["provider", "model"]), (row) => [
				row.provider,
				row.model,
			]);
		case "project":
			return usageTable(["project"], sumsBy(database, range, ["project"]), (row) => [row.project]);
		case "agent":
			return usageTable(["agent", "role"], sumsBy(database, range, ["agent", "role"]), (row) => [
				row.agent || "main",
				row.role,
			]);
		case "day":
			return usageTable(["day"], days(database, range), (row) => [localDate(new Date(row.hour))]);
		case "tool":
			return {
				columns: ["tool", "calls", "errors", "avg_duration_ms", "total_duration_ms"],
				rows: toolStats(database, range).map(({ tool, calls, errors, avgDuration, totalDuration }) => [
					tool,
					calls,
					errors,
					avgDuration,
					totalDuration,
				]),
			};
	}
}

/** The days of the user, oldest first. */
export function days(database: Database, range: Range): Row<"hour">[] {
	return series(readUsage(database, range, "day"), []);
}

function usageTable<R extends Sums>(
	names: readonly string[],
	rows: readonly R[],
	of: (row: R) => string[],
): Table {
	return {
		columns: [...names, ...usageColumns],
		rows: rows.map((row) => {
			const { avgDuration, avgTtft, avgTokensPerSecond } = aggregated(row);
			const { answers, failed, input, output, cacheRead, cacheWrite, estimate, unpriced } = row;
			const cost = costOrNone(row);
			return [
				...of(row),
				answers,
				failed,
				input,
				output,
				cacheRead,
				cacheWrite,
				cost,
				estimate,
				unpriced,
				avgDuration,
				avgTtft,
				avgTokensPerSecond,
			];
		}),
	};
}

/** Null if all that was used has no price. */
export function costOrNone(row: Sums): number | null {
	return row.cost === 0 && row.unpriced > 0 && tokensOf(row) > 0 ? null : row.cost;
}
