/** Yields to keys that were pressed while something was loaded. */
export function yieldToInput(): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	setImmediate(resolve);
	return promise;
}
