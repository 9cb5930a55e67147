/** Statistics with the names of omp-stats, for its routes, programs and pages. */
import type { Database } from "bun:sqlite";

import { hourMs } from "../index/tally.ts";
import { startOfDay, type Range } from "./range.ts";
import { added, sumsBy, total, type Division, type Row, type Sums } from "./sums.ts";

export interface AggregatedStats {
	totalRequests: number;
	successfulRequests: number;
	failedRequests: number;
	errorRate: number;
	totalInputTokens: number;
	totalOutputTokens: number;
	totalCacheReadTokens: number;
	totalCacheWriteTokens: number;
	cacheRate: number;
	cacheSavings: number;
	/** In dollars: what input that was not in the cache cost more than from the cache. */
	cacheMissCost: number;
	/** Undefined costs are not in it; see `unpricedRequests`. */
	totalCost: number;
	/** The part of it that a subscription paid, by the public price. */
	estimatedCost: number;
	unpricedRequests: number;
	totalPremiumRequests: number;
	avgDuration: number | null;
	avgTtft: number | null;
	avgTokensPerSecond: number | null;
	firstTimestamp: number;
	lastTimestamp: number;
}

export interface DashboardStats extends ModelSeries {
	overall: AggregatedStats;
	byModel: (AggregatedStats & { model: string; provider: string })[];
	byFolder: (AggregatedStats & { folder: string })[];
	byAgentType: AgentTypeStats[];
	timeSeries: TimeSeriesPoint[];
}

export interface AgentTypeStats extends AggregatedStats {
	agentType: "main" | "subagent" | "advisor";
}

export interface TimeSeriesPoint {
	timestamp: number;
	requests: number;
	errors: number;
	tokens: number;
	cost: number;
}

export interface ModelPoint {
	timestamp: number;
	model: string;
	provider: string;
	requests: number;
	avgTtft: number | null;
	avgTokensPerSecond: number | null;
}

export interface CostPoint {
	timestamp: number;
	model: string;
	provider: string;
	cost: number;
	unpricedRequests: number;
	costInput: number;
	costOutput: number;
	costCacheRead: number;
	costCacheWrite: number;
	requests: number;
}

export function dashboardStats(database: Database, range: Range): DashboardStats {
	return {
		overall: aggregated(total(database, range)),
		byModel: modelStats(database, range),
		byFolder: folderStats(database, range),
		byAgentType: agentStats(database, range),
		timeSeries: timeSeries(database, range),
		...modelSeries(database, range),
	};
}

export function modelStats(database: Database, range: Range): DashboardStats["byModel"] {
	return sumsBy(database, range, ["provider", "model"]).map((row) => ({
		model: row.model,
		provider: row.provider,
		...aggregated(row),
	}));
}

export function folderStats(database: Database, range: Range): DashboardStats["byFolder"] {
	return sumsBy(database, range, ["project"]).map((row) => ({ folder: row.project, ...aggregated(row) }));
}

export function agentStats(database: Database, range: Range): AgentTypeStats[] {
	const types = new Map<AgentTypeStats["agentType"], Sums[]>();
	for (const row of sumsBy(database, range, ["agent", "role"])) {
		const type = row.role === "advisor" ? "advisor" : row.agent === "" ? "main" : "subagent";
		types.set(type, [...(types.get(type) ?? []), row]);
	}
	return [...types].map(([agentType, rows]) => ({ agentType, ...aggregated(rows.reduce(added)) }));
}

export function timeSeries(database: Database, range: Range): TimeSeriesPoint[] {
	return bucketed(database, range, []).map((row) => ({
		timestamp: row.hour,
		requests: row.answers,
		errors: row.failed,
		tokens: tokensOf(row),
		cost: row.cost,
	}));
}

export interface ModelSeries {
	modelSeries: ModelPoint[];
	modelPerformanceSeries: ModelPoint[];
	costSeries: CostPoint[];
}

/** How the use, the speed and the cost of each model went on. */
export function modelSeries(database: Database, range: Range): ModelSeries {
	const rows = bucketed(database, range, ["provider", "model"]);
	const points = rows.map(modelPoint);
	return { modelSeries: points, modelPerformanceSeries: points, costSeries: rows.map(costPoint) };
}

/** Hours up to two days, and days of the user beyond; oldest first. */
export function bucketed<const D extends Division>(
	database: Database,
	range: Range,
	by: readonly D[],
	unit: "hour" | "day" = Date.now() - range.from <= 48 * hourMs ? "hour" : "day",
): Row<D | "hour">[] {
	const rows = sumsBy(database, range, [...by, "hour"]);
	const buckets = new Map<string, { at: number; row: Row<D | "hour"> }>();
	for (const row of rows) {
		const at = unit === "hour" ? Number(row.hour) : startOfDay(Number(row.hour));
		const key = [at, ...by.map((name) => row[name])].join("\n");
		const known = buckets.get(key);
		buckets.set(key, { at, row: known ? added(known.row, row) : { ...row, hour: at } });
	}
	return [...buckets.values()].toSorted((a, b) => a.at - b.at).map(({ row }) => row);
}

export function tokensOf({ input, output, cacheRead, cacheWrite }: Sums): number {
	return input + output + cacheRead + cacheWrite;
}

export function aggregated(sums: Sums): AggregatedStats {
	const { answers, failed, input, cacheRead, uncached } = sums;
	const prompt = sums.costInput + sums.costRead + sums.costWrite;
	return {
		totalRequests: answers,
		successfulRequests: answers - failed,
		failedRequests: failed,
		errorRate: ratio(failed, answers),
		totalInputTokens: input,
		totalOutputTokens: sums.output,
		totalCacheReadTokens: cacheRead,
		totalCacheWriteTokens: sums.cacheWrite,
		cacheRate: ratio(cacheRead, input + cacheRead),
		cacheSavings: ratio(uncached - prompt, uncached),
		cacheMissCost: sums.missed,
		totalCost: sums.cost,
		estimatedCost: sums.estimate,
		unpricedRequests: sums.unpriced,
		totalPremiumRequests: 0,
		avgDuration: mean(sums.ms, sums.timed),
		avgTtft: mean(sums.ttft, sums.ttftTimed),
		avgTokensPerSecond: mean(sums.timedOutput * 1000, sums.ms),
		firstTimestamp: sums.firstHour,
		lastTimestamp: sums.lastHour,
	};
}

function modelPoint(row: Row<"provider" | "model" | "hour">): ModelPoint {
	const { avgTtft, avgTokensPerSecond } = aggregated(row);
	const { hour: timestamp, model, provider, answers: requests } = row;
	return { timestamp, model, provider, requests, avgTtft, avgTokensPerSecond };
}

function costPoint(row: Row<"provider" | "model" | "hour">): CostPoint {
	const { hour: timestamp, model, provider, cost, unpriced, costInput, costOutput, answers } = row;
	const costs = { costInput, costOutput, costCacheRead: row.costRead, costCacheWrite: row.costWrite };
	return { timestamp, model, provider, cost, unpricedRequests: unpriced, ...costs, requests: answers };
}

function ratio(part: number, whole: number): number {
	return whole === 0 ? 0 : part / whole;
}

function mean(sum: number, count: number): number | null {
	return count === 0 ? null : sum / count;
}
