/**
 * The directories on the way to a file that an editor is asked about. An editor follows links, and a command that still
 * runs may put one in the place of a directory: what came over a way that has changed meanwhile does not count.
 */
import { lstatSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { errorCode } from "@tau/utils";

import { limits } from "./limits.ts";

export interface Way {
	/** Which directories they are. */
	readonly places: string;
	/** When each was changed last; nobody can set this time. */
	readonly changes: string;
}

interface Found extends Way {
	/** Since the last change of any of them. */
	readonly quietMs: number;
}

/** Undefined where the way has links, or does not come to rest in time: two changes in one tick of the kernel look the same. */
export async function restingWay(path: string, root: string, signal: AbortSignal): Promise<Way | undefined> {
	for (let attempt = 0; attempt < limits.restAttempts; attempt++) {
		const way = wayTo(path, root);
		if (!way || way.quietMs > limits.restMs) return way;
		await sleep(limits.restMs, undefined, { signal });
	}
	return undefined;
}

/** From the root to the file, as far as there are directories. Undefined where one of them, or the file, is a link. */
export function wayTo(path: string, root: string): Found | undefined {
	const names = relative(root, dirname(path)).split(sep).filter(Boolean);
	const directories = names.map((_, at) => join(root, ...names.slice(0, at + 1)));
	const places: string[] = [];
	const changes: string[] = [];
	let last = 0n;
	for (const directory of [root, ...directories]) {
		const facts = factsOf(directory);
		if (facts === undefined) break;
		if (!facts.isDirectory()) return undefined;
		places.push(`${facts.dev}:${facts.ino}`);
		changes.push(String(facts.ctimeNs));
		if (facts.ctimeNs > last) last = facts.ctimeNs;
	}
	if (factsOf(path)?.isSymbolicLink()) return undefined;
	return {
		places: places.join(),
		changes: changes.join(),
		quietMs: Date.now() - Number(last / 1_000_000n),
	};
}

/** Undefined where there is nothing. */
function factsOf(path: string) {
	try {
		return lstatSync(path, { bigint: true });
	} catch (error) {
		const code = errorCode(error);
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw error;
	}
}
