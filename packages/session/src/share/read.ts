/** Opens a share: as a document to show, or as a session to continue. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SessionManager } from "@tau/log";
import { openShare, readShareLink, type ShareDocument } from "@tau/wire/share";

import { fetchSealed } from "./stores.ts";

/** Rejects with the reason for the user. */
export async function readShare(link: string, signal: AbortSignal): Promise<ShareDocument> {
	const parsed = readShareLink(link);
	return await openShare(await fetchSealed(parsed, signal), parsed.key);
}

/** Stores it as a new session of this directory, and gives its file. */
export function keepShare(document: ShareDocument, cwd: string, directory: string | undefined): string {
	const { session, entries } = document;
	const header = {
		type: "session",
		version: 3,
		id: session.id,
		timestamp: session.timestamp,
		cwd: session.cwd,
	};
	const lines = [header, ...entries].map((line) => JSON.stringify(line));
	const drafts = mkdtempSync(join(tmpdir(), "tau-share-"));
	try {
		const draft = join(drafts, "share.jsonl");
		writeFileSync(draft, `${lines.join("\n")}\n`, { mode: 0o600 });
		// A copy with an id of its own: the original may be on this machine.
		using copy = SessionManager.forkFrom(draft, cwd, directory);
		if (session.name !== undefined && copy.getSessionName() === undefined)
			copy.appendSessionInfo(session.name);
		const file = copy.getSessionFile();
		if (file === undefined) throw new Error("The session was not stored.");
		return file;
	} finally {
		rmSync(drafts, { recursive: true, force: true });
	}
}
