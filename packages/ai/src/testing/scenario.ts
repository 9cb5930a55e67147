/** The script of a played model: its answers to requests, and its faults. */

import type { Api } from "../types.ts";

export interface Scenario {
	/** Steps with `when` serve the requests they match; the others are used in order, one per request. */
	steps: (Step | string)[];
	/** Used when no step is left; without it such a request is refused with a clear message. */
	fallback?: Step | string;
	/** The field in which Chat Completions sends thinking. The vendor itself hides it, which is the default. */
	reasoningField?: ReasoningField;
}

export type ReasoningField = "reasoning_content" | "reasoning";

export interface Step {
	when?: When;
	answer?: Answer | string;
	fault?: Fault;
	/** How many requests this step serves; 1 when absent. */
	times?: number | "always";
}

export interface When {
	/** The n-th model call since the scenario was set, from 1. */
	request?: number;
	path?: string;
	bodyContains?: string;
	protocol?: Api;
}

export interface Answer {
	blocks: Block[];
	usage?: ScriptedUsage;
	/** Inferred from the blocks when absent. */
	stopReason?: ScriptedStop;
	/** The model that claims to have answered; the requested one when absent. */
	model?: string;
	/** The delay between two chunks. */
	delayMs?: number;
	id?: string;
}

export const scriptedStops = ["stop", "length", "toolUse", "refusal"] as const;
export type ScriptedStop = (typeof scriptedStops)[number];

export type Block = TextBlock | ThinkingBlock | RedactedBlock | ToolCallBlock;

export interface TextBlock {
	text: string;
	chunks?: number;
}

export interface ThinkingBlock {
	thinking: string;
	signature?: string;
	chunks?: number;
}

/** Thinking that the vendor hides in an opaque payload. */
export interface RedactedBlock {
	redactedThinking: string;
}

export interface ToolCallBlock {
	toolCall: {
		name: string;
		/** A string is sent unchanged, so that broken JSON can be played. */
		arguments: Record<string, unknown> | string;
		id?: string;
	};
	chunks?: number;
}

/** Token counts in Tau's sense: `input` was neither read from nor written to the cache. */
export interface ScriptedUsage {
	input?: number;
	output?: number;
	cacheRead?: number;
	cacheWrite?: number;
}

export const httpFaults = [400, 401, 403, 404, 413, 429, 500, 503, 529] as const;

export type Fault =
	| HttpFault
	| OverflowFault
	| SilentFault
	| ErrorEventFault
	| TornFault
	| MalformedLineFault
	| PauseFault
	| TruncatedFault;

export interface HttpFault {
	http: (typeof httpFaults)[number];
	/** Replaces the vendor's body: a string unchanged, anything else as JSON. */
	body?: unknown;
	/** Seconds, or an HTTP date. */
	retryAfter?: number | string;
}

/** The vendor's error for a prompt that does not fit into the context. */
export interface OverflowFault {
	overflow: true;
}

/** The request is accepted and never answered. */
export interface SilentFault {
	silent: true;
}

export interface ErrorEventFault {
	errorEvent: VendorError;
	afterChunks: number;
}

export interface VendorError {
	type: string;
	message: string;
	/** For vendors that have codes beside types. */
	code?: string;
}

/** The connection ends after exactly this many bytes of the body. */
export interface TornFault {
	tornAtByte: number;
}

/** A line that does not belong to the stream, written unchanged; the answer continues after it. */
export interface MalformedLineFault {
	malformedLine: string;
	afterChunks: number;
}

export interface PauseFault {
	pauseMs: number;
	afterChunks: number;
}

/** The body ends cleanly, but the events that finish an answer are missing. */
export interface TruncatedFault {
	truncated: true;
}

/** A validated scenario, with its short forms expanded. */
export interface Script {
	steps: ScriptStep[];
	fallback?: ScriptStep;
	reasoningField?: ReasoningField;
}

export interface ScriptStep {
	when?: When;
	answer?: Answer;
	fault?: Fault;
	times: number;
}
