/** Writes an answer as the Gemini API would: as a stream of responses, or as one. */
import type { Json } from "../../json.ts";
import type {
	AssistantContent,
	AssistantMessage,
	AssistantMessageEvent,
	Failure,
	Usage,
} from "../../types.ts";
import { seal, sealThinking } from "../serving/seal.ts";
import { sse } from "../serving/sse.ts";
import type { AnswerFacts, AnswerWriter } from "../serving/types.ts";

export class GoogleWriter implements AnswerWriter {
	readonly #facts: AnswerFacts;

	constructor(facts: AnswerFacts) {
		this.#facts = facts;
	}

	event(event: AssistantMessageEvent): string {
		switch (event.type) {
			case "text_delta":
				return this.#write(event.partial, [{ text: event.delta }]);
			case "thinking_delta":
				if (this.#facts.request.hidesThoughts) return "";
				return this.#write(event.partial, [{ text: event.delta, thought: true }]);
			case "text_end":
			case "thinking_end": {
				// The signature of a block follows in an empty part.
				const block = event.partial.content[event.contentIndex];
				const signed = block ? signatureOf(event.partial, block) : {};
				if (signed.thoughtSignature === undefined) return "";
				return this.#write(event.partial, [
					{ text: "", ...(event.type === "thinking_end" ? { thought: true } : {}), ...signed },
				]);
			}
			case "toolcall_end":
				return this.#write(event.partial, [partOf(event.partial, event.toolCall)]);
			case "start":
			case "text_start":
			case "thinking_start":
			case "toolcall_start":
			case "toolcall_delta":
				return "";
			case "done":
				return this.#end(event.message);
			case "error":
				return event.error.failure?.kind === "refusal"
					? this.#end(event.error)
					: sse(errorBody(event.error.failure ?? { kind: "unknown", message: "aborted" }));
		}
	}

	#write(message: AssistantMessage, parts: Json[]): string {
		return sse({
			candidates: [{ content: { parts, role: "model" }, index: 0 }],
			...head(message, this.#facts),
		});
	}

	#end(message: AssistantMessage): string {
		const last = { content: { parts: [], role: "model" }, ...ending(message), index: 0 };
		return sse({ candidates: [last], usageMetadata: usageOf(message.usage), ...head(message, this.#facts) });
	}
}

export function generateDocument(message: AssistantMessage, facts: AnswerFacts): Json {
	const parts = message.content
		.filter(
			(block) => !(block.type === "thinking" && facts.request.hidesThoughts && !block.thinkingSignature),
		)
		.map((block) => partOf(message, block, facts.request.hidesThoughts));
	return {
		candidates: [{ content: { parts, role: "model" }, ...ending(message), index: 0 }],
		usageMetadata: usageOf(message.usage),
		...head(message, facts),
	};
}

function partOf(message: AssistantMessage, block: AssistantContent, hidesThoughts?: boolean): Json {
	const signed = signatureOf(message, block);
	switch (block.type) {
		case "text":
			return { text: block.text, ...signed };
		case "thinking":
			return { text: hidesThoughts ? "" : block.thinking, thought: true, ...signed };
		case "toolCall":
			return { functionCall: { id: block.id, name: block.name, args: block.arguments }, ...signed };
	}
}

/** Every part has a field for its own signature. Calls without one are sealed, too: the seal says whose they are. */
function signatureOf(message: AssistantMessage, block: AssistantContent): { thoughtSignature?: string } {
	const { provider, model } = message;
	if (block.type === "thinking") {
		const sealed = sealThinking(message, block);
		return sealed === undefined ? {} : { thoughtSignature: sealed };
	}
	if (block.type === "text") {
		if (!block.textSignature) return {};
		return { thoughtSignature: seal({ provider, model, texts: { 0: block.textSignature } }) };
	}
	const calls = block.thoughtSignature ? { calls: { [block.id]: block.thoughtSignature } } : {};
	return { thoughtSignature: seal({ provider, model, ...calls }) };
}

function ending({ stopReason, failure }: AssistantMessage): Json {
	if (failure?.kind === "refusal") return { finishReason: "SAFETY", finishMessage: failure.message };
	return { finishReason: stopReason === "length" ? "MAX_TOKENS" : "STOP" };
}

function head(message: AssistantMessage, { id, model }: AnswerFacts): Json {
	return { modelVersion: message.responseModel ?? model, responseId: id };
}

function usageOf({ input, output, cacheRead, cacheWrite }: Usage): Json {
	const prompt = input + cacheRead + cacheWrite;
	return {
		promptTokenCount: prompt,
		candidatesTokenCount: output,
		...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
		totalTokenCount: prompt + output,
	};
}

const statuses: Readonly<Partial<Record<Failure["kind"], [code: number, status: string]>>> = {
	rate_limit: [429, "RESOURCE_EXHAUSTED"],
	overloaded: [503, "UNAVAILABLE"],
	auth: [401, "UNAUTHENTICATED"],
	overflow: [400, "INVALID_ARGUMENT"],
	invalid_request: [400, "INVALID_ARGUMENT"],
	foreign_content: [400, "INVALID_ARGUMENT"],
	refusal: [400, "INVALID_ARGUMENT"],
	timeout: [504, "DEADLINE_EXCEEDED"],
};

export function errorBody({ kind, message, retryAfterMs }: Failure, status?: number): Json {
	const [code, name] = statuses[kind] ?? [500, "INTERNAL"];
	// Its clients look for the waiting time here, not in a header.
	const details =
		retryAfterMs === undefined
			? {}
			: {
					details: [
						{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterMs / 1000}s` },
					],
				};
	const named = status === 404 ? "NOT_FOUND" : status === 403 ? "PERMISSION_DENIED" : name;
	return { error: { code: status ?? code, message, status: named, ...details } };
}
