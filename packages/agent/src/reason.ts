/** Describes any thrown value in words. */
export function reasonOf(thrown: unknown): string {
	if (thrown instanceof Error) return thrown.message || thrown.name;
	return typeof thrown === "string" ? thrown : Bun.inspect(thrown);
}
