/** What a user and a model said in a recorded session. */
import { isRecord } from "@tau/utils";

import type { Model, ThinkingLevel } from "@tau/ai";
import type { Cassette, ExchangeLine } from "./format.ts";

type Message = Readonly<Record<string, unknown>>;

export interface RecordedPrompts {
	/** Those that begin a run, in order. */
	readonly first: readonly string[];
	/** Those that came while the model worked, by the time of the answer before them. */
	readonly steering: ReadonlyMap<number, readonly string[]>;
}

export function promptsOf({ log }: Cassette): RecordedPrompts {
	const first: string[] = [];
	const steering = new Map<number, string[]>();
	let answer: Message | undefined;
	let last: Message | undefined;
	for (const message of messagesOf(log)) {
		if (message.role === "assistant") answer = message;
		if (message.role === "user") {
			const time = Number(answer?.timestamp);
			if (last?.role === "toolResult") steering.set(time, [...(steering.get(time) ?? []), textOf(message)]);
			else first.push(textOf(message));
		}
		last = message;
	}
	return { first, steering };
}

/** The requests of the conversation itself: not those for titles, summaries and agents. */
export function answersOf({ log, exchanges }: Cassette): (ExchangeLine & {
	model: Model;
	thinkingLevel?: ThinkingLevel;
})[] {
	const answers = new Map(
		messagesOf(log).flatMap((message) =>
			message.role === "assistant" ? [[Number(message.timestamp), message] as const] : [],
		),
	);
	return exchanges.flatMap((exchange) => {
		const message = answers.get(exchange.message.timestamp);
		if (!message) return [];
		// Written by the loop, whose type it is.
		const thinkingLevel = message.thinkingLevel as ThinkingLevel | undefined;
		return [{ ...exchange, ...(thinkingLevel === undefined ? {} : { thinkingLevel }) }];
	});
}

function messagesOf(log: readonly string[]): Message[] {
	return log.flatMap((line) => {
		const { message } = JSON.parse(line) as Record<string, unknown>;
		return isRecord(message) ? [message] : [];
	});
}

function textOf({ content }: Message): string {
	if (typeof content === "string") return content;
	const blocks: unknown[] = Array.isArray(content) ? content : [];
	return blocks
		.map((block) => (isRecord(block) && typeof block.text === "string" ? block.text : ""))
		.join("");
}
