/** Where modes write: a sink that survives a reader who has gone away, and waits for one who is slow. */
import { once } from "node:events";

import { ownWrite } from "@tau/utils";

export interface Output {
	/** A promise while the reader lags behind: who waits for it does not fill the memory with what nobody has read. */
	write(text: string): void | Promise<void>;
	readonly isTerminal: boolean;
}

export interface ProcessOutput extends Output {
	/** Resolves when all is written, with what went wrong: a full disk is a failure, a reader that left is none. */
	settled(): Promise<Error | undefined>;
}

/** What `processOutput` needs of standard output or error. */
type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** `onGone` is called when nobody reads any more: `tau -p … | head -1` has what it wants. */
export function processOutput(stream: Stream, onGone: () => void): ProcessOutput {
	let isGone = false;
	let problem: NodeJS.ErrnoException | undefined;
	let drained: Promise<void> | undefined;
	/** The first error counts: the later ones only report that the stream is closed. */
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
			// An empty piece is taken after all that wait before it.
			if (!isGone) {
				const written = Promise.withResolvers<void>();
				ownWrite(stream)("", () => written.resolve());
				await written.promise;
			}
			return problem;
		},
	};
}
