/** The directories with the blobs of a session: beside the directory of all sessions, and omp's own. */
import { basename, dirname, join } from "node:path";

import { dirs } from "@tau/utils";

import { isForeign } from "../file/paths.ts";

export function blobsIn(data: string): string {
	return join(data, "blobs");
}

/** The first is Tau's own and written to; from the others, blobs are only read. */
export function blobDirectories(session: string): [string, ...string[]] {
	const { data, home } = dirs();
	const beside = dataOf(session);
	const own = blobsIn(beside === undefined || isForeign(beside) ? data : beside);
	const others = [...(beside === undefined ? [] : [beside]), data, join(home, ".omp/agent")].map(blobsIn);
	return [own, ...new Set(others.filter((other) => other !== own))];
}

/**
 * The directory above `sessions/--project--/…`, when the session lies in such a one. So a second agent directory has
 * blobs of its own, and a session of omp is read with those of omp.
 */
export function dataOf(session: string): string | undefined {
	for (let at = dirname(session); dirname(at) !== at; at = dirname(at)) {
		const above = dirname(at);
		if (/^--.*--$/.test(basename(at)) && basename(above) === "sessions") return dirname(above);
	}
	return undefined;
}
