/** Encodes a conversation as the turns of a Google request, each part with its own signature. */
import type { Json } from "../../json.ts";
import type {
	AssistantMessage,
	ImageContent,
	Message,
	Model,
	ToolCall,
	ToolResultMessage,
} from "../../types.ts";
import { isAnswerOf } from "../conversation.ts";
import { addressOf } from "../media.ts";
import { notes } from "../notes/index.ts";
import { isMadeUp } from "./call-ids.ts";
import { thinksInLevels } from "./thinking.ts";

export interface Turn {
	role: "user" | "model";
	parts: Json[];
}

/** Google's own marker for a call that cannot have a signature: another model or an older session made it. */
const unsigned = "skip_thought_signature_validator";

export function encodeContents(model: Model, messages: readonly Message[]): Turn[] {
	return new Contents(model).of(messages);
}

class Contents {
	readonly #model: Model;
	readonly #isNewer: boolean;
	readonly #turns: Turn[] = [];
	/** Ids that came from the server; it accepts no others. */
	readonly #sentIds = new Set<string>();
	#results: ToolResultMessage[] = [];

	constructor(model: Model) {
		this.#model = model;
		this.#isNewer = thinksInLevels(model);
	}

	of(messages: readonly Message[]): Turn[] {
		for (const message of messages) {
			if (message.role === "toolResult") {
				this.#results.push(message);
				continue;
			}
			this.#endResults();
			if (message.role === "assistant") this.#answer(message);
			else this.#push("user", encodeParts(message.content));
		}
		this.#endResults();
		return this.#turns;
	}

	/** Results of parallel calls belong into one turn, or the server counts too few of them. */
	#endResults(): void {
		if (this.#results.length === 0) return;
		const parts = this.#results.map((result) => this.#result(result));
		// Older models accept images only beside the results.
		const beside = this.#isNewer ? [] : this.#results.flatMap(({ content }) => imagesOf(content));
		this.#push("user", [...parts, ...beside]);
		this.#results = [];
	}

	#push(role: Turn["role"], parts: Json[]): void {
		const last = this.#turns.at(-1);
		if (parts.length === 0) return;
		// A call has to follow a turn of the user or of results, not one of the model's own.
		if (role === "model" && last?.role === "model") last.parts.push(...parts);
		else this.#turns.push({ role, parts });
	}

	#answer(message: AssistantMessage): void {
		const own = isAnswerOf(this.#model, message);
		const firstCall = message.content.find((block) => block.type === "toolCall");
		const parts = message.content.flatMap((block): Json[] => {
			switch (block.type) {
				case "text":
					return [{ text: block.text, ...signed(block.textSignature) }];
				case "thinking": {
					const signature = signed(block.thinkingSignature);
					const isEmpty = block.thinking === "" && signature.thoughtSignature === undefined;
					return isEmpty ? [] : [{ text: block.thinking, thought: true, ...signature }];
				}
				case "toolCall":
					return [this.#call(block, own, block === firstCall)];
			}
		});
		this.#push("model", parts);
	}

	#call(call: ToolCall, own: boolean, isFirst: boolean): Json {
		const sendsId = own && !isMadeUp(call.id);
		if (sendsId) this.#sentIds.add(call.id);
		const signature = signed(call.thoughtSignature);
		// Newer models refuse a conversation in which the first call of a step has no signature.
		const missing = isFirst && this.#isNewer && signature.thoughtSignature === undefined;
		return {
			functionCall: { ...(sendsId ? { id: call.id } : {}), name: call.name, args: call.arguments },
			...(missing ? { thoughtSignature: unsigned } : signature),
		};
	}

	#result({ toolCallId, toolName, content, isError }: ToolResultMessage): Json {
		const images = imagesOf(content);
		const texts = content.flatMap((part) => {
			if (part.type === "text") return [part.text];
			return this.#isNewer ? [] : [notes.imageBelow];
		});
		const output = texts.join("\n") || (images.length > 0 ? "" : notes.noOutput);
		return {
			functionResponse: {
				...(this.#sentIds.has(toolCallId) ? { id: toolCallId } : {}),
				name: toolName,
				response: { [isError ? "error" : "output"]: output },
				...(this.#isNewer && images.length > 0 ? { parts: images } : {}),
			},
		};
	}
}

/** A signature is bytes: a value that is not base64, such as a marker of another protocol, would fail the request. */
function signed(signature = ""): { thoughtSignature?: string } {
	const isBase64 = signature !== "" && signature.length % 4 === 0 && /^[\w+/-]+={0,2}$/.test(signature);
	return isBase64 ? { thoughtSignature: signature } : {};
}

function encodeParts(content: Extract<Message, { role: "user" }>["content"]): Json[] {
	if (typeof content === "string") return [{ text: content }];
	return content.map((part) => (part.type === "text" ? { text: part.text } : inline(part)));
}

function imagesOf(content: ToolResultMessage["content"]): Json[] {
	return content.flatMap((part) => (part.type === "image" ? [inline(part)] : []));
}

function inline(media: ImageContent): Json {
	const { mimeType, data } = media;
	const url = addressOf(media);
	return url === undefined ? { inlineData: { mimeType, data } } : { fileData: { mimeType, fileUri: url } };
}
