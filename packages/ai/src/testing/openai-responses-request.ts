/** The problems that OpenAI finds in a Responses request before any model sees it, in its own words. */
import { isRecord } from "@tau/utils";

import type { PlayedSocket } from "./http-request.ts";
import type { VendorError } from "./scenario.ts";

const leastOutputTokens = 16;
const idChars = 64;

type Fields = Record<string, unknown>;

export function refuseResponsesRequest(path: string, body: unknown): string | undefined {
	if (!isRecord(body)) return "We could not parse the JSON body of your request.";
	if (typeof body["model"] !== "string") return "Missing required parameter: 'model'.";
	return (path.endsWith("/codex/responses") ? refuseCodex(body) : refusePlatform(body)) ?? refuseInput(body);
}

/**
 * A message of a websocket is the body without what concerns the transport. Nothing is stored, so that only the last
 * answer on the same websocket can be continued, and a request that fails to do so forgets that one, too.
 */
export function readResponsesMessage(
	message: unknown,
	socket: PlayedSocket,
): { body: unknown } | { error: Partial<VendorError> } {
	if (!isRecord(message) || message["type"] !== "response.create") {
		return { error: { message: "Invalid value for 'type': expected 'response.create'." } };
	}
	const { type: _type, ...body } = message;
	const named = ["stream", "background"].find((name) => name in body);
	if (named !== undefined) return { error: { message: `Unknown parameter: '${named}'.` } };
	const { lastResponse } = socket;
	delete socket.lastResponse;
	const { previous_response_id: previous } = body;
	if (previous !== undefined && previous !== lastResponse) {
		const code = "previous_response_not_found";
		return { error: { code, message: `Previous response with id '${String(previous)}' not found.` } };
	}
	return { body: { ...body, stream: true } };
}

/** The service for subscriptions accepts less than the public one. */
function refuseCodex(body: Fields): string | undefined {
	if (typeof body["instructions"] !== "string" || body["instructions"] === "")
		return "Instructions are required";
	if (body["store"] !== false) return "Store must be set to false";
	if (body["stream"] !== true) return "Stream must be set to true";
	const foreign = ["max_output_tokens", "temperature", "metadata", "prompt_cache_retention"].find(
		(name) => body[name] !== undefined,
	);
	return foreign && `Unsupported parameter: ${foreign}`;
}

function refusePlatform(body: Fields): string | undefined {
	const most = body["max_output_tokens"];
	if (typeof most !== "number" || most >= leastOutputTokens) return undefined;
	return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${leastOutputTokens}, but got ${most} instead.`;
}

function refuseInput(body: Fields): string | undefined {
	const { input, previous_response_id: previous } = body;
	if (typeof input === "string") return undefined;
	if (!Array.isArray(input)) return "Missing required parameter: 'input'.";
	if (input.length === 0 && previous === undefined)
		return "Invalid 'input': empty array. Expected an array with minimum length 1.";
	const items = input.filter(isRecord);
	return refuseIds(items) ?? refuseReasoning(items) ?? refuseCalls(items, previous !== undefined);
}

function refuseIds(items: readonly Fields[]): string | undefined {
	const seen = new Set<string>();
	for (const [index, item] of items.entries()) {
		for (const name of ["id", "call_id"]) {
			const id = item[name];
			if (typeof id === "string" && id.length > idChars)
				return `Invalid 'input[${index}].${name}': string too long. Expected a string with maximum length ${idChars}, but got a string with length ${id.length} instead.`;
		}
		const { id } = item;
		if (typeof id !== "string") continue;
		if (seen.has(id))
			return `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
		seen.add(id);
	}
	return undefined;
}

function refuseReasoning(items: readonly Fields[]): string | undefined {
	for (const [index, item] of items.entries()) {
		if (item["type"] !== "reasoning") continue;
		const name = `input[${index}]`;
		if (!Array.isArray(item["summary"])) return `Missing required parameter: '${name}.summary'.`;
		if (item["encrypted_content"] !== undefined && item["content"] !== undefined)
			return `Invalid '${name}.content': array too long. Expected an array with maximum length 0.`;
		const next = items[index + 1];
		const follows =
			next?.["type"] === "reasoning" || next?.["type"] === "function_call" || next?.["role"] === "assistant";
		if (!follows)
			return `Item '${String(item["id"])}' of type 'reasoning' was provided without its required following item.`;
	}
	return undefined;
}

/** The server itself knows the calls of an earlier answer. */
function refuseCalls(items: readonly Fields[], hasPrevious: boolean): string | undefined {
	const open = new Set<unknown>();
	for (const item of items) {
		if (item["type"] === "function_call") open.add(item["call_id"]);
		if (item["type"] !== "function_call_output") continue;
		if (!open.delete(item["call_id"]) && !hasPrevious)
			return `No tool call found for function call output with call_id ${String(item["call_id"])}.`;
	}
	const [waiting] = open;
	return waiting === undefined ? undefined : `No tool output found for function call ${String(waiting)}.`;
}
