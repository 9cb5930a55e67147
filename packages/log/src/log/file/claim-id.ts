/** Reserves the id of a session before its file exists, so that processes that start it at once make one session. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { takeLock, type Lock } from "@tau/utils";

import { SessionLockedError } from "./open-error.ts";
import { defaultSessionDir } from "./paths.ts";

/** Throws a `SessionLockedError` if another process has reserved it. */
export function claimSessionId(id: string, cwd: string, sessionDir?: string): Lock {
	const dir = sessionDir ?? defaultSessionDir(cwd);
	mkdirSync(dir, { recursive: true, mode: 0o700 });
	const taken = takeLock(join(dir, `.id-${id}`));
	if (!taken.ok) throw new SessionLockedError(taken.locked);
	return taken.lock;
}
