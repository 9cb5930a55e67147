/** What the user is asked about a call, and whether a yes to it still holds when it is judged anew. */
import type { FrozenCall, Preview } from "@tau/agent";
import { log, shortenHome } from "@tau/utils";

import type { CallPaths } from "./call-paths.ts";
import type { Ask } from "./judge.ts";

/** What the user is asked about a call, or has said yes to. */
export interface Question {
	readonly asks: readonly Ask[];
	/** Why hooks and extensions ask. */
	readonly forced: readonly string[];
	/** Identifies what each of `asks` is about. */
	readonly about: readonly string[];
	readonly paths: CallPaths;
	readonly preview: Preview | undefined;
}

/** What runs is what the user has seen: the same things to approve, and the same change. */
export function covers(approved: Question, now: Question | undefined): boolean {
	if (!now) return true;
	const isSamePlan =
		now.paths.changedSince(approved.paths).length === 0 ||
		(now.preview !== undefined && now.preview.text === approved.preview?.text);
	return isSamePlan && now.about.every((one) => approved.about.includes(one));
}

export function sinceApproved(approved: Question, now: Question): string {
	const changed = now.paths.changedSince(approved.paths);
	const what =
		changed.length > 0 ? changed.map((path) => shortenHome(path)).join(", ") : "what the call would touch";
	return `${what} changed since you approved it`;
}

export async function previewOf(
	call: FrozenCall,
	paths: CallPaths,
	signal: AbortSignal,
): Promise<Preview | undefined> {
	return await call.tool.preview?.(call.arguments, signal, paths).catch((error: unknown) => {
		log.warn("the preview of a call failed", { tool: call.name, reason: String(error) });
		return undefined;
	});
}
