/** Where print mode writes: a sink that survives a reader who has gone away, and waits for one who is slow. */
import { once } from "node:events";

export interface Output {
	/** A promise while the reader lags behind: who waits for it does not fill the memory with what nobody has read. */
	write(text: string): void | Promise<void>;
	readonly isTerminal: boolean;
}

/** What `processOutput` needs of standard output or error. */
type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** `onGone` is called when nobody reads any more: `tau -p … | head -1` has what it wants. */
export function processOutput(stream: Stream, onGone: () => void): Output {
	let isGone = false;
	let drained: Promise<void> | undefined;
	stream.on("error", () => {
		isGone = true;
		onGone();
	});
	return {
		isTerminal: stream.isTTY === true,
		write(text) {
			if (isGone || stream.write(text)) return;
			// It rejects when the reader leaves, which the listener above deals with.
			drained ??= Promise.allSettled([once(stream, "drain")]).then(() => (drained = undefined));
			return drained;
		},
	};
}
