/** The sink that modes write to: it survives a reader that is gone, and waits for a slow one. */
import { once } from "node:events";

import { errorCode, isTerminal, ownWrite } from "@tau/utils";

export interface Output {
	/** A promise while the reader lags behind: awaiting it keeps unread output from filling the memory. */
	write(text: string): void | Promise<void>;
	readonly isTerminal: boolean;
}

export interface ProcessOutput extends Output {
	/** Resolves when everything is written, with the error if there was one: a full disk is a failure, a reader that left is not. */
	settled(): Promise<Error | undefined>;
}

/**
 * Standard output or error of this process. A pipe or a file is written to without Node's streams, which take a start
 * 8 ms to load.
 */
export function standardOutput(name: "stdout" | "stderr", onGone: () => void): ProcessOutput {
	return isTerminal(name) ? processOutput(process[name], onGone) : sinkOutput(Bun[name].writer(), onGone);
}

/** What `sinkOutput` needs of a `Bun.FileSink`: both return a promise while the reader lags behind. */
interface Sink {
	write(text: string): number | Promise<number>;
	flush(): number | Promise<number>;
}

export function sinkOutput(sink: Sink, onGone: () => void): ProcessOutput {
	let isGone = false;
	let problem: Error | undefined;
	let pending: Promise<void> | undefined;
	const note = (error: unknown): void => {
		if (isGone) return;
		isGone = true;
		problem =
			errorCode(error) === "EPIPE" ? undefined : error instanceof Error ? error : new Error(String(error));
		onGone();
	};
	const push = (text: string): void | Promise<void> => {
		try {
			const parts = [sink.write(text), sink.flush()];
			if (!parts.some((part) => part instanceof Promise)) return;
			const written = Promise.all(parts).then(() => {}, note);
			const all = Promise.all([pending, written]).then(() => {
				if (pending === all) pending = undefined;
			});
			pending = all;
			return pending;
		} catch (error) {
			note(error);
		}
	};
	return {
		isTerminal: false,
		write: (text) => (isGone ? undefined : push(text)),
		async settled() {
			await pending;
			return problem;
		},
	};
}

/** What `processOutput` needs of standard output or error. */
type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** `onGone` is called when the reader is gone: `tau -p … | head -1` has what it needs. */
export function processOutput(stream: Stream, onGone: () => void): ProcessOutput {
	let isGone = false;
	let problem: NodeJS.ErrnoException | undefined;
	let drained: Promise<void> | undefined;
	/** The first error is used: the later ones only report that the stream is closed. */
	const note = (error?: NodeJS.ErrnoException | null): void => {
		if (error && !isGone) problem = error.code === "EPIPE" ? undefined : error;
		isGone ||= Boolean(error);
	};
	stream.on("error", (error: NodeJS.ErrnoException) => {
		note(error);
		onGone();
	});
	return {
		isTerminal: stream.isTTY === true,
		write(text) {
			if (isGone || ownWrite(stream)(text, note)) return;
			// It rejects when the reader leaves, which the listener above deals with.
			drained ??= Promise.allSettled([once(stream, "drain")]).then(() => (drained = undefined));
			return drained;
		},
		async settled() {
			// An empty chunk is accepted after all pending ones.
			if (!isGone) {
				const written = Promise.withResolvers<void>();
				ownWrite(stream)("", () => written.resolve());
				await written.promise;
			}
			return problem;
		},
	};
}
