/** What each provider was used for, by hour and day, and the windows of its subscription. */
import type { Database } from "bun:sqlite";

import { blocks, type Block } from "./blocks.ts";
import { aggregated, series, tokensOf, unitOf, type AggregatedStats } from "./dashboard.ts";
import type { Range } from "./range.ts";
import { readUsage, sumsBy } from "./sums.ts";

/** What is left of a subscription, as its vendor says. */
export interface ProviderWindow {
	provider: string;
	plan?: string;
	/** `5 hours`, `7 days`. */
	name: string;
	usedPercent: number;
	resetsAt?: number;
}

export interface ProviderStats {
	providers: (AggregatedStats & { provider: string; models: number; totalTokens: number })[];
	/** By hour of the day where the user is. */
	hourly: { provider: string; hour: number; totalTokens: number; outputTokens: number; requests: number }[];
	series: {
		timestamp: number;
		provider: string;
		totalTokens: number;
		outputTokens: number;
		cost: number;
		requests: number;
	}[];
	/** The last windows of five hours of each provider. */
	blocks: Block[];
	windows: readonly ProviderWindow[];
}

/** Windows of a page's table. */
const shownBlocks = 60;

export function providerStats(
	database: Database,
	range: Range,
	windows: readonly ProviderWindow[],
): ProviderStats {
	const models = Map.groupBy(sumsBy(database, range, ["provider", "model"]), ({ provider }) => provider);
	return {
		providers: sumsBy(database, range, ["provider"]).map((row) => ({
			provider: row.provider,
			models: models.get(row.provider)?.length ?? 0,
			totalTokens: tokensOf(row),
			...aggregated(row),
		})),
		hourly: hourly(database, range),
		series: series(readUsage(database, range, unitOf(range)), ["provider"]).map((row) => ({
			timestamp: row.hour,
			provider: row.provider,
			totalTokens: tokensOf(row),
			outputTokens: row.output,
			cost: row.cost,
			requests: row.answers,
		})),
		// Of all providers together: the windows that are open now are the last ones.
		blocks: blocks(database, range)
			.toSorted((a, b) => a.start - b.start)
			.slice(-shownBlocks),
		windows,
	};
}

function hourly(database: Database, range: Range): ProviderStats["hourly"] {
	const found = new Map<string, ProviderStats["hourly"][number]>();
	for (const row of sumsBy(database, range, ["provider", "hour"])) {
		const hour = new Date(row.hour).getHours();
		const key = `${hour}\n${row.provider}`;
		const known = found.get(key) ?? {
			provider: row.provider,
			hour,
			totalTokens: 0,
			outputTokens: 0,
			requests: 0,
		};
		known.totalTokens += tokensOf(row);
		known.outputTokens += row.output;
		known.requests += row.answers;
		found.set(key, known);
	}
	return [...found.values()];
}
