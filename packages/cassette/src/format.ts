/** The lines of a cassette: facts, the session's log, the requests with their raw streams, and an end. */
import type { AssistantMessage, Model } from "@tau/ai";

/** Where and with what a session was recorded. */
export interface Facts {
	/** The version of Tau. */
	readonly tau: string;
	readonly os: string;
	readonly runtime: string;
	readonly locale: string;
	readonly timeZone: string;
	readonly cores: number;
	/** The commit of the project. */
	readonly commit?: string;
	/** Settings that differ from their defaults, as text. */
	readonly settings?: Readonly<Record<string, string>>;
	/** Findings of a check of the machine, for bug reports. */
	readonly doctor?: readonly string[];
}

export interface HeadLine {
	readonly type: "cassette";
	readonly version: number;
	readonly madeAt: string;
	readonly facts: Facts;
	/** How many values were masked. */
	readonly masked: number;
}

/** A line of the session's log, byte for byte as it was written, but for what was masked. */
export interface LogLine {
	readonly type: "log";
	readonly line: string;
}

/** An element of a request: a message, a tool, the rest. Requests repeat each other, so each is stored once. */
export interface PartLine {
	readonly type: "part";
	readonly key: string;
	readonly value: unknown;
}

/** A request without what depends on the machine and the time: keys of parts, by the fields of its body. */
export interface RecordedRequest {
	readonly path: string;
	readonly body: Readonly<Record<string, string | readonly string[]>>;
}

/** Milliseconds after the request, and the bytes: as text, or as base64 where they are none. */
export type Chunk = readonly [at: number, text: string] | readonly [at: number, base64: string, "base64"];

/** How the server answered. */
export interface RawAnswer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly chunks: readonly Chunk[];
	/** The connection broke after the last chunk. */
	readonly lost?: { readonly message: string; readonly code?: string };
}

/** One request to a model. */
export interface ExchangeLine {
	readonly type: "exchange";
	/** Milliseconds since 1970. */
	readonly at: number;
	readonly model: Model;
	/** Absent for a protocol of an extension, which sends by itself. */
	readonly request?: RecordedRequest;
	/** Absent where it was not recorded, or held a secret: then the answer is played from the message. */
	readonly raw?: RawAnswer;
	readonly message: AssistantMessage;
}

/** The last line: a cassette without it was torn. */
export interface EndLine {
	readonly type: "end";
	readonly lines: number;
}

export type Line = HeadLine | LogLine | PartLine | ExchangeLine | EndLine;

export interface Cassette {
	readonly head: HeadLine;
	/** The session's log without line ends; the first is its header. */
	readonly log: readonly string[];
	readonly parts: ReadonlyMap<string, unknown>;
	readonly exchanges: readonly ExchangeLine[];
}
