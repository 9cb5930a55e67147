/** Statistics with the names of omp-stats, for its routes, programs and pages. */
import type { Database } from "bun:sqlite";

import { hourMs } from "../index/tally.ts";
import type { Range } from "./range.ts";
import {
	added,
	divide,
	readUsage,
	total,
	withoutTime,
	type Division,
	type Row,
	type Sums,
	type UsageRows,
} from "./sums.ts";

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
	const rows = readUsage(database, range, unitOf(range));
	const all = withoutTime(rows);
	return {
		overall: aggregated(total(all)),
		byModel: modelStats(all),
		byFolder: folderStats(all),
		byAgentType: agentStats(all),
		timeSeries: timeSeries(rows),
		...modelSeries(rows),
	};
}

export function modelStats(rows: UsageRows): DashboardStats["byModel"] {
	return divide(rows, ["provider", "model"]).map((row) => ({
		model: row.model,
		provider: row.provider,
		...aggregated(row),
	}));
}

export function folderStats(rows: UsageRows): DashboardStats["byFolder"] {
	return divide(rows, ["project"]).map((row) => ({ folder: row.project, ...aggregated(row) }));
}

export function agentStats(rows: UsageRows): AgentTypeStats[] {
	const types = new Map<AgentTypeStats["agentType"], Sums[]>();
	for (const row of divide(rows, ["agent", "role"])) {
		const type = row.role === "advisor" ? "advisor" : row.agent === "" ? "main" : "subagent";
		types.set(type, [...(types.get(type) ?? []), row]);
	}
	return [...types].map(([agentType, sums]) => ({ agentType, ...aggregated(sums.reduce(added)) }));
}

export function timeSeries(rows: UsageRows): TimeSeriesPoint[] {
	return series(rows, []).map((row) => ({
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
export function modelSeries(rows: UsageRows): ModelSeries {
	const each = series(rows, ["provider", "model"]);
	const points = each.map(modelPoint);
	return { modelSeries: points, modelPerformanceSeries: points, costSeries: each.map(costPoint) };
}

/** Hours up to two days, and days of the user beyond. */
export function unitOf(range: Range): "hour" | "day" {
	return Date.now() - range.from <= 48 * hourMs ? "hour" : "day";
}

/** In the unit in which the rows were read, oldest first. */
export function series<const D extends Division>(rows: UsageRows, by: readonly D[]): Row<D | "hour">[] {
	return divide(rows, [...by, "hour"]).toSorted((a, b) => Number(a.hour) - Number(b.hour));
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
