/** Describes any thrown value as text. */
export function reasonOf(thrown: unknown): string {
	if (thrown instanceof Error) return thrown.message || thrown.name;
	return typeof thrown === "string"
		? thrown
		: typeof Bun === "undefined"
			? String(thrown)
			: Bun.inspect(thrown);
}
