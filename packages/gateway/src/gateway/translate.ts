/** Answers a request in one protocol with a model of another: codec, events, codec. */
import {
	accessOptions,
	failure,
	modelAt,
	noUsage,
	type AssistantMessage,
	type AssistantMessageEvent,
	type Model,
} from "@tau/ai";
import {
	addExtras,
	countedUsage,
	isObject,
	leftOut,
	RequestProblem,
	unsupportedExtras,
	withoutForeignMedia,
	type AnswerFacts,
	type ServedRequest,
} from "@tau/ai/serving";
import { log, shortId } from "@tau/utils";

import { attempts, type Exchange, type Failed } from "./attempts.ts";
import { failureResponse } from "./failures.ts";
import { limits } from "./limits.ts";
import type { Lease } from "./upstream.ts";

/** An answer whose first content, or whose end, has arrived. */
interface BegunAnswer {
	/** Grows with the events. */
	message: AssistantMessage;
	events: AsyncGenerator<AssistantMessageEvent>;
}

export async function translate(parts: Exchange): Promise<Response> {
	const { protocol, model } = parts;
	const request = readRequest(parts);
	if (request instanceof Response) return request;
	const taken = withoutForeignMedia(model.api, request.context);
	request.context = taken.context;
	const dropped = new Set([
		...request.dropped,
		...taken.dropped,
		...unsupportedExtras(model.api, request.extras),
	]);
	const begun = performance.now();
	const sessionId = request.options.sessionId ?? parts.sessionId;
	const answer = await attempts(parts, sessionId, (lease) => ask(parts, request, lease, dropped));
	const firstMs = performance.now() - begun;
	const headers = droppedHeader(model, dropped);
	if ("failure" in answer) {
		parts.onEnd({ usage: answer.usage, failure: answer.failure, firstMs });
		return failureResponse(protocol, answer.failure, headers);
	}
	const { message, events } = answer;
	const end = (isCut: boolean): void => {
		const { failure: failed } = message;
		const usage = countedUsage(parts, message, isCut || failed !== undefined);
		parts.onEnd({ usage, firstMs, ...(failed ? { failure: failed } : {}) });
	};
	const facts: AnswerFacts = {
		id: message.responseId ?? shortId(),
		model: request.model,
		created: Math.floor(Date.now() / 1000),
		request,
	};
	if (request.stream) return streamed(parts, answer, facts, { headers, end });
	for await (const _ of events);
	end(false);
	if (message.failure && message.failure.kind !== "refusal")
		return failureResponse(protocol, message.failure, headers);
	return Response.json(protocol.document(message, facts), { headers });
}

function readRequest({ protocol, body, onEnd }: Exchange): ServedRequest | Response {
	try {
		return protocol.request(body);
	} catch (error) {
		if (!(error instanceof RequestProblem)) throw error;
		const why = failure("invalid_request", error.message);
		onEnd({ usage: noUsage(), failure: why, firstMs: 0 });
		return failureResponse(protocol, why);
	}
}

async function ask(
	{ upstream, model, signal }: Exchange,
	{ context, options, extras }: ServedRequest,
	{ access }: Lease,
	dropped: Set<string>,
): Promise<BegunAnswer | Failed> {
	const answer = upstream.stream(modelAt(model, access), context, {
		...options,
		...accessOptions(access),
		signal,
		waitsForReader: true,
		onPayload(payload) {
			if (!isObject(payload)) return payload;
			addExtras(model.api, extras, payload);
			for (const name of leftOut(model, options, payload)) dropped.add(name);
			return payload;
		},
	});
	const iterator = answer[Symbol.asyncIterator]();
	const early: AssistantMessageEvent[] = [];
	for (;;) {
		const { value: event, done } = await iterator.next();
		if (done) return { failure: failure("unknown", "The answer ended before it began"), usage: noUsage() };
		if (event.type === "error" && event.error.content.length === 0) {
			const { failure: why = failure("unknown", "Request was aborted"), usage } = event.error;
			// A refusal in an accepted request is an answer.
			if (why.kind !== "refusal" || why.status !== undefined) return { failure: why, usage };
		}
		early.push(event);
		if (event.type !== "start") return { message: messageOf(event), events: continued(early, iterator) };
	}
}

function messageOf(event: AssistantMessageEvent): AssistantMessage {
	return event.type === "done" ? event.message : event.type === "error" ? event.error : event.partial;
}

async function* continued(
	early: readonly AssistantMessageEvent[],
	rest: AsyncIterator<AssistantMessageEvent>,
): AsyncGenerator<AssistantMessageEvent> {
	try {
		yield* early;
		for (;;) {
			const { value, done } = await rest.next();
			if (done) return;
			yield value;
		}
	} finally {
		await rest.return?.();
	}
}

const encoder = new TextEncoder();

function streamed(
	{ protocol }: Exchange,
	{ events }: BegunAnswer,
	facts: AnswerFacts,
	{ headers, end }: { headers: Record<string, string>; end: (isCut: boolean) => void },
): Response {
	const writer = protocol.writer(facts);
	const body = new ReadableStream<Uint8Array>({
		// The client's reading sets the pace, of the provider, too.
		async pull(controller) {
			for (;;) {
				const { value: event, done } = await events.next();
				if (done) {
					end(false);
					controller.close();
					return;
				}
				const text = writer.event(event);
				if (text === "") continue;
				controller.enqueue(encoder.encode(text));
				return;
			}
		},
		async cancel() {
			end(true);
			await events.return(undefined);
		},
	});
	return new Response(body, { headers: { ...headers, ...streamHeaders } });
}

const streamHeaders = {
	"content-type": "text/event-stream; charset=utf-8",
	"cache-control": "no-cache",
	// Proxies that collect an answer would hold up its stream.
	"x-accel-buffering": "no",
} as const;

/** What the provider was not asked for is never silently gone: it is in a header, and in the log. */
function droppedHeader({ provider, id }: Model, dropped: ReadonlySet<string>): Record<string, string> {
	if (dropped.size === 0) return {};
	const names = [...dropped].slice(0, limits.droppedNames).map((name) => name.replaceAll(/[^\w.:-]/g, "_"));
	log.info("gateway: dropped", { model: `${provider}/${id}`, dropped: names });
	return { "x-tau-dropped": names.join(", ") };
}
