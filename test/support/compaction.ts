/** A session that can be compacted, for tests: a small window, and a log with a conversation. */
import type { AgentTool } from "@tau/agent";
import { MessageBuilder, type AssistantMessage, type Model } from "@tau/ai";
import { playModel, type Scenario } from "@tau/ai/testing";
import {
	autoCompaction,
	Compactor,
	foreignContent,
	idleCompaction,
	persistence,
	type AgentSession,
	type AgentSessionOptions,
	type CompactionSettings,
	type SessionEvent,
} from "@tau/session";
import { SessionManager } from "@tau/log";

import { hiddenTools } from "./hidden-tools.ts";
import { testModel, testSession } from "./session.ts";

/** A window of 10,000 tokens is full at 8,500, and keeps the last 1,000. */
export const smallWindow: CompactionSettings = {
	enabled: true,
	afterAnswer: true,
	reserveTokens: 1000,
	keepRecentTokens: 1000,
	thresholdPercent: -1,
	thresholdTokens: -1,
	retry: { maxAttempts: 1, baseDelayMs: 0, maxDelayMs: 1000 },
};

export interface CompactionFixture extends Disposable {
	session: AgentSession;
	log: SessionManager;
	/** Read each time, so that a test may change them. */
	settings: CompactionSettings;
	events: SessionEvent[];
	/** Resolves with the end of the next compaction. */
	compacted(): Promise<Extract<SessionEvent, { type: "compaction_end" }>>;
}

export interface CompactionFixtureOptions {
	settings?: Partial<CompactionSettings>;
	model?: Partial<Model>;
	log?: SessionManager;
	session?: Partial<AgentSessionOptions>;
}

export function compactionFixture(
	played: { anthropicUrl: string },
	{
		settings: more = {},
		model = {},
		log = SessionManager.inMemory("/work"),
		session: own = {},
	}: CompactionFixtureOptions = {},
): CompactionFixture {
	const settings = { ...smallWindow, ...more };
	const compactor = new Compactor(log, settings);
	const session = testSession(testModel({ baseUrl: played.anthropicUrl, contextWindow: 10_000, ...model }), {
		messages: log.buildSessionContext().messages,
		tools: hiddenTools(),
		compactor,
		...own,
		behaviors: [
			persistence(log),
			...(own.behaviors ?? []),
			autoCompaction(compactor, settings),
			foreignContent(compactor),
			idleCompaction(compactor, settings),
		],
	});
	const events: SessionEvent[] = [];
	session.subscribe((event) => void events.push(event));
	return {
		session,
		log,
		settings,
		events,
		compacted: () => {
			const { promise, resolve } = Promise.withResolvers<Extract<SessionEvent, { type: "compaction_end" }>>();
			const listening = session.subscribe((event) => {
				if (event.type !== "compaction_end") return;
				listening[Symbol.dispose]();
				resolve(event);
			});
			return promise;
		},
		[Symbol.dispose]: () => session[Symbol.dispose](),
	};
}

/** A conversation of these words is long enough to be compacted. */
export const words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];

/** Matches the requests for a summary, which are not part of the conversation. */
export const summing = { bodyContains: "Reply with the summary and nothing else" };

/** A session in front of a played model; without its own log it starts with a conversation of `words`. */
export async function playedCompaction(scenario: Scenario, options: CompactionFixtureOptions = {}) {
	const played = await playModel(scenario);
	const log = options.log ?? SessionManager.inMemory("/work");
	if (!options.log) converse(log, words);
	const fixture = compactionFixture(played, { ...options, log });
	return {
		...fixture,
		played,
		async [Symbol.asyncDispose]() {
			await fixture.session[Symbol.asyncDispose]();
			await played.close();
		},
	};
}

/** A tool without arguments. */
export const look: AgentTool = {
	name: "look",
	label: "Look",
	description: "looks",
	parameters: { type: "object" },
	concurrency: "shared",
	approval: "read",
	validate: (value) => ({ ok: true, value }),
	execute: async () => ({ content: [{ type: "text", text: "seen it" }] }),
};

/** Adds a conversation to the log: each word is sent, and answered with about so many tokens. */
export function converse(log: SessionManager, topics: readonly string[], tokens = 500): void {
	for (const word of topics) {
		log.appendMessage({ role: "user", content: `${word}?`, timestamp: Date.now() });
		log.appendMessage(answer([{ type: "text", text: `${word}! ${filler(tokens)}` }]));
	}
}

/** An hour old: no provider has it in its cache, so that a summary is made from the text. */
export function answer(content: AssistantMessage["content"], age = 60 * 60 * 1000): AssistantMessage {
	const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
	return { ...new MessageBuilder(testModel()).message, content, stopReason, timestamp: Date.now() - age };
}

/** A call with its result. */
export function use(
	log: SessionManager,
	id: string,
	name: string,
	args: Record<string, unknown>,
	text: string,
): void {
	log.appendMessage(answer([{ type: "toolCall", id, name, arguments: args }]));
	log.appendMessage({
		role: "toolResult",
		toolCallId: id,
		toolName: name,
		content: [{ type: "text", text }],
		isError: false,
		timestamp: Date.now(),
	});
}

export function filler(tokens: number): string {
	return "some words ".repeat(Math.ceil((tokens * 4) / 11)).trim();
}
