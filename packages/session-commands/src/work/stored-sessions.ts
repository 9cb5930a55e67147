/** What the selector of sessions does with those that are not open: lists them, renames them, moves them to the trash. */
import { dirs } from "@tau/utils";

import {
	listForeignSessions,
	formatNewer,
	formatOwner,
	SessionManager,
	trashSession,
	type SessionInfo,
} from "@tau/log";
/** The sessions of this directory, or all. */
export type Where = "here" | "everywhere";

export interface StoredSessions {
	cwd: string;
	/** The directory of this run's sessions if it is not the usual one: it is included as well. */
	directory: string | undefined;
}

export async function listStored(
	{ cwd, directory }: StoredSessions,
	where: Where,
	onProgress: (loaded: number, total: number) => void,
): Promise<SessionInfo[]> {
	const here = [
		...(await SessionManager.list(cwd, directory, onProgress)),
		...(await listForeignSessions(cwd)),
	].toSorted(newestFirst);
	if (where === "here") return here;
	const all = await SessionManager.listAll(onProgress);
	const known = new Set(all.map(({ path }) => path));
	return [...all, ...here.filter(({ path }) => !known.has(path))].toSorted(newestFirst);
}

function newestFirst(a: SessionInfo, b: SessionInfo): number {
	return b.modified.getTime() - a.modified.getTime();
}

/** The program whose directory the session is in, unless it is Tau. */
export function programOf({ path }: Pick<SessionInfo, "path">): "pi" | "omp" | undefined {
	const [, program] = /[/\\]\.(pi|omp)[/\\]/.exec(path) ?? [];
	return program === "pi" || program === "omp" ? program : undefined;
}

/** The reason for the user if it failed; undefined if it worked. */
export function renameStored({ path }: SessionInfo, name: string): string | undefined {
	const opened = SessionManager.tryOpen(path);
	if (!opened.ok) {
		if (opened.reason === "locked") return `${formatOwner(opened.locked.owner)} has the session open.`;
		if (opened.reason === "foreign") return "It belongs to pi or omp. Tau does not change their files.";
		if (opened.reason === "newer") return formatNewer(opened);
		return opened.message;
	}
	using session = opened.session;
	session.appendSessionInfo(name);
	return session.flushSync() ? undefined : "Could not save the name.";
}

/** The reason for the user if it failed; undefined if it worked. */
export function trashStored({ path }: SessionInfo): string | undefined {
	const outcome = trashSession(path, `${dirs().data}/trash`);
	if (outcome.ok) return undefined;
	return outcome.reason === "locked"
		? `${formatOwner(outcome.locked.owner)} has the session open. Nothing was moved.`
		: "It belongs to pi or omp. Tau does not change their directories.";
}
