/** Windows of five hours, as subscriptions count them: what was used in each, and how fast it goes now. */
import type { Database } from "bun:sqlite";

import { hourMs } from "../index/tally.ts";
import { tokensOf } from "./dashboard.ts";
import type { Range } from "./range.ts";
import { sumsBy, type Row } from "./sums.ts";

/** How long a window of the large subscriptions is. */
const blockMs = 5 * hourMs;

export interface Block {
	provider: string;
	start: number;
	end: number;
	/** The window that is open now. */
	isActive: boolean;
	requests: number;
	tokens: number;
	cost: number;
	/** Per hour since it began; null for one that is over. */
	burnRate: { tokensPerHour: number; costPerHour: number } | null;
	/** What it will have at its end, at this rate. */
	projected: { tokens: number; cost: number } | null;
}

/** A block begins with the hour of the first answer after the last block. Oldest first. */
export function blocks(database: Database, range: Range, now: number = Date.now()): Block[] {
	const rows = sumsBy(database, range, ["provider", "hour"]).toSorted((a, b) => a.hour - b.hour);
	return [...Map.groupBy(rows, ({ provider }) => provider)].flatMap(([provider, hours]) =>
		blocksOf(provider, hours, now),
	);
}

function blocksOf(provider: string, hours: readonly Row<"provider" | "hour">[], now: number): Block[] {
	const found: Block[] = [];
	for (const row of hours) {
		let block = found.at(-1);
		if (!block || row.hour >= block.end) {
			const start = row.hour;
			block = {
				provider,
				start,
				end: start + blockMs,
				isActive: false,
				requests: 0,
				tokens: 0,
				cost: 0,
				burnRate: null,
				projected: null,
			};
			found.push(block);
		}
		block.requests += row.answers;
		block.tokens += tokensOf(row);
		block.cost += row.cost;
	}
	const last = found.at(-1);
	if (last && now < last.end && now >= last.start) found[found.length - 1] = active(last, now);
	return found;
}

function active(block: Block, now: number): Block {
	const hours = Math.max(now - block.start, hourMs / 60) / hourMs;
	const rate = { tokensPerHour: block.tokens / hours, costPerHour: block.cost / hours };
	const all = blockMs / hourMs;
	const projected = { tokens: rate.tokensPerHour * all, cost: rate.costPerHour * all };
	return { ...block, isActive: true, burnRate: rate, projected };
}
