/** Figures as people read them. */
import { elapsed, money } from "@tau/utils/portable";

import type { Sums } from "./usage-data.ts";

/** `~` marks an estimate: a subscription paid. N/A is what has no price. */
export function paidText({ totalCost, estimatedCost, unpricedRequests, totalRequests }: Sums): string {
	if (unpricedRequests > 0 && unpricedRequests === totalRequests) return "N/A";
	return marked(totalCost, estimatedCost > 0);
}

/** Says too that a part has no price, and so is not in the sum. */
export function costText(sums: Sums): string {
	const { unpricedRequests, totalRequests } = sums;
	const isPart = unpricedRequests > 0 && unpricedRequests < totalRequests;
	return `${paidText(sums)}${isPart ? " + N/A" : ""}`;
}

export function marked(cost: number, isEstimate: boolean): string {
	return `${isEstimate ? "~" : ""}${money(cost)}`;
}

export function tokenCount(sums: Sums): number {
	return (
		sums.totalInputTokens + sums.totalOutputTokens + sums.totalCacheReadTokens + sums.totalCacheWriteTokens
	);
}

export function percent(share: number): string {
	const value = share * 100;
	return `${value > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}

export function duration(ms: number | null): string {
	if (ms === null) return "–";
	if (ms < 1000) return `${Math.round(ms)} ms`;
	return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : elapsed(ms);
}

export function count(value: number): string {
	return value.toLocaleString("en-US");
}

export function timeText(time: number, isHourly: boolean): string {
	const day = { month: "short", day: "numeric" } as const;
	const hour = { hour: "2-digit", minute: "2-digit" } as const;
	return new Date(time).toLocaleString(undefined, isHourly ? { ...day, ...hour } : day);
}

export function clockText(time: number): string {
	return new Date(time).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}
