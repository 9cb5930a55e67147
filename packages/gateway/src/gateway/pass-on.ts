/** Passes a request on to a model of the same protocol: the bytes stay as they are, in both directions. */
import { classify, failure, MessageBuilder, noUsage, type AssistantMessage, type Failure } from "@tau/ai";
import { countedUsage, forward, UsageProbe, type ForwardedAnswer } from "@tau/ai/serving";
import { maskSecrets, shortId } from "@tau/utils";

import { attempts, type Exchange, type Failed } from "./attempts.ts";
import { failureHeaders, failureResponse } from "./failures.ts";
import { limits } from "./limits.ts";
import type { Lease } from "./upstream.ts";

/** What a provider says about the request and its limits; nothing about its connection. */
const passedHeaders =
	/^(?:content-type|cache-control|retry-after(?:-ms)?|(?:x-)?request-id|x-should-retry|openai-processing-ms|(?:anthropic|x)-ratelimit-.+)$/;

export async function passOn(parts: Exchange): Promise<Response> {
	const begun = performance.now();
	const result = await attempts(parts, parts.sessionId, (lease) => ask(parts, lease));
	const firstMs = performance.now() - begun;
	if (!("failure" in result)) return await answered(parts, result.answer, firstMs);
	parts.onEnd({ usage: result.usage, failure: result.failure, firstMs });
	return result.response ?? failureResponse(parts.protocol, result.failure);
}

async function ask(parts: Exchange, { access }: Lease): Promise<{ answer: ForwardedAnswer } | Failed> {
	const answer = await forward({ ...parts, body: parts.text, access });
	if ("kind" in answer) return { failure: answer, usage: noUsage() };
	const { ok, status, headers } = answer.head;
	if (ok) return { answer };
	const { text } = await answer.text(limits.errorBytes);
	const why = classify({ status, headers, body: text });
	const init = { status, headers: { ...headersOf(answer), ...failureHeaders(why) } };
	return { failure: why, usage: noUsage(), response: new Response(maskSecrets(text), init) };
}

function headersOf({ head }: ForwardedAnswer): Record<string, string> {
	const passed: Record<string, string> = {};
	for (const [name, value] of head.headers) if (passedHeaders.test(name)) passed[name] = value;
	return passed;
}

async function answered(parts: Exchange, answer: ForwardedAnswer, firstMs: number): Promise<Response> {
	const probe = await UsageProbe.of(parts.model);
	const count = (message: AssistantMessage | undefined, isCut: boolean, why?: Failure): void => {
		const usage = message ? countedUsage(parts, message, isCut) : noUsage();
		parts.onEnd({ usage, firstMs, ...(why ? { failure: why } : {}) });
	};
	const init = { status: answer.head.status, headers: headersOf(answer) };
	if (!answer.isStream) {
		const { text, isWhole } = await answer.text(limits.documentBytes);
		if (isWhole) {
			count(text === "" ? undefined : probe?.document(text), false);
			return new Response(text === "" ? null : text, init);
		}
		const why = failure("network", "The provider's answer broke off, or is too long");
		count(undefined, true, why);
		return failureResponse(parts.protocol, why);
	}
	const end = (why?: Failure, isCut = why !== undefined): void => count(probe?.message(isCut), isCut, why);
	let lastByte = lineEnd;
	const body = new ReadableStream<Uint8Array>({
		// The provider is read as fast as the client reads.
		async pull(controller) {
			const piece = await answer.next();
			if (piece instanceof Uint8Array) {
				probe?.take(piece);
				lastByte = piece.at(-1) ?? lastByte;
				controller.enqueue(piece);
				return;
			}
			if (piece) {
				// Its end would look like the end of the answer. A piece of an event makes the error no less one.
				const broken = (lastByte === lineEnd ? "" : "\n") + errorEvent(parts, piece);
				controller.enqueue(new TextEncoder().encode(broken));
			}
			end(piece);
			controller.close();
		},
		async cancel() {
			end(undefined, true);
			await answer.cancel();
		},
	});
	return new Response(body, init);
}

const lineEnd = 0x0a;

/** An error in the middle of a stream, in the words of the client's protocol. */
function errorEvent({ protocol, model }: Exchange, why: Failure): string {
	const builder = new MessageBuilder(model);
	builder.fail(why);
	const facts = { id: shortId(), model: model.id, created: Math.floor(Date.now() / 1000), request: {} };
	return protocol.writer(facts).event({ type: "error", reason: "error", error: builder.message });
}
