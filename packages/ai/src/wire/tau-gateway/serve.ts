/** The server's side of Tau's own protocol, and of omp's, which has other names for the same (docs/gateway-protocol.md). */
import { count, isObject, list, object, string, type Json } from "../../json.ts";
import {
	thinkingLevels,
	type AssistantMessageEvent,
	type Context,
	type Failure,
	type Message,
	type Tool,
	type Usage,
} from "../../types.ts";
import { noUsage } from "../../usage.ts";
import { numberOf, present, textOf } from "../serving/read.ts";
import { sse } from "../serving/sse.ts";
import { RequestProblem, type AnswerWriter, type ServedRequest } from "../serving/types.ts";

const roles: readonly string[] = ["user", "assistant", "toolResult"] satisfies Message["role"][];

/** The model that a request names, for both: omp's clients send its id alone, or the whole model. */
export function namedModel({ model, modelId }: Json): string {
	const { provider, id } = object(model);
	return textOf(modelId) ?? [provider, id].map(string).filter(Boolean).join("/");
}

export function readRequest(body: Json): ServedRequest {
	const options = object(body.options);
	const choice = options.toolChoice;
	return {
		model: namedModel(body),
		// Ours is always a stream, omp's unless it says otherwise.
		stream: body.stream !== false,
		context: contextOf(object(body.context)),
		options: present({
			maxTokens: numberOf(options.maxTokens),
			temperature: numberOf(options.temperature),
			reasoning: thinkingLevels.find((level) => level === options.reasoning),
			toolChoice:
				choice === "auto" || choice === "none" || choice === "required"
					? choice
					: isObject(choice)
						? { name: string(choice.name) }
						: undefined,
			cacheRetention: (["none", "short", "long"] as const).find((each) => each === options.cacheRetention),
			serviceTier: textOf(options.serviceTier),
			sessionId: textOf(options.sessionId),
			metadata: isObject(options.metadata) ? options.metadata : undefined,
		}),
		extras: {},
		dropped: [],
	};
}

/** The messages are ours already; what a client left out that our types promise is filled in. */
function contextOf({ systemPrompt, messages, tools }: Json): Context {
	if (!Array.isArray(messages)) throw new RequestProblem("context.messages: a list is required");
	const prompt = Array.isArray(systemPrompt) ? systemPrompt.map(string).join("\n\n") : textOf(systemPrompt);
	return present({
		systemPrompt: prompt || undefined,
		messages: messages.map((message, at) => messageOf(message, at)),
		tools: Array.isArray(tools) ? tools.map((tool) => toolOf(object(tool))) : undefined,
	});
}

function messageOf(value: unknown, at: number): Message {
	const message = object(value);
	if (!roles.includes(string(message.role)))
		throw new RequestProblem(`context.messages[${at}].role: use one of ${roles.join(", ")}`);
	const isText = message.role === "user" && typeof message.content === "string";
	const content = isText
		? message.content
		: list(message.content).map((block, index) => blockOf(block, at, index));
	const filled = {
		timestamp: 0,
		...(message.role === "assistant" ? { usage: noUsage(), stopReason: "stop" } : {}),
	};
	// Checked above as far as the codecs rely on it; they ignore fields that they do not know.
	return { ...filled, ...message, content } as unknown as Message;
}

const texts: Readonly<Record<string, string>> = {
	text: "text",
	thinking: "thinking",
	image: "data",
	toolCall: "name",
};

function blockOf(value: unknown, at: number, index: number): Json {
	const block = object(value);
	const field = texts[string(block.type)];
	if (field === undefined || typeof block[field] !== "string")
		throw new RequestProblem(
			`context.messages[${at}].content[${index}]: not a block of text, thinking, image or toolCall`,
		);
	return block.type === "toolCall"
		? { ...block, id: string(block.id), arguments: object(block.arguments) }
		: block;
}

function toolOf({ name, description, parameters }: Json): Tool {
	return { name: string(name), description: string(description), parameters: object(parameters) };
}

/** The events without the message so far. */
export class TauWriter implements AnswerWriter {
	event(event: AssistantMessageEvent): string {
		switch (event.type) {
			case "start":
				return sse({ type: "start" });
			case "text_start":
				return sse({ type: event.type, contentIndex: event.contentIndex });
			case "thinking_start": {
				const block = event.partial.content[event.contentIndex];
				const redacted = block?.type === "thinking" && block.redacted ? { redacted: true } : {};
				return sse({ type: event.type, contentIndex: event.contentIndex, ...redacted });
			}
			case "toolcall_start": {
				const block = event.partial.content[event.contentIndex];
				const { id, name } = block?.type === "toolCall" ? block : { id: "", name: "" };
				return sse({ type: event.type, contentIndex: event.contentIndex, id, toolName: name });
			}
			case "text_delta":
			case "thinking_delta":
			case "toolcall_delta":
				return sse({ type: event.type, contentIndex: event.contentIndex, delta: event.delta });
			case "text_end":
			case "thinking_end":
			case "toolcall_end": {
				const { type, contentIndex } = event;
				return sse({ type, contentIndex, ...signatureOf(event) });
			}
			case "done":
				return sse({ type: "done", reason: event.reason, ...facts(event.message) });
			case "error": {
				const { failure } = event.error;
				return sse({ type: "error", reason: event.reason, failure, ...facts(event.error) });
			}
		}
	}
}

/** omp's events: ours, each with the message so far. */
export class PiWriter implements AnswerWriter {
	event(event: AssistantMessageEvent): string {
		const isLast = event.type === "done" || event.type === "error";
		return sse(event) + (isLast ? "data: [DONE]\n\n" : "");
	}
}

function signatureOf(
	event: Extract<AssistantMessageEvent, { type: "text_end" | "thinking_end" | "toolcall_end" }>,
): Json {
	const block = event.partial.content[event.contentIndex];
	const signature =
		block?.type === "thinking"
			? block.thinkingSignature
			: block?.type === "text"
				? block.textSignature
				: block?.thoughtSignature;
	return signature ? { signature } : {};
}

function facts({
	usage,
	responseId,
	responseModel,
}: {
	usage: Usage;
	responseId?: string;
	responseModel?: string;
}): Json {
	const { input, output, cacheRead, cacheWrite } = usage;
	return {
		usage: { input, output, cacheRead, cacheWrite },
		...(responseId ? { responseId } : {}),
		...(responseModel ? { responseModel } : {}),
	};
}

export function errorBody({ kind, message, retryAfterMs }: Failure): Json {
	return {
		error: {
			type: kind,
			message,
			...(retryAfterMs === undefined ? {} : { retryAfterMs: count(retryAfterMs) }),
		},
	};
}
