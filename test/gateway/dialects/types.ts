/** What tests ask the vendors' clients, and what their parsed objects say. */

export interface Media {
	mimeType: string;
	data: string;
	/** In place of the data. */
	url?: string;
}

export interface Result {
	id: string;
	name: string;
	text: string;
	isError?: boolean;
	image?: Media;
}

/** A turn: words of the user with images and documents, an answer as the client got it, or the results of its calls. */
export type Turn = { user: string; media?: Media[] } | { answer: Answer } | { results: Result[] };

export interface Question {
	system?: string;
	turns: Turn[];
	tools?: { name: string; description: string; parameters: Record<string, unknown> }[];
	choice?: "auto" | "none" | "required" | { name: string };
	maxTokens?: number;
	temperature?: number;
	topP?: number;
	stop?: string[];
	parallel?: false;
	level?: "low" | "high";
	schema?: Record<string, unknown>;
	cached?: true;
}

/** What a client's parsed object says. */
export interface Answer {
	thinking: string;
	text: string;
	calls: { id: string; name: string; arguments: unknown }[];
	/** True if the client has something to send back that it cannot read. */
	isSigned: boolean;
	stop: "stop" | "length" | "calls" | "refusal";
	usage: { input: number; output: number; cacheRead: number };
	/** As the client got it, to be sent back. */
	raw: unknown;
}

export interface ClientError {
	status: number | undefined;
	message: string;
	retryAfter: string | null;
}

export interface Dialect {
	name: "messages" | "completions" | "responses" | "google" | "tau";
	ask(
		url: string,
		model: string,
		question: Question,
		streamed: boolean,
		signal?: AbortSignal,
	): Promise<Answer>;
	clientError(error: unknown): ClientError;
}

export const key = "token";
export const clientLimits = { maxRetries: 0, timeout: 20_000 };
