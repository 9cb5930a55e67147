/** Reads what a client reports of its requests; nothing of it is trusted. */
import { isRecord, oneLine } from "@tau/utils";

import { limits } from "./limits.ts";
import type { Observed, ObservingClient } from "./usage-records.ts";

/** Undefined if it is no report. Entries without a provider are left out. */
export function readObserved(
	{ installId, hostname, app, entries }: Record<string, unknown>,
	now: number,
): { client: ObservingClient; entries: Observed[] } | undefined {
	const id = name(installId);
	if (id === "" || !Array.isArray(entries) || entries.length > limits.observed) return undefined;
	return {
		client: { installId: id, hostname: name(hostname), app: name(app) },
		entries: entries.flatMap((entry) => (isRecord(entry) ? (readEntry(entry, now) ?? []) : [])),
	};
}

function readEntry(entry: Record<string, unknown>, now: number): Observed | undefined {
	const provider = name(entry.provider);
	if (provider === "") return undefined;
	const at = typeof entry.at === "number" ? Math.round(entry.at) : 0;
	return {
		// A client whose clock is wrong used it now.
		at: Math.abs(now - at) < limits.historyMs && at <= now ? at : now,
		provider,
		model: name(entry.model),
		requests: count(entry.requests),
		inputTokens: count(entry.inputTokens),
		outputTokens: count(entry.outputTokens),
		cacheReadTokens: count(entry.cacheReadTokens),
		cacheWriteTokens: count(entry.cacheWriteTokens),
		costUsd:
			typeof entry.costUsd === "number" && entry.costUsd > 0 && Number.isFinite(entry.costUsd)
				? entry.costUsd
				: 0,
	};
}

/** Sums stay exact: no client has used more than this within a request. */
const most = 1_000_000_000_000;

function count(value: unknown): number {
	return typeof value === "number" && value > 0 ? Math.min(Math.round(value), most) : 0;
}

function name(value: unknown): string {
	return typeof value === "string" ? oneLine(value, limits.nameChars) : "";
}
