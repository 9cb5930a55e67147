/** Passes a request on to a model of the same protocol: the bytes stay as they are, in both directions. */
import { classify, failure, MessageBuilder, noUsage, type Failure } from "@tau/ai";
import { forward, UsageProbe } from "@tau/ai/serving";
import { errorText, maskSecrets, shortId } from "@tau/utils";

import { attempts, type Exchange, type Failed } from "./attempts.ts";
import { failureHeaders, failureResponse } from "./failures.ts";
import { limits } from "./limits.ts";
import type { Lease } from "./upstream.ts";

/** What a provider says about the request and its limits; nothing about its connection. */
const passedHeaders =
	/^(?:content-type|cache-control|retry-after(?:-ms)?|(?:x-)?request-id|x-should-retry|openai-processing-ms|(?:anthropic|x)-ratelimit-.+)$/;

export async function passOn(parts: Exchange): Promise<Response> {
	const begun = performance.now();
	const answer = await attempts(parts, parts.sessionId, (lease) => ask(parts, lease));
	const firstMs = performance.now() - begun;
	if (!("failure" in answer)) return await answered(parts, answer.response, firstMs);
	parts.onEnd({ usage: answer.usage, failure: answer.failure, firstMs });
	return answer.response ?? failureResponse(parts.protocol, answer.failure);
}

async function ask(parts: Exchange, { access }: Lease): Promise<{ response: Response } | Failed> {
	const response = await forward({ ...parts, body: parts.text, access });
	if (!(response instanceof Response)) return { failure: response, usage: noUsage() };
	if (response.ok) return { response };
	const text = (await readText(response, limits.errorBytes)).text;
	const { status } = response;
	const why = classify({ status, headers: response.headers, body: text });
	const headers = { ...headersOf(response), ...failureHeaders(why) };
	return { failure: why, usage: noUsage(), response: new Response(maskSecrets(text), { status, headers }) };
}

function headersOf(response: Response): Record<string, string> {
	return Object.fromEntries([...response.headers].filter(([name]) => passedHeaders.test(name)));
}

async function answered(parts: Exchange, response: Response, firstMs: number): Promise<Response> {
	const probe = await UsageProbe.of(parts.model);
	const end = (): void => parts.onEnd({ usage: probe?.usage ?? noUsage(), firstMs });
	const headers = headersOf(response);
	const init = { status: response.status, headers };
	if (!response.body) {
		end();
		return new Response(null, init);
	}
	if (!headers["content-type"]?.startsWith("text/event-stream")) {
		const { text, isWhole } = await readText(response, limits.documentBytes);
		if (isWhole) {
			probe?.document(text);
			end();
			return new Response(text, init);
		}
		const why = failure("network", "The provider's answer broke off, or is too long");
		parts.onEnd({ usage: noUsage(), firstMs, failure: why });
		return failureResponse(parts.protocol, why);
	}
	const reader = response.body.getReader();
	let lastByte = lineEnd;
	const body = new ReadableStream<Uint8Array>({
		// The provider is read as fast as the client reads.
		async pull(controller) {
			try {
				const { value, done } = await reader.read();
				if (!done) {
					probe?.take(value);
					lastByte = value.at(-1) ?? lastByte;
					controller.enqueue(value);
					return;
				}
			} catch (error) {
				// Its end would look like the end of the answer. A piece of an event makes the error no less one.
				const why = failure("network", `The provider closed the stream before its end: ${errorText(error)}`);
				const broken = (lastByte === lineEnd ? "" : "\n") + errorEvent(parts, why);
				controller.enqueue(new TextEncoder().encode(broken));
				parts.onEnd({ usage: probe?.usage ?? noUsage(), firstMs, failure: why });
			}
			end();
			controller.close();
		},
		async cancel() {
			await reader.cancel();
			end();
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

async function readText(response: Response, bytes: number): Promise<{ text: string; isWhole: boolean }> {
	const decoder = new TextDecoder();
	let text = "";
	let size = 0;
	try {
		// Most answers say how long they are, and are read at once.
		const length = response.headers.get("content-length");
		if (length !== null && Number(length) <= bytes && !response.headers.has("content-encoding"))
			return { text: await response.text(), isWhole: true };
		for await (const chunk of response.body ?? []) {
			size += chunk.length;
			text += decoder.decode(chunk, { stream: true });
			if (size > bytes) return { text, isWhole: false };
		}
	} catch {
		// What arrived before the connection broke is all that the client can get.
		return { text, isWhole: false };
	}
	return { text: text + decoder.decode(), isWhole: true };
}
