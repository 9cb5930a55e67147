/** Why a package cannot be had; travels inside this folder, and becomes a value at its door. */
import { isAbort, isTimeout } from "@tau/utils";

export class PackageError extends Error {}

export type Outcome<T> = { ok: true; value: T } | { ok: false; reason: string };

/** Runs it and turns what may go wrong in the world into a reason. */
export async function answered<T>(run: () => Promise<T>): Promise<Outcome<T>> {
	try {
		return { ok: true, value: await run() };
	} catch (error) {
		return { ok: false, reason: reasonOf(error) };
	}
}

function reasonOf(error: unknown): string {
	if (isAbort(error) && !isTimeout(error)) return "Interrupted. Nothing was changed.";
	return error instanceof Error ? error.message : String(error);
}
