/** What long conversations cost Tau itself: building the context, pruning it, and a compaction without its model. */
import { estimateTokens, planPruning, type Piece } from "@tau/agent";
import { MessageBuilder, type StreamFunction } from "@tau/ai";
import { testModel } from "@tau/ai/testing";
import { AgentSession, Compactor, type CompactionSettings } from "@tau/session";
import { SessionManager } from "@tau/log";

import type { Row } from "./report.ts";

const rounds = 25;
const model = testModel({ contextWindow: 200_000, input: ["text", "image"] });
const settings: CompactionSettings = {
	enabled: true,
	afterAnswer: true,
	reserveTokens: 16_384,
	keepRecentTokens: 20_000,
	thresholdPercent: -1,
	thresholdTokens: -1,
	retry: { maxAttempts: 0, baseDelayMs: 0, maxDelayMs: 0 },
};

export async function context(): Promise<Row[]> {
	return [
		{ name: "context of 10,000 entries after one more", value: rebuilt(), unit: "ms", budget: 2 },
		{
			name: "compaction of 150,000 tokens, without the model",
			value: await compacted(settings),
			unit: "ms",
			budget: 100,
		},
		{
			name: "compaction of 150,000 tokens onto images",
			value: await compacted({ ...settings, strategy: "snapcompact" }),
			unit: "ms",
			budget: 100,
		},
		{ name: "choosing among 10,000 tool results", value: pruned(), unit: "ms", budget: 50 },
	];
}

/** The best of the rounds: a busy machine only adds to it. */
function best(values: readonly number[]): number {
	return Math.min(...values);
}

function timed(work: () => void): number {
	const started = performance.now();
	work();
	return performance.now() - started;
}

/** Appends prompts, calls with results, and answers of about so many characters. */
function converse(log: SessionManager, entries: number, chars: number): void {
	const text = "some words ".repeat(Math.ceil(chars / 11)).slice(0, chars);
	for (let at = 0; at < entries; at += 4) {
		const { message: answer } = new MessageBuilder(model);
		const call = { type: "toolCall" as const, id: `c${at}`, name: "read", arguments: { path: `${at}.ts` } };
		log.appendMessage({ role: "user", content: `Prompt ${at}. ${text.slice(0, 200)}`, timestamp: at });
		log.appendMessage({ ...answer, content: [call], stopReason: "toolUse", timestamp: at });
		const result = { role: "toolResult" as const, toolCallId: call.id, toolName: "read", isError: false };
		log.appendMessage({ ...result, content: [{ type: "text", text }], timestamp: at });
		log.appendMessage({ ...answer, content: [{ type: "text", text }], stopReason: "stop", timestamp: at });
	}
}

function rebuilt(): number {
	const log = SessionManager.inMemory("/work");
	converse(log, 10_000, 400);
	const times = Array.from({ length: rounds }, (_, at) => {
		log.appendMessage({ role: "user", content: "more", timestamp: at });
		return timed(() => void log.buildSessionContext().messages.length);
	});
	return best(times);
}

async function compacted(chosen: CompactionSettings): Promise<number> {
	const answers: StreamFunction = (asked) => {
		const builder = new MessageBuilder(asked);
		builder.append(builder.openText(), "A summary.");
		builder.done("stop");
		return builder.stream;
	};
	const times: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const log = SessionManager.inMemory("/work");
		converse(log, 400, 3000);
		const compactor = new Compactor(log, chosen);
		await using session = new AgentSession({
			model,
			systemPrompt: "",
			tools: [],
			stream: answers,
			credentials: () => ({}),
			messages: log.buildSessionContext().messages,
			compactor,
		});
		const tokens = session.state.messages.reduce((sum, message) => sum + estimateTokens(message), 0);
		if (tokens < 150_000) throw new Error(`only ${tokens} tokens`);
		const started = performance.now();
		await session.compact();
		times.push(performance.now() - started);
	}
	return best(times);
}

function pruned(): number {
	const log = SessionManager.inMemory("/work");
	converse(log, 40_000, 400);
	const pieces: Piece[] = log
		.getEntries()
		.flatMap((entry) => (entry.type === "message" ? [{ id: entry.id, message: entry.message }] : []));
	const options = { protectTokens: 40_000, dropUseless: true };
	return best(Array.from({ length: rounds }, () => timed(() => void planPruning(pieces, options))));
}
