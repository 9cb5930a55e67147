/** Where a session can move to, and what has to hold before it leaves. */
import { existsSync } from "node:fs";
import { formatNewer, SessionManager, userTextOf, sessionVersion } from "@tau/log";
import { UserError } from "../run/user-error.ts";
import type { LeaveReason, LeaveRequest } from "./parts.ts";

export type SessionMove =
	/** An empty session; `setup` adds its first entries. */
	| { to: "new"; parentSession?: string | undefined; setup?: (log: SessionManager) => void | Promise<void> }
	| { to: "resume"; file: string }
	/** A new session with the path up to an entry; `before` leaves the entry itself, a message of the user, out. */
	| { to: "fork"; entryId?: string | undefined; position: "before" | "at" }
	/** A new session with the whole tree. */
	| { to: "copy" }
	/** Another entry of the same session; `change` moves the leaf. */
	| { to: "branch"; change: () => void | Promise<void> }
	/** The same session, with its features read again. */
	| { to: "reload" };

export type MoveOutcome =
	/** `text`: the user message that a fork left out, to be written differently. */
	| { kind: "moved"; text?: string }
	/** An extension objected; nothing has changed. */
	| { kind: "cancelled" };

/** A move that was checked, ready to be carried out. */
export interface PlannedMove {
	/** Asked about first; absent where extensions have no say. */
	request?: LeaveRequest;
	/** Absent for another entry of the same session. */
	reason?: LeaveReason;
	change(): void | Promise<void>;
	/** Instead of `change`, where an extension keeps the conversation as it is: the new session has all of it. */
	keep?(): void;
	text?: string;
	/** Whether the log decides about model and thinking level afterwards. */
	restores: boolean;
}

/** A user message from which the conversation can be continued differently. */
export interface ForkMessage {
	entryId: string;
	text: string;
}

export function forkMessages(log: SessionManager): ForkMessage[] {
	return log.getBranch().flatMap((entry) => {
		if (entry.type !== "message" || entry.message.role !== "user") return [];
		const text = userTextOf(entry.message);
		return text === "" ? [] : [{ entryId: entry.id, text }];
	});
}

/** Throws a `UserError` if the move is impossible; nothing has changed then. */
export function planMove(move: SessionMove, log: SessionManager): PlannedMove {
	switch (move.to) {
		case "new":
			return planNew(move, log);
		case "resume":
			return planResume(move.file, log);
		case "fork":
			return move.position === "before" ? planForkBefore(move.entryId, log) : planForkAt(move.entryId, log);
		case "copy":
			return planCopy(log);
		case "branch":
			return { change: move.change, restores: false };
		case "reload":
			return { reason: { reason: "reload" }, change: () => {}, restores: false };
	}
}

function planNew(
	{ parentSession, setup }: Extract<SessionMove, { to: "new" }>,
	log: SessionManager,
): PlannedMove {
	return {
		request: { to: "new" },
		reason: { reason: "new" },
		restores: false,
		async change() {
			log.newSession(parentSession === undefined ? {} : { parentSession });
			await setup?.(log);
		},
	};
}

function planResume(file: string, log: SessionManager): PlannedMove {
	checkSession(file);
	return {
		request: { to: "resume", targetSessionFile: file },
		reason: { reason: "resume", targetSessionFile: file },
		restores: true,
		change: () => log.setSessionFile(file),
	};
}

function planForkBefore(entryId: string | undefined, log: SessionManager): PlannedMove {
	const entry = entryId === undefined ? undefined : log.getEntry(entryId);
	if (!entry) throw new UserError(`Entry ${entryId} not found in this session.`);
	if (entry.type !== "message" || entry.message.role !== "user")
		throw new UserError(`Entry ${entryId} is not a user message.`);
	const parentSession = log.getSessionFile();
	return {
		request: { to: "fork", entryId: entry.id, position: "before" },
		reason: { reason: "fork" },
		restores: true,
		text: userTextOf(entry.message),
		change() {
			if (entry.parentId !== null) log.createBranchedSession(entry.parentId);
			else log.newSession(parentSession === undefined ? {} : { parentSession });
		},
		keep: () => void log.createBranchedSession(log.getLeafId() ?? entry.id),
	};
}

function planForkAt(entryId: string | undefined, log: SessionManager): PlannedMove {
	const at = entryId ?? log.getLeafId();
	if (at === null) throw new UserError("Nothing to clone yet.");
	if (!log.getEntry(at)) throw new UserError(`Entry ${at} not found in this session.`);
	return {
		request: { to: "fork", entryId: at, position: "at" },
		reason: { reason: "fork" },
		restores: true,
		// The run that ends first may still have added to the end of the branch.
		change: () => void log.createBranchedSession(entryId ?? log.getLeafId() ?? at),
		keep: () => void log.createBranchedSession(log.getLeafId() ?? at),
	};
}

function planCopy(log: SessionManager): PlannedMove {
	const at = log.getLeafId();
	if (at === null) throw new UserError("Nothing to fork yet.");
	return {
		request: { to: "fork", entryId: at, position: "at" },
		reason: { reason: "fork" },
		restores: true,
		change: () => void log.fork(),
	};
}

/** Checked before anything is left: a wrong path must not cost the answer that is being given. */
export function checkSession(path: string): void {
	if (!existsSync(path)) throw new UserError(`No session found at ${path}.`);
	const opened = SessionManager.tryOpen(path, { access: "read" });
	if (!opened.ok) {
		throw new UserError(`Cannot read ${path}${opened.reason === "unreadable" ? `: ${opened.message}` : "."}`);
	}
	using session = opened.session;
	if (session.getHeads().length === 0 && session.getProblems().length > 0)
		throw new UserError(`${path} is not a session.`);
	const { version = 1 } = session.getHeader();
	if (version > sessionVersion) throw new UserError(formatNewer({ path, version }));
	const cwd = session.getCwd();
	if (cwd !== "" && !existsSync(cwd))
		throw new UserError(`The directory of that session no longer exists: ${cwd}`);
}
