/** `/resume`: another session, of this directory or of any. */
import { dirs } from "@tau/utils";

import {
	newerInWords,
	ownerInWords,
	SessionManager,
	trashSession,
	type SessionInfo,
} from "../../../session/index.ts";
import { switchSession } from "../../shared/sessions.ts";
import type { InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import { lastWord } from "../selectors/sessions/preview.ts";
import { SessionSelector, type Where } from "../selectors/sessions/selector.ts";
import type { SlashCommand } from "./command.ts";

export const resume: SlashCommand = {
	name: "resume",
	aliases: ["sessions"],
	argumentHint: "[search]",
	description: "Open another session",
	run(args, host) {
		openSelector(host, (screen, close) => {
			const selector = new SessionSelector(screen, {
				cwd: host.cwd,
				current: host.log.getSessionFile(),
				...(args === "" ? {} : { search: args }),
				list: (where, onProgress) => list(host, where, onProgress),
				preview: lastWord,
				open: async ({ path }) => {
					await switchSession(host.desk, path);
					host.redrawSession();
				},
				rename: (info, name) => rename(host, info, name),
				remove,
				now: Date.now,
				close,
			});
			return { component: selector.component, owns: selector };
		});
	},
};

/** Those in the directory of this session count as well: it need not be the usual one. */
async function list(
	{ log, cwd }: InteractiveHost,
	where: Where,
	onProgress: (loaded: number, total: number) => void,
): Promise<SessionInfo[]> {
	const here = await SessionManager.list(cwd, log.getSessionDir() || undefined, onProgress);
	if (where === "here") return here;
	const all = await SessionManager.listAll(onProgress);
	const known = new Set(all.map(({ path }) => path));
	return [...all, ...here.filter(({ path }) => !known.has(path))].toSorted(
		(a, b) => b.modified.getTime() - a.modified.getTime(),
	);
}

async function rename(
	{ log, session }: InteractiveHost,
	{ path }: SessionInfo,
	name: string,
): Promise<string | undefined> {
	if (path === log.getSessionFile()) {
		log.appendSessionInfo(name);
		await session.tell({ type: "session_info_changed", name });
		return undefined;
	}
	const opened = SessionManager.tryOpen(path);
	if (!opened.ok) {
		if (opened.reason === "locked") return `${ownerInWords(opened.locked.owner)} has the session open.`;
		if (opened.reason === "foreign") return "It belongs to pi or omp, whose files Tau does not change.";
		if (opened.reason === "newer") return newerInWords(opened);
		return opened.message;
	}
	using other = opened.session;
	other.appendSessionInfo(name);
	return other.flushSync() ? undefined : "The name could not be written.";
}

function remove({ path }: SessionInfo): string | undefined {
	const outcome = trashSession(path, `${dirs().data}/trash`);
	if (outcome.ok) return undefined;
	return outcome.reason === "locked"
		? `${ownerInWords(outcome.locked.owner)} has the session open; nothing was moved.`
		: "It belongs to pi or omp, whose directories Tau does not change.";
}
