/** The errors of Amazon Bedrock: by status, in the middle of a stream, or after a check of the request. */

import { isRecord } from "@tau/utils";

import { faultReply, jsonReply, type ErrorReply, type Problem } from "./protocol.ts";

const errors: Record<number, [type: string, message: string]> = {
	400: [
		"ValidationException",
		"1 validation error detected: Value at 'messages' failed to satisfy constraint",
	],
	401: ["UnrecognizedClientException", "The security token included in the request is invalid."],
	403: ["AccessDeniedException", "You don't have access to the model with the specified model ID."],
	404: [
		"ResourceNotFoundException",
		"Could not resolve the foundation model from the provided model identifier.",
	],
	413: ["RequestEntityTooLargeException", "Request body is too large"],
	429: ["ThrottlingException", "Too many requests, please wait before trying again."],
	500: [
		"InternalServerException",
		"The system encountered an unexpected error during processing. Try again.",
	],
	503: ["ServiceUnavailableException", "Bedrock is unable to process your request."],
	529: ["ServiceUnavailableException", "Too many connections, please wait before trying again."],
};

const unknown: [type: string, message: string] = ["InternalServerException", "Internal error"];

export function bedrockError(problem: Problem, requestId: string): ErrorReply {
	const headers = (type: string) => ({ "x-amzn-requestid": requestId, "x-amzn-errortype": `${type}:` });
	if ("overflow" in problem) {
		const message = "The model returned the following errors: Input is too long for requested model.";
		return jsonReply(400, headers("ValidationException"), { message });
	}
	const [type, message] = errors[problem.http] ?? unknown;
	if ("error" in problem) {
		const { error } = problem;
		const name = error.type === undefined ? type : capitalised(bedrockExceptionName(error.type));
		return jsonReply(problem.http, headers(name), { message: error.message ?? message });
	}
	return faultReply(problem, headers(type), { message });
}

/** Scripts that play any vendor use Anthropic's names. */
const names = new Map([
	["invalid_request_error", "validationException"],
	["overloaded_error", "serviceUnavailableException"],
	["rate_limit_error", "throttlingException"],
]);

export function bedrockExceptionName(type: string): string {
	if (type.endsWith("Exception")) return type;
	return names.get(type) ?? "internalServerException";
}

function capitalised(name: string): string {
	return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** The problem that the service finds before any model sees the conversation. */
export function refuseConverse(body: Record<string, unknown>): string | undefined {
	const { messages } = body;
	if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
	const roles = messages.map((message) => (isRecord(message) ? message["role"] : undefined));
	if (roles[0] !== "user")
		return "A conversation must start with a user message. Try again with a conversation that starts with a user message.";
	if (roles.some((role, index) => index > 0 && role === roles[index - 1])) {
		return "A conversation must alternate between user and assistant roles.";
	}
	const blocks = messages.flatMap((message) => (Array.isArray(message.content) ? message.content : []));
	if (
		blocks.some(
			(block) => isRecord(block) && typeof block["text"] === "string" && block["text"].trim() === "",
		)
	) {
		return "The text field in the ContentBlock object is blank. Add text to the text field, and try again.";
	}
	const usesTools = blocks.some((block) => isRecord(block) && ("toolUse" in block || "toolResult" in block));
	if (usesTools && body["toolConfig"] === undefined) {
		return "The toolConfig field must be defined when using toolUse and toolResult content blocks.";
	}
	return undefined;
}
