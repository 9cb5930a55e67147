/** The interface of a vendor's protocol for the played model, and the parts that all of them share. */

import type { Api } from "../types.ts";
import type { HttpRequest, PlayedSocket } from "./http-request.ts";
import { limits } from "./limits.ts";
import type {
	Answer,
	HttpFault,
	OverflowFault,
	ReasoningField,
	ScriptedStop,
	ScriptedUsage,
	VendorError,
} from "./scenario.ts";

export interface PlayedProtocol {
	readonly name: Api;
	/** True for the vendor's address of model calls. */
	matches(method: string, path: string): boolean;
	/** True for the address at which the vendor accepts a websocket. */
	socketAt?(path: string): boolean;
	/** The body of a request that came as a message, or why the vendor refuses the message. */
	readMessage?(message: unknown, socket: PlayedSocket): { body: unknown } | { error: Partial<VendorError> };
	/** The requested model, if the address names it and not the body. */
	modelOf?(request: HttpRequest): string;
	/** How a stream is labeled and encoded, if it is not server-sent events. */
	readonly streamed?: Streamed;
	/** Where the vendor lists its models, if not at `/v1/models`. */
	readonly modelsPath?: string;
	/** True if a request that matches no protocol comes from a client of this vendor. */
	isClient(request: HttpRequest): boolean;
	/** The problem that the vendor finds before any model sees the request. */
	refuse(request: HttpRequest, body: unknown): string | undefined;
	wantsStream(request: HttpRequest, body: unknown): boolean;
	stream(call: Call): Iterable<Piece>;
	whole(call: Call): object;
	/** An error inside a stream that had begun well, after that many pieces. */
	errorEvent(error: VendorError, pieces: number): string;
	/** Headers of a successful answer. */
	headers(requestId: string): Record<string, string>;
	error(problem: Problem, requestId: string): ErrorReply;
	models(ids: readonly string[]): object;
}

export interface Streamed {
	contentType: string;
	/** A binary stream is written as one character per byte, which is latin1. */
	encoding: "utf8" | "latin1";
}

/** One model call and its scripted answer. */
export interface Call {
	answer: Answer;
	/** Counts the calls of a server, so that ids are unique and yet the same in each run. */
	serial: number;
	body: Record<string, unknown>;
	usage: Required<ScriptedUsage>;
	stopReason: ScriptedStop;
	model: string;
	startedAt: number;
	reasoningField?: ReasoningField;
}

/** A piece of a streamed body. Faults occur between deltas; a truncated stream lacks the terminal pieces. */
export interface Piece {
	kind: "frame" | "delta" | "terminal";
	text: string;
}

export type Problem = HttpFault | OverflowFault | { http: number; error: Partial<VendorError> };

export interface ErrorReply {
	status: number;
	headers: Record<string, string>;
	body: string;
}

export function frame(text: string): Piece {
	return { kind: "frame", text };
}

export function delta(text: string): Piece {
	return { kind: "delta", text };
}

export function terminal(text: string): Piece {
	return { kind: "terminal", text };
}

export function jsonReply(status: number, headers: Record<string, string>, body: unknown): ErrorReply {
	return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

/** The reply to a scripted fault; the script's own body wins over the vendor's. */
export function faultReply(
	fault: HttpFault,
	headers: Record<string, string>,
	vendorBody: object,
): ErrorReply {
	const all =
		fault.retryAfter === undefined ? headers : { ...headers, "retry-after": String(fault.retryAfter) };
	if (typeof fault.body !== "string") return jsonReply(fault.http, all, fault.body ?? vendorBody);
	// Strings represent the bodies of proxies and load balancers instead of the vendor's JSON.
	const type = fault.body.trimStart().startsWith("<") ? "text/html" : "text/plain";
	return { status: fault.http, headers: { "content-type": type, ...all }, body: fault.body };
}

export function serverSentEvent(data: object, event?: string): string {
	const line = `data: ${JSON.stringify(data)}\n\n`;
	return event === undefined ? line : `event: ${event}\n${line}`;
}

export function inferStop(answer: Answer): ScriptedStop {
	if (answer.stopReason !== undefined) return answer.stopReason;
	return answer.blocks.some((block) => "toolCall" in block) ? "toolUse" : "stop";
}

/** Estimates the usage that the script omits from the lengths, as clients expect figures above 0. */
export function estimateUsage(answer: Answer, rawBody: string): Required<ScriptedUsage> {
	const chars = answer.blocks.reduce((sum, block) => sum + lengthOf(block), 0);
	return {
		input: Math.ceil(rawBody.length / limits.charsPerToken),
		output: Math.max(1, Math.ceil(chars / limits.charsPerToken)),
		cacheRead: 0,
		cacheWrite: 0,
		...answer.usage,
	};
}

function lengthOf(block: Answer["blocks"][number]): number {
	if ("text" in block) return block.text.length;
	if ("thinking" in block) return block.thinking.length;
	if ("redactedThinking" in block) return block.redactedThinking.length;
	return block.toolCall.name.length + argumentsText(block.toolCall.arguments).length;
}

export function argumentsText(args: Record<string, unknown> | string): string {
	return typeof args === "string" ? args : JSON.stringify(args);
}

/** An id with the vendor's prefix and length. */
export function playedId(prefix: string, serial: number, index = 0): string {
	return `${prefix}01Played${String(serial).padStart(10, "0")}${String(index).padStart(4, "0")}`;
}

/** A signature of thoughts, if the script gives none. */
export function playedSignature({ serial }: Call, index: number): string {
	return Buffer.from(playedId("signature_", serial, index)).toString("base64");
}

/** The readable part of all thoughts. */
export function thoughtsOf({ blocks }: Answer): string {
	return blocks.map((block) => ("thinking" in block ? block.thinking : "")).join("");
}

/** For vendors that count thoughts as part of the output. */
export function thinkingTokens({ answer, usage }: Call): number {
	return Math.min(usage.output, Math.ceil(thoughtsOf(answer).length / limits.charsPerToken));
}
