/** The demo as a provider: plans the next step of a conversation and streams it like a model's answer. */
import { Draft, failure, type StreamFunction } from "@tau/ai";
import { abortable, envNumber, withTimeout } from "@tau/utils";

import { estimateUsage } from "./estimate.ts";
import { type ConnectionFacts, connectionText } from "./facts.ts";
import { limits } from "./limits.ts";
import { plan } from "./plan.ts";
import { type Manner, speak } from "./speak.ts";

/** `facts` is asked only for an answer that tells how to connect a real model; it may be slow. */
export function createDemoStream(facts: () => Promise<ConnectionFacts>): StreamFunction {
	return (model, context, options = {}) => {
		const reader = new AbortController();
		const draft = new Draft(model, () => reader.abort());
		const signal = options.signal ? AbortSignal.any([options.signal, reader.signal]) : reader.signal;
		const manner: Manner = {
			signal,
			pace: Math.min(limits.paceMs, envNumber("TAU_DEMO_PACE_MS") ?? 0),
			thinking: options.reasoning !== "off",
			connection: () => lookAround(facts, signal),
		};
		void answer(draft, context, manner);
		return draft.stream;
	};
}

/** Never rejects: whatever happens is the stream's last event. */
async function answer(draft: Draft, context: Parameters<typeof plan>[0], manner: Manner): Promise<void> {
	try {
		draft.start();
		const step = plan(context);
		await speak(draft, step, manner);
		draft.setUsage(estimateUsage(context, draft.message));
		draft.done(step.some((piece) => piece.kind === "call") ? "toolUse" : "stop");
	} catch (error) {
		draft.setUsage(estimateUsage(context, draft.message));
		if (manner.signal.aborted) draft.abort();
		else draft.fail(failure("unknown", error instanceof Error ? error.message : String(error)));
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
