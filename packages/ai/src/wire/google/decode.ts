/** Decodes the stream of `generateContent` responses of the Gemini API, of Vertex AI and of Code Assist. */
import type { MessageBuilder } from "../../message-builder.ts";
import { failure } from "../../failure.ts";
import { count, isObject, list, object, parseObject, string, type Json } from "../../json.ts";
import type { Failure } from "../../types.ts";
import { endedEarly, notJson, reportedError } from "../broken.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { finish, type Endings } from "../endings.ts";
import { Prose } from "../prose.ts";
import { makeUpId } from "./call-ids.ts";

/** Finish reasons; the server may explain more in `finishMessage`. */
const endings: Endings = {
	stop: "complete",
	max_tokens: "length",
	continuation: "length",
	safety: ["refusal", "Google's safety filter stopped the answer"],
	recitation: ["refusal", "Google stopped the answer because it recites protected material"],
	language: ["refusal", "Google stopped the answer because of its language"],
	blocklist: ["refusal", "Google stopped the answer because of a forbidden term"],
	prohibited_content: ["refusal", "Google stopped the answer because of prohibited content"],
	spii: ["refusal", "Google stopped the answer because of personal information in it"],
	model_armor: ["refusal", "Google's Model Armor stopped the answer"],
	image_safety: ["refusal", "Google's safety filter stopped an image of the answer"],
	image_prohibited_content: ["refusal", "Google stopped the answer because of prohibited content"],
	image_recitation: ["refusal", "Google stopped the answer because it recites protected material"],
	malformed_function_call: ["invalid_response", "The model wrote an invalid tool call"],
	malformed_response: ["invalid_response", "The model wrote an invalid answer"],
	unexpected_tool_call: ["invalid_response", "The model called a tool although none was offered"],
	too_many_tool_calls: ["unknown", "The model called too many tools in a row"],
	missing_thought_signature: [
		"invalid_request",
		"The conversation lacks a signature of the model's thoughts",
	],
	image_other: ["unknown", "The model ended the answer without a reason"],
	no_image: ["unknown", "The model ended the answer without an image"],
	other: ["unknown", "The model ended the answer without a reason"],
};

export class GoogleDecoder implements Decoder {
	readonly #builder: MessageBuilder;
	readonly #unwrap: (answer: Json) => Json;
	readonly #callIds = new Set<string>();
	/** The server repeats its counts and may omit some on the way. */
	readonly #counts = { prompt: 0, cached: 0, toolPrompt: 0, answer: 0, thoughts: 0 };
	readonly #prose: Prose;
	#finishReason = "";
	#finishMessage = "";

	/** `unwrap` extracts the response from an envelope. */
	constructor(builder: MessageBuilder, unwrap: (answer: Json) => Json = (answer) => answer) {
		this.#builder = builder;
		this.#prose = new Prose(builder);
		this.#unwrap = unwrap;
	}

	event(event: ServerEvent): Failure | undefined {
		// The vendor has no such marker, but gateways with several protocols send it in all of them.
		if (event.data === "[DONE]") return undefined;
		const answer = parseObject(event.data);
		const response = answer && this.#unwrap(answer);
		if (isObject(response?.usageMetadata)) this.#usage(response.usageMetadata);
		const error = reportedError(event, response);
		if (error) return error;
		if (!response) return notJson(event.data, "a response");
		this.#builder.start();
		this.#envelope(response);
		const blocked = blockedPrompt(object(response.promptFeedback));
		if (blocked) return blocked;
		const candidate = object(list(response.candidates)[0]);
		for (const part of list(object(candidate.content).parts)) this.#part(object(part));
		this.#finishReason = finishOf(candidate) || this.#finishReason;
		this.#finishMessage = string(candidate.finishMessage) || this.#finishMessage;
		return undefined;
	}

	/**
	 * There is no last event, and some servers send a finish reason in each: only the end of the stream is the end.
	 */
	end(): Failure | undefined {
		if (this.#finishReason === "") {
			return endedEarly();
		}
		return finish(this.#builder, endings, this.#finishReason, this.#finishMessage);
	}

	#envelope(response: Json): void {
		const { message } = this.#builder;
		const id = string(response.responseId);
		if (id) message.responseId = id;
		const model = string(response.modelVersion).replace(/^models\//, "");
		if (model && model !== message.model) message.responseModel = model;
	}

	#usage(usage: Json): void {
		const counts = this.#counts;
		const read = (field: string, before: number): number => (field in usage ? count(usage[field]) : before);
		counts.prompt = read("promptTokenCount", counts.prompt);
		counts.cached = read("cachedContentTokenCount", counts.cached);
		counts.toolPrompt = read("toolUsePromptTokenCount", counts.toolPrompt);
		counts.answer = read("candidatesTokenCount", counts.answer);
		counts.thoughts = read("thoughtsTokenCount", counts.thoughts);
		this.#builder.setUsage({
			// The vendor's prompt count includes cached tokens; ours does not.
			input: Math.max(0, counts.prompt - counts.cached) + counts.toolPrompt,
			output: counts.answer + counts.thoughts,
			cacheRead: counts.cached,
		});
	}

	#part(part: Json): void {
		const signature = string(part.thoughtSignature);
		if (isObject(part.functionCall)) this.#call(part.functionCall, signature);
		else {
			this.#prose.append(part.thought === true ? "thinking" : "text", string(part.text));
			if (signature !== "") this.#sign(signature);
		}
	}

	/** A signature may follow alone in an empty part: it belongs to the open block. */
	#sign(signature: string): void {
		const block = this.#builder.message.content[this.#prose.index];
		if (block?.type === "text") block.textSignature = signature;
		if (block?.type === "thinking") block.thinkingSignature = signature;
	}

	/** Calls arrive complete. */
	#call(call: Json, signature: string): void {
		this.#prose.end();
		const index = this.#builder.openToolCall(this.#idOf(call), string(call.name));
		const block = this.#builder.message.content[index];
		if (block?.type === "toolCall" && signature !== "") block.thoughtSignature = signature;
		this.#builder.append(index, JSON.stringify(call.args ?? {}));
		this.#builder.close(index);
	}

	#idOf(call: Json): string {
		const serverId = string(call.id);
		const id = serverId === "" || this.#callIds.has(serverId) ? makeUpId() : serverId;
		this.#callIds.add(id);
		return id;
	}
}

function finishOf(candidate: Json): string {
	const reason = string(candidate.finishReason);
	return reason === "FINISH_REASON_UNSPECIFIED" ? "" : reason;
}

function blockedPrompt(feedback: Json): Failure | undefined {
	const reason = string(feedback.blockReason);
	if (reason === "" || reason === "BLOCKED_REASON_UNSPECIFIED") return undefined;
	const why = string(feedback.blockReasonMessage);
	return failure("refusal", `Google refused the prompt (${reason})${why === "" ? "" : `: ${why}`}`);
}
