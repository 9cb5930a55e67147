/** Adds up usage the plain way: every line is parsed as a whole. What the index says is compared with it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface NaiveSums {
	answers: number;
	failed: number;
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	cost: number;
	toolCalls: number;
	toolErrors: number;
	byModel: Record<string, number>;
}

interface Line {
	type?: string;
	message?: {
		role?: string;
		model?: string;
		stopReason?: string;
		isError?: boolean;
		usage?: { input: number; output: number; cacheRead: number; cacheWrite: number; cost: { total: number } };
	};
}

/** Of the sessions of Tau below a directory. */
export function naiveSums(directory: string): NaiveSums {
	const sums: NaiveSums = {
		answers: 0,
		failed: 0,
		input: 0,
		output: 0,
		cacheRead: 0,
		cacheWrite: 0,
		cost: 0,
		toolCalls: 0,
		toolErrors: 0,
		byModel: {},
	};
	for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
		if (!name.endsWith(".jsonl")) continue;
		for (const text of readFileSync(join(directory, name), "utf8").split("\n")) add(sums, parsed(text));
	}
	return sums;
}

function add(sums: NaiveSums, { type, message }: Line): void {
	if (type !== "message" || !message) return;
	if (message.role === "toolResult") {
		sums.toolCalls++;
		if (message.isError) sums.toolErrors++;
	}
	const { usage, model = "" } = message;
	if (message.role !== "assistant" || !usage) return;
	sums.answers++;
	if (message.stopReason === "error") sums.failed++;
	for (const name of ["input", "output", "cacheRead", "cacheWrite"] as const) sums[name] += usage[name];
	sums.cost += usage.cost.total;
	sums.byModel[model] = (sums.byModel[model] ?? 0) + usage.cost.total;
}

function parsed(text: string): Line {
	try {
		return JSON.parse(text) as Line;
	} catch {
		// A torn line has no usage.
		return {};
	}
}
