/** Makes the log of a session again from its recording: answers from the raw streams, everything else as it was. */
import { isRecord } from "@tau/utils";
import type { Entry } from "@tau/wire";

import { decoded, hasStream } from "./answer.ts";
import { firstDifference, type Difference } from "./difference.ts";
import type { Cassette, ExchangeLine } from "./format.ts";

export interface RebuiltEntry {
	readonly entry: Entry;
	/** The request that it is the answer of. */
	readonly exchange?: ExchangeLine | undefined;
}

export interface Rebuilt {
	readonly entries: readonly RebuiltEntry[];
	readonly log: readonly string[];
	readonly drift: readonly Difference[];
}

/** The recording's clock, and what the session adds to the answer of a model. */
const ofSession: ReadonlySet<string> = new Set(["timestamp", "durationMs", "ttftMs", "thinkingLevel"]);

export async function rebuilt({ log, exchanges }: Cassette): Promise<Rebuilt> {
	const entries: RebuiltEntry[] = [];
	const drift: Difference[] = [];
	const lines = log.slice(0, 1);
	const left = new Map<number, ExchangeLine[]>();
	for (const exchange of exchanges) {
		const { timestamp } = exchange.message;
		left.set(timestamp, [...(left.get(timestamp) ?? []), exchange]);
	}
	for (const [at, line] of log.slice(1).entries()) {
		const entry = JSON.parse(line) as Entry;
		const { message } = entry;
		const isAnswer = entry.type === "message" && isRecord(message) && message.role === "assistant";
		const exchange = isAnswer ? left.get(Number(message.timestamp))?.shift() : undefined;
		if (!exchange || !isRecord(message) || !hasStream(exchange)) {
			entries.push({ entry, exchange });
			lines.push(line);
			continue;
		}
		const again: Entry = { ...entry, message: await answerAgain(message, exchange) };
		const difference = firstDifference(entry, again, `log[${at + 1}]`);
		if (difference) drift.push(difference);
		entries.push({ entry: again, exchange });
		lines.push(JSON.stringify(again));
	}
	return { entries, log: lines, drift };
}

async function answerAgain(
	recorded: Readonly<Record<string, unknown>>,
	exchange: ExchangeLine,
): Promise<Record<string, unknown>> {
	const { message } = await decoded(exchange);
	// As it would be written: what is undefined is not there.
	const today = JSON.parse(JSON.stringify(message)) as Record<string, unknown>;
	const result: Record<string, unknown> = {};
	for (const key of new Set([...Object.keys(recorded), ...Object.keys(today)])) {
		const value = ofSession.has(key) ? recorded[key] : today[key];
		if (value !== undefined) result[key] = value;
	}
	return result;
}
