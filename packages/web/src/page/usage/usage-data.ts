/** What the server knows about usage, as far as the page shows it. The names are those of its routes (docs/web-api.md). */
import { saveFile } from "../parts/save-file.ts";
import { accessHeaders, call } from "../store/api.ts";
import { limits } from "../limits.ts";

export interface Sums {
	readonly totalRequests: number;
	readonly failedRequests: number;
	readonly errorRate: number;
	readonly totalInputTokens: number;
	readonly totalOutputTokens: number;
	readonly totalCacheReadTokens: number;
	readonly totalCacheWriteTokens: number;
	readonly cacheRate: number;
	readonly cacheSavings: number;
	readonly cacheMissCost: number;
	readonly totalCost: number;
	/** The part that a subscription paid. */
	readonly estimatedCost: number;
	readonly unpricedRequests: number;
	readonly avgDuration: number | null;
	readonly avgTtft: number | null;
	readonly avgTokensPerSecond: number | null;
}

export interface CostPoint {
	readonly timestamp: number;
	readonly model: string;
	readonly provider: string;
	readonly cost: number;
}

export interface TimePoint {
	readonly timestamp: number;
	readonly requests: number;
	readonly tokens: number;
	readonly cost: number;
}

export interface ToolSums {
	readonly tool: string;
	readonly calls: number;
	readonly errors: number;
	readonly errorRate: number;
	readonly avgDuration: number | null;
	readonly totalDuration: number;
}

/** A window of five hours of a provider. */
export interface Block {
	readonly provider: string;
	readonly isActive: boolean;
	readonly cost: number;
	/** Milliseconds since 1970. */
	readonly end: number;
	readonly burnRate: { readonly costPerHour: number } | null;
	/** At its end, at this rate. */
	readonly projected: { readonly cost: number } | null;
}

/** What is left of a subscription, as its vendor says. */
export interface SubscriptionWindow {
	readonly provider: string;
	readonly plan?: string;
	/** `5 hours`, `7 days`. */
	readonly name: string;
	readonly usedPercent: number;
	readonly resetsAt?: number;
}

export interface SessionSums {
	readonly id: string;
	readonly folder: string;
	readonly title: string | null;
	readonly file: string | null;
	readonly last: number;
	readonly requests: number;
	readonly errors: number;
	readonly tokens: number;
	readonly cost: number;
	readonly estimatedCost: number;
	readonly unpricedRequests: number;
	readonly toolCalls: number;
}

/** One thing that happened in a session. */
export interface TraceEntry {
	readonly id: string;
	readonly kind: string;
	readonly at: number;
	readonly durationMs: number;
	readonly name: string;
	readonly text: string;
	readonly isError: boolean;
	readonly tokens: number;
	readonly cost: number | null;
}

export interface Trace {
	readonly entries: readonly TraceEntry[];
	readonly omitted: number;
}

export interface Failure {
	readonly id: string;
	readonly timestamp: number;
	readonly provider: string;
	readonly model: string;
	readonly folder: string;
	readonly failure: string;
	readonly errorMessage: string | null;
}

export interface Day {
	/** `2026-11-17` */
	readonly day: string;
	readonly requests: number;
	readonly tokens: number;
	readonly cost: number;
	readonly estimatedCost: number;
}

export type ProviderSums = Sums & { readonly provider: string; readonly models: number };
export type ModelSums = Sums & { readonly provider: string; readonly model: string };
export type FolderSums = Sums & { readonly folder: string };
export type AgentSums = Sums & { readonly agentType: string };

export interface Usage {
	readonly overall: Sums;
	readonly byModel: readonly ModelSums[];
	readonly byFolder: readonly FolderSums[];
	readonly byAgentType: readonly AgentSums[];
	readonly timeSeries: readonly TimePoint[];
	readonly costSeries: readonly CostPoint[];
	readonly tools: readonly ToolSums[];
	readonly providers: readonly ProviderSums[];
	readonly blocks: readonly Block[];
	readonly windows: readonly SubscriptionWindow[];
	readonly errors: readonly Failure[];
	/** Of the last year, whatever the range is. */
	readonly days: readonly Day[];
}

export const weeksShown = 53;
export const tables = ["day", "model", "project", "tool", "agent"] as const;
export type TableName = (typeof tables)[number];

type Whole = Omit<Usage, "tools" | "providers" | "blocks" | "windows" | "errors" | "days">;

export async function loadUsage(range: string): Promise<Usage> {
	const signal = AbortSignal.timeout(limits.requestMs);
	const get = <T>(view: string, within = range): Promise<T> =>
		call<T>("GET", addressOf(view, { range: within }), undefined, signal);
	const [whole, tools, providers, errors, activity] = await Promise.all([
		get<Whole>(""),
		get<{ byTool: readonly ToolSums[] }>("/tools"),
		get<Pick<Usage, "providers" | "blocks" | "windows">>("/providers"),
		get<readonly Failure[]>("/errors"),
		get<{ days: readonly Day[] }>("/behavior", `${weeksShown}w`),
	]);
	return { ...whole, ...providers, tools: tools.byTool, errors, days: activity.days };
}

/** Those whose title, project or id has the words, the last one first. */
export async function loadSessions(words: string): Promise<readonly SessionSums[]> {
	const signal = AbortSignal.timeout(limits.requestMs);
	return await call("GET", addressOf("/sessions", { q: words }), undefined, signal);
}

export async function loadTrace(file: string): Promise<Trace> {
	const signal = AbortSignal.timeout(limits.requestMs);
	return await call("GET", addressOf("/session/trace", { file }), undefined, signal);
}

/** Reads what is new in all sessions; resolves with how many entries that were. */
export async function syncUsage(left: AbortSignal): Promise<number> {
	const signal = AbortSignal.any([left, AbortSignal.timeout(limits.usageScanMs)]);
	const { processed } = await call<{ processed: number }>("GET", "/api/stats/sync", undefined, signal);
	return processed;
}

/** A link could not carry the key of this browser, so the page fetches the file and saves it. */
export async function saveCsv(by: TableName, range: string): Promise<void> {
	const response = await fetch(addressOf("/csv", { by, range }), {
		headers: accessHeaders(),
		credentials: "same-origin",
		signal: AbortSignal.timeout(limits.requestMs),
	});
	if (!response.ok)
		throw new Error(`The table could not be read: the server answered with ${response.status}.`);
	saveFile(`tau-usage-by-${by}.csv`, await response.blob());
}

function addressOf(view: string, query: Record<string, string>): string {
	return `/api/stats${view}?${new URLSearchParams(query)}`;
}
