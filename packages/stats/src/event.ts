/** What the index counts, whatever file it was read from. */

/** The program that the answer was made with. */
export const sources = ["tau", "pi", "omp", "claude", "codex", "gemini", "opencode"] as const;
export type Source = (typeof sources)[number];

/** Facts of the session that an answer belongs to. */
export interface SessionFacts {
	id: string;
	source: Source;
	project: string;
	/** The type of agent; "" for a session that a user sees. */
	agent: string;
	title?: string;
}

export interface Answer {
	/** Says which answer it is, wherever it is written: an answer is counted once. */
	key: number;
	at: number;
	session: SessionFacts;
	provider: string;
	model: string;
	/** `turn`, `title`, `compaction` … */
	role: string;
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	/** In nano-dollars: input, output, cache read, cache write and fees; undefined if the model has no price. */
	nanos: readonly number[] | undefined;
	/** Nobody was charged this sum: it is the public price of what a subscription paid. */
	isEstimate: boolean;
	durationMs: number;
	ttftMs: number;
	/** The kind of failure; "" for an answer that ended well. */
	failure: string;
	errorText: string;
	/** The entry of the session's log; "" where it is not known. */
	entry: string;
}

export interface ToolCall {
	at: number;
	session: SessionFacts;
	tool: string;
	isError: boolean;
	durationMs: number;
}

/** What a scanner reports to. */
export interface Counter {
	/** False if the same answer has been counted before. */
	answer(answer: Answer): boolean;
	tool(call: ToolCall): void;
	/** The usage lines of a session begin here: from then on they have all that it pays. */
	lines(session: SessionFacts, at: number): void;
	/** When they begin; infinite for a session without. */
	linesFrom(session: string): number;
}

const dayMs = 86_400_000;
/** Bits of a key below the day. */
const hashRoom = 2 ** 37;

/**
 * 53 bits from the time and the tokens of an answer: the same in its usage line, in the log, and in a copy of the log. The day comes first,
 * so that the answers of a session are neighbors in the index. Two of ten million answers, a
 * thousand a day, have the same key with a probability of 1 in 28.
 */
export function answerKey(at: number, tokens: readonly number[]): number {
	let low = mix(0x811c9dc5, at % 0x1_0000_0000);
	let high = mix(0x2545f491, Math.floor(at / 0x1_0000_0000) ^ low);
	for (const count of tokens) {
		low = mix(low ^ high, count);
		high = mix(high, low ^ 0x9e3779b1);
	}
	const day = Math.floor(at / dayMs) % 0x1_0000;
	return day * hashRoom + (high >>> 27) * 0x1_0000_0000 + (low >>> 0);
}

/** For programs whose answers have names. */
export function namedKey(name: string): number {
	return Number(BigInt.asUintN(53, Bun.hash.wyhash(name)));
}

function mix(hash: number, value: number): number {
	let mixed = Math.imul(hash ^ value, 0x85ebca6b);
	mixed ^= mixed >>> 15;
	mixed = Math.imul(mixed, 0xc2b2ae35);
	return mixed ^ (mixed >>> 13);
}
