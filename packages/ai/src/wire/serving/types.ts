/** The other half of a wire protocol: what a server needs that answers in it with any model. */
import type { Json } from "../../json.ts";
import type {
	Api,
	AssistantMessage,
	AssistantMessageEvent,
	Context,
	Failure,
	StreamOptions,
} from "../../types.ts";

/** What a client may ask of a model beyond our own options; each protocol grants what it has a field for. */
export interface Extras {
	stop?: readonly string[];
	topP?: number;
	topK?: number;
	seed?: number;
	presencePenalty?: number;
	frequencyPenalty?: number;
	/** False: at most one call in an answer. */
	parallelTools?: boolean;
	/** The form of the text: any JSON, or JSON of a schema. */
	format?: "json" | { name: string; schema: Json };
}

/** A client's request in our terms. */
export interface ServedRequest {
	/** The model as the client names it. */
	model: string;
	stream: boolean;
	context: Context;
	options: Pick<
		StreamOptions,
		| "maxTokens"
		| "temperature"
		| "reasoning"
		| "thinkingBudgets"
		| "toolChoice"
		| "cacheRetention"
		| "serviceTier"
		| "sessionId"
		| "metadata"
	>;
	extras: Extras;
	/** Fields and blocks that only this protocol has, by their names in it. */
	dropped: string[];
	/** False: the client wants the signatures of thoughts, but not their text. */
	hidesThoughts?: true;
	/** The client has turned thinking on: blocks that are no text do not surprise it. */
	wantsThoughts?: true;
	/** The client wants the token counts at the end of a stream, where that is optional. */
	wantsUsage?: true;
}

/** What an answer says about itself, beside its content. */
export interface AnswerFacts {
	id: string;
	/** The model as the client named it. */
	model: string;
	/** Seconds since 1970. */
	created: number;
	request: Pick<ServedRequest, "hidesThoughts" | "wantsThoughts" | "wantsUsage">;
}

/** Writes the events of one answer as server-sent events of a protocol. */
export interface AnswerWriter {
	/** The text to send; empty if the protocol has none for this event. */
	event(event: AssistantMessageEvent): string;
}

export interface ServedProtocol {
	/** Models of this protocol get the client's own bytes. */
	readonly api: Api;
	/** Throws a `RequestProblem`. */
	request(body: Json): ServedRequest;
	writer(facts: AnswerFacts): AnswerWriter;
	/** The same answer as one document. */
	document(message: AssistantMessage, facts: AnswerFacts): Json;
	/** The body of a refusal. */
	error(failure: Failure, status: number): Json;
}

/** A request that its own protocol does not allow: the message names the field. */
export class RequestProblem extends Error {
	override name = "RequestProblem";
}
