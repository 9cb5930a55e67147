/** The decision of the guard of streamed edits. */

export type Verdict = { ok: true } | { ok: false; path: string; reason: string };

export const fine: Verdict = { ok: true };

/** `path` is the file of the edit; empty when there is none. */
export function refused(path: string, reason: string): Verdict {
	return { ok: false, path, reason };
}
