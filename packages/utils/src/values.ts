/** Type checks for unknown values. */

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The code of a system error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** What the user reads instead of the call of the system that failed. */
const failedCalls: Readonly<Record<string, string>> = {
	mkdir: "create",
	scandir: "read",
	rm: "remove",
	unlink: "remove",
};

/** A system error in plain words, `cannot create /a/b: no such file or directory`; else the message of the error. */
export function errorText(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	if (errorCode(error) === undefined) return text;
	const [, reason, call = "", path = ""] = /^E[A-Z0-9]+: ([^,]+), (\w+)(?: '(.*)')?$/s.exec(text) ?? [];
	if (reason === undefined) return text;
	return `cannot ${failedCalls[call] ?? call}${path === "" ? "" : ` ${path}`}: ${reason}`;
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
