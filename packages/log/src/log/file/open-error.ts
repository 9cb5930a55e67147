/** The reasons why a session cannot be opened for writing, and the error that carries them. */
import type { Locked } from "@tau/utils";

import { fromFileName } from "./paths.ts";
import { formatNewer, formatOwner } from "./problem.ts";
import type { OpenError } from "../session-log.ts";

export type OpenFailure =
	/** Open it for reading, or fork it. */
	OpenError | { ok: false; reason: "unreadable"; path: string; message: string };

export class SessionLockedError extends Error {
	readonly locked: Locked;

	constructor(locked: Locked) {
		super(
			`${formatOwner(locked.owner)} has the session open. Close it there, or continue in a copy: tau --fork ${idOf(locked.path)}`,
		);
		this.name = "SessionLockedError";
		this.locked = locked;
	}
}

/** What `--fork` takes: the id, or the path of a file that has another name or a lock. */
function idOf(path: string): string {
	const file = path.replace(/\.lock$/, "");
	return fromFileName(file).id ?? file;
}

export function openError(outcome: OpenFailure): Error {
	switch (outcome.reason) {
		case "locked":
			return new SessionLockedError(outcome.locked);
		case "foreign":
			return new Error(`${outcome.path} belongs to another program. Fork it, or open it read-only.`);
		case "newer":
			return new Error(formatNewer(outcome));
		case "unreadable":
			return new Error(outcome.message);
	}
}
