/** Where print mode writes: a sink that survives a reader who has gone away. */

export interface Output {
	/** False once nobody reads any more. */
	write(text: string): boolean;
	readonly isTerminal: boolean;
}

/** Standard output and error of this process. */
export function processOutput(stream: NodeJS.WriteStream, onGone: () => void): Output {
	let gone = false;
	stream.on("error", () => {
		// `tau -p … | head -1`: the reader has what it wants.
		gone = true;
		onGone();
	});
	return {
		isTerminal: stream.isTTY,
		write(text) {
			if (!gone) stream.write(text);
			return !gone;
		},
	};
}
