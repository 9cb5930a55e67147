/** The demo as a provider: plans the next step of a conversation and streams it like a model's answer. */
import {
	MessageBuilder,
	failure,
	type StreamFunction,
	type AssistantMessage,
	type Context,
	type Message,
	type Usage,
} from "@tau/ai";
import { abortable, envNumber, withTimeout } from "@tau/utils";

import { type ConnectionFacts, connectionText } from "./connection-facts.ts";
import { limits } from "./limits.ts";
import { plan } from "./plan.ts";
import { type Manner, speak } from "./speak.ts";

/** `facts` is called only for an answer about connecting a real model; it may be slow. */
export function createDemoStream(facts: () => Promise<ConnectionFacts>): StreamFunction {
	return (model, context, options = {}) => {
		const reader = new AbortController();
		const builder = new MessageBuilder(model, () => reader.abort());
		const signal = options.signal ? AbortSignal.any([options.signal, reader.signal]) : reader.signal;
		const manner: Manner = {
			signal,
			pace: Math.min(limits.paceMs, envNumber("TAU_DEMO_PACE_MS") ?? 0),
			thinking: options.reasoning !== "off",
			connection: () => lookAround(facts, signal),
		};
		void answer(builder, context, manner);
		return builder.stream;
	};
}

/** Never rejects: whatever happens is the stream's last event. */
async function answer(
	builder: MessageBuilder,
	context: Parameters<typeof plan>[0],
	manner: Manner,
): Promise<void> {
	try {
		builder.start();
		const step = plan(context);
		await speak(builder, step, manner);
		builder.setUsage(estimateUsage(context, builder.message));
		builder.done(step.some((piece) => piece.kind === "call") ? "toolUse" : "stop");
	} catch (error) {
		builder.setUsage(estimateUsage(context, builder.message));
		if (manner.signal.aborted) builder.abort();
		else builder.fail(failure("unknown", error instanceof Error ? error.message : String(error)));
	}
}

async function lookAround(facts: () => Promise<ConnectionFacts>, signal: AbortSignal): Promise<string> {
	using deadline = withTimeout(signal, limits.factsMs, "looking for models took too long");
	try {
		return connectionText(await abortable(facts(), deadline.signal));
	} catch {
		signal.throwIfAborted();
		// What was not found out is left out; the way to connect a model is the same without it.
		return connectionText(undefined);
	}
}

const charsPerToken = 4;

/** Estimates what an exchange would have cost a real model. */
function estimateUsage(context: Context, message: AssistantMessage): Partial<Omit<Usage, "cost">> {
	const input = tokens(contextChars(context));
	const output = tokens(messageChars(message));
	return { input, output, totalTokens: input + output };
}

function tokens(chars: number): number {
	return Math.ceil(chars / charsPerToken);
}

function contextChars({ systemPrompt = "", messages, tools = [] }: Context): number {
	const messagesChars = messages.reduce((sum, each) => sum + messageChars(each), 0);
	return systemPrompt.length + messagesChars + (tools.length > 0 ? JSON.stringify(tools).length : 0);
}

function messageChars({ content }: Message): number {
	if (typeof content === "string") return content.length;
	return content.reduce((sum, part) => sum + partChars(part), 0);
}

/** Images do not count: the demo ignores them. */
function partChars(part: Exclude<Message["content"], string>[number]): number {
	switch (part.type) {
		case "text":
			return part.text.length;
		case "thinking":
			return part.thinking.length;
		case "toolCall":
			return part.name.length + JSON.stringify(part.arguments).length;
		case "image":
			return 0;
	}
}
