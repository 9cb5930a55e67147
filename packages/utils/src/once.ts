/** Builds a value at its first use: schemas take milliseconds to build, which only what validates should pay for. */
export function once<T>(build: () => T): () => T {
	let built: { value: T } | undefined;
	return () => (built ??= { value: build() }).value;
}
