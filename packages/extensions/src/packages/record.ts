/** Reads JSON of other programs, within limits, with type guards. */
import { readFileSync, statSync } from "node:fs";

import { isRecord } from "@tau/utils";

import { limits } from "./limits.ts";

export type JsonFile =
	{ ok: true; value: Record<string, unknown> } | { ok: false; isMissing: boolean; reason: string };

export function readJson(path: string, bytes: number = limits.manifestBytes): JsonFile {
	try {
		const info = statSync(path, { throwIfNoEntry: false });
		if (!info) return { ok: false, isMissing: true, reason: "it does not exist" };
		if (!info.isFile()) return { ok: false, isMissing: false, reason: "it is not a file" };
		if (info.size > bytes)
			return {
				ok: false,
				isMissing: false,
				reason: `it has ${info.size} bytes; at most ${bytes} are allowed`,
			};
		const value: unknown = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
		if (!isRecord(value)) return { ok: false, isMissing: false, reason: "it is not an object" };
		return { ok: true, value };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { ok: false, isMissing: isNotThere(error), reason: `cannot read it: ${reason}` };
	}
}

function isNotThere(error: unknown): boolean {
	return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

export function textIn(value: Record<string, unknown>, key: string): string | undefined {
	const found = value[key];
	return typeof found === "string" && found !== "" ? found : undefined;
}

/** A text or a list of texts; what is neither is left out. */
export function textsIn(value: Record<string, unknown>, key: string): string[] | undefined {
	const found = value[key];
	if (typeof found === "string") return [found];
	return Array.isArray(found) ? found.filter((item) => typeof item === "string") : undefined;
}

/** A copy without a prototype, so that no name in a file means anything to the language. */
export function tableIn(value: Record<string, unknown>, key: string): Record<string, unknown> {
	const found = value[key];
	return Object.assign(Object.create(null), isRecord(found) ? found : {}) as Record<string, unknown>;
}
