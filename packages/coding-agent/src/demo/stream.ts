/** The demo as a provider: plans the next step of a conversation and streams it like a model's answer. */
import { MessageBuilder, failure, type StreamFunction } from "@tau/ai";
import { abortable, envNumber, withTimeout } from "@tau/utils";

import { estimateUsage } from "./estimate.ts";
import { type ConnectionFacts, connectionText } from "./connection-facts.ts";
import { limits } from "./limits.ts";
import { plan } from "./plan.ts";
import { type Manner, speak } from "./speak.ts";

/** `facts` is asked only for an answer that tells how to connect a real model; it may be slow. */
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
