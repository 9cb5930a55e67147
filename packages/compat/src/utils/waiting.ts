/** omp's small functions for what takes time: waits that can be ended, work in turn, and streams read by lines. */
import { abortable, delay, withTimeout } from "@tau/utils";

class AbortError extends Error {
	constructor(signal: AbortSignal) {
		const { reason }: { reason: unknown } = signal;
		super(reason instanceof Error ? reason.message : "Aborted", { cause: reason });
		this.name = "AbortError";
	}
}

async function untilAborted<T>(
	signal: AbortSignal | undefined | null,
	work: Promise<T> | (() => Promise<T>),
): Promise<T> {
	if (signal?.aborted) throw new AbortError(signal);
	const running = typeof work === "function" ? work() : work;
	if (!signal) return await running;
	try {
		return await abortable(running, signal);
	} catch (error) {
		throw signal.aborted ? new AbortError(signal) : error;
	}
}

/** Made when it is asked for, and never again. */
function once<T>(make: () => T): () => T {
	let made: { value: T } | undefined;
	return () => (made ??= { value: make() }).value;
}

async function inTime<T>(
	work: Promise<T>,
	ms: number,
	timeout: string | Error,
	signal: AbortSignal = new AbortController().signal,
): Promise<T> {
	using deadline = withTimeout(signal, ms, typeof timeout === "string" ? timeout : timeout.message);
	try {
		return await abortable(work, deadline.signal);
	} catch (error) {
		if (!deadline.signal.aborted || signal.aborted) throw error;
		throw typeof timeout === "string" ? new Error(timeout) : timeout;
	}
}

/** One after the other; one that fails does not keep the next from beginning. */
class Serial {
	#last: Promise<unknown> = Promise.resolve();

	run<T>(work: () => Promise<T>): Promise<T> {
		const turn = this.#last.then(work, work);
		this.#last = turn.catch(() => {});
		return turn;
	}
}

/** Without their ends. */
async function* readLines(
	stream: ReadableStream<Uint8Array>,
	signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
	const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
	let rest = "";
	for await (const chunk of stream) {
		signal?.throwIfAborted();
		const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) yield encoder.encode(line);
	}
	if (rest !== "") yield encoder.encode(rest);
}

async function* readJsonl(stream: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<unknown> {
	const decoder = new TextDecoder();
	for await (const line of readLines(stream, signal)) {
		const text = decoder.decode(line).trim();
		if (text !== "") yield JSON.parse(text);
	}
}

/** Lines that are no JSON are left out. */
function parseJsonlLenient(
	text: string,
	{ onMalformedRecord }: { onMalformedRecord?(): void } = {},
): unknown[] {
	return text.split("\n").flatMap((line): unknown[] => {
		if (line.trim() === "") return [];
		try {
			return [JSON.parse(line)];
		} catch {
			// A torn line costs only itself.
			onMalformedRecord?.();
			return [];
		}
	});
}

/** What extensions get of it. */
export const waitingExports = {
	AbortError,
	untilAborted,
	once,
	withTimeout: inTime,
	MAX_TIMER_DELAY_MS: 2_147_483_647,
	sleepLong: (ms: number, signal?: AbortSignal) => delay(ms, signal),
	Serial,
	readLines,
	readJsonl,
	parseJsonlLenient,
};
