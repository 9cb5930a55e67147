/** Finds and opens the session that the user named, for reading. */
import { resolve } from "node:path";

import { expandHome, UsageError } from "@tau/utils";
import { SessionManager } from "@tau/log";

import type { Args } from "../../args.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { findSession } from "../../launch/stored-session.ts";

/** The session directory when it is not the default one. */
export async function sessionDirectory(args: Args): Promise<string | undefined> {
	const named = args.flags.get("session-dir") ?? (await loadSettings(args)).get("sessionDir");
	return named === undefined ? undefined : resolve(expandHome(named));
}

export async function openNamed(name: string, directory: string | undefined): Promise<SessionManager> {
	const path = await pathOf(name, directory);
	const outcome = SessionManager.tryOpen(path, { access: "read" });
	if (!outcome.ok) {
		throw new UsageError(outcome.reason === "unreadable" ? `${path}: ${outcome.message}` : outcome.reason);
	}
	if (outcome.session.getHeads().length > 0) return outcome.session;
	outcome.session[Symbol.dispose]();
	throw new UsageError(`${path} contains no session.`);
}

export async function pathOf(name: string, directory: string | undefined): Promise<string> {
	try {
		return await findSession(name, process.cwd(), directory);
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}
