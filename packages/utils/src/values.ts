/** Type checks for unknown values. */

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The code of a system error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The texts in a list of a value whose shape is not known: `textsAt(details, "names")`. */
export function textsAt(value: unknown, key: string): string[] {
	const list = isRecord(value) ? value[key] : undefined;
	return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}

/** The diff in the details of a tool's result: as `diff -u` writes it, where there are two; undefined without one. */
export function diffIn(details: unknown): string | undefined {
	const { diff, patch = diff } = isRecord(details) ? details : {};
	return typeof patch === "string" && patch !== "" ? patch : undefined;
}
