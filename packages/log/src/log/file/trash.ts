/** Moves a session with all its files to a trash folder from which it can be restored. */
import { existsSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { takeLock } from "@tau/utils";

import { move } from "./copy-log.ts";
import { artifactsDir, isForeign } from "./paths.ts";
import type { OpenError } from "../session-log.ts";

export type TrashOutcome = { ok: true; folder: string } | Exclude<OpenError, { reason: "newer" }>;

/** Moves the file; nothing is deleted. Throws the file system's error. */
export function trashSession(path: string, trash: string, now = new Date()): TrashOutcome {
	const real = realpathSync(path);
	if (isForeign(real)) return { ok: false, reason: "foreign", path: real };
	const taken = takeLock(real);
	if (!taken.ok) return { ok: false, reason: "locked", locked: taken.locked };
	using _lock = taken.lock;
	const folder = makeFolder(trash, now.toISOString().replaceAll(/[:.]/g, "-"));
	// The session file is moved last: if another file cannot be moved, the session is still there for another attempt.
	for (const one of [...besides(real), real]) move(one, join(folder, basename(one)));
	return { ok: true, folder };
}

function besides(path: string): string[] {
	const [directory, name] = [dirname(path), basename(path)];
	const remaining = readdirSync(directory).filter(
		(other) => other.startsWith(`${name}.`) && /^(damaged|orig\d*)$/.test(other.slice(name.length + 1)),
	);
	return [...remaining.map((other) => join(directory, other)), artifactsDir(path)].filter((one) =>
		existsSync(one),
	);
}

function makeFolder(trash: string, name: string): string {
	mkdirSync(trash, { recursive: true, mode: 0o700 });
	for (let attempt = 0; ; attempt++) {
		const folder = join(trash, attempt === 0 ? name : `${name}-${attempt}`);
		if (existsSync(folder)) continue;
		mkdirSync(folder, { mode: 0o700 });
		return folder;
	}
}
