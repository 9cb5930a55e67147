/** Locks a file against replacement by other Tau processes; the locks are in the directory for temporary files. */
import { mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { lockWithin, log } from "@tau/utils";

import { limits } from "./limits.ts";

/** Undefined if the lock stays held past the deadline. */
export async function lockFiles(
	targets: readonly string[],
	signal: AbortSignal,
): Promise<Disposable | undefined> {
	using held = new DisposableStack();
	const end = performance.now() + limits.lockWaitMs;
	// Always in the same order, so that two processes never wait for each other.
	for (const target of [...new Set(targets)].toSorted()) {
		const lock = await take(target, end, signal);
		if (!lock) return undefined;
		held.use(lock);
	}
	return held.move();
}

async function take(target: string, end: number, signal: AbortSignal): Promise<Disposable | undefined> {
	try {
		const path = join(lockDirectory(), Bun.hash(target).toString(36));
		const taken = await lockWithin(path, { waitMs: end - performance.now(), signal });
		return taken.ok ? taken.lock : undefined;
	} catch (error) {
		signal.throwIfAborted();
		// Without a directory for locks, the check right before the file is replaced has to be enough.
		log.debug("a file could not be locked", { target, reason: String(error) });
		return new DisposableStack();
	}
}

function lockDirectory(): string {
	const path = join(tmpdir(), `tau-files-${userInfo().uid}`);
	mkdirSync(path, { recursive: true, mode: 0o700 });
	return path;
}
