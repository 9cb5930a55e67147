/** `tau sessions restore`: brings the files of a project back to how they were at a message, also after a crash. */
import { join } from "node:path";

import { artifactsDir, SessionManager, userTextOf } from "@tau/log";
import {
	canBeProject,
	FileHistory,
	interruptedRoot,
	isInterrupted,
	projectRoot,
	recordedRoot,
	recoverChanges,
	rewindFolder,
	type PlannedFile,
	type RestorePlan,
} from "@tau/log/journal";
import { staleIndex, type StaleIndex } from "@tau/session/commits";
import { isTrusted } from "@tau/extensions/trust";
import { dirs, oneLine, UsageError } from "@tau/utils";
import { columns, cut } from "@tau/utils/text-table";

import {
	conflictReasons,
	counted,
	lostReasons,
	named,
	formatOutcome,
	restoredPaths,
	formatStale,
} from "@tau/session-commands/work";
import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { limits } from "../../limits.ts";
import { pathOf } from "./named.ts";
import { isJson, jsonLine, lineWidth, printed } from "./output.ts";

/** Without an entry it lists the messages with the files that changed since. */
export async function runRestore(args: Args, name: string, directory: string | undefined): Promise<number> {
	const entry = args.operands[2];
	const isReading = entry === undefined || args.flags.has("dry-run");
	const path = await pathOf(name, directory);
	using session = (isReading ? openInterrupted(path) : undefined) ?? open(path, isReading ? "read" : "write");
	const history = await historyOf(session);
	if (entry === undefined) return await list(args, session, history);
	const plan = await (entry === "redo" ? history.redoPlan() : planOf(session, history, entry));
	if (!plan) throw new UsageError("No files were restored in this session.");
	if (isReading) return await printed(formatPlan(plan, isJson(args)));
	const outcome = await history.restore(plan, () => args.flags.has("force"));
	const stale = await stagedStill(restoredPaths(plan, outcome));
	const text = isJson(args)
		? jsonLine({ ...outcome, skipped: outcome.skipped.map(rowOf), staged: stale?.paths ?? [] })
		: `${formatOutcome(outcome)}\n${stale ? `${formatStale(stale)}: ${stale.command}\n` : ""}`;
	const conflicts = outcome.skipped.filter(({ conflict }) => conflict).length;
	const help = conflicts > 0 && !isJson(args) ? "With --force these are overwritten too.\n" : "";
	const code = await printed(text + help);
	const isWhole = outcome.skipped.length + outcome.failed.length === 0;
	return code === exitCodes.answered && !isWhole ? exitCodes.failed : code;
}

function stagedStill(restored: readonly string[]): Promise<StaleIndex | undefined> {
	const cwd = process.cwd();
	const { signal } = new AbortController();
	return staleIndex({ cwd, env: process.env, isTrusted: isTrusted(cwd, dirs().agent), signal }, restored);
}

function open(path: string, access: "read" | "write"): SessionManager {
	const opened = SessionManager.tryOpen(path, { access });
	if (opened.ok) return opened.session;
	if (opened.reason === "locked")
		throw new UsageError("The session is open in another Tau. Use /rewind there, or close it first.");
	throw new UsageError(opened.reason === "unreadable" ? `${path}: ${opened.message}` : opened.reason);
}

/** A session whose Tau was killed is written to, because what its last command changed has to be recorded first. */
function openInterrupted(path: string): SessionManager | undefined {
	if (!isInterrupted(rewindDirectory(path))) return undefined;
	const opened = SessionManager.tryOpen(path, { access: "write" });
	return opened.ok ? opened.session : undefined;
}

async function historyOf(session: SessionManager): Promise<FileHistory> {
	const file = session.getSessionFile();
	if (file === undefined) throw new UsageError("The session is not stored.");
	const directory = rewindDirectory(file);
	const root = rootOf(session, file, directory);
	const history = new FileHistory({ directory: () => directory, isStored: () => true, root, log: session });
	// Somebody else's session may claim anything.
	if (!session.isReadOnly() && isOwnSession(file) && isInterrupted(directory))
		await recoverChanges({
			directory,
			root,
			history,
			isOwn: (path) => path.startsWith(`${dirs().sessions}/`),
		});
	return history;
}

function rewindDirectory(file: string): string {
	return join(artifactsDir(file), rewindFolder);
}

function isOwnSession(file: string): boolean {
	return file.startsWith(`${dirs().sessions}/`);
}

/**
 * The directory whose files need no yes. That of the session may be what was deleted, so its own word has to do; but a
 * session from another user may name any directory, and only the project around the current one is sure.
 */
function rootOf(session: SessionManager, file: string, directory: string): string {
	const { HOME } = process.env;
	const here = projectRoot(process.cwd(), HOME) ?? process.cwd();
	const recorded =
		recordedRoot(directory) ?? interruptedRoot(directory) ?? projectRoot(session.getCwd(), HOME);
	return recorded !== undefined && isOwnSession(file) && canBeProject(recorded, HOME) ? recorded : here;
}

async function planOf(session: SessionManager, history: FileHistory, entryId: string): Promise<RestorePlan> {
	const entry = session.getEntry(entryId);
	if (!entry) throw new UsageError(`Entry ${entryId} not found. tau sessions restore <id> lists them.`);
	const isMessage = entry.type === "message" && entry.message.role === "user";
	return await history.plan(isMessage ? history.momentBefore(entryId) : history.momentAt(entryId));
}

async function list(args: Args, session: SessionManager, history: FileHistory): Promise<number> {
	const messages = session.getBranch().flatMap((entry) => {
		if (entry.type !== "message" || entry.message.role !== "user") return [];
		return [{ entryId: entry.id, text: userTextOf(entry.message) }];
	});
	const changes = history.changesSince(messages.map(({ entryId }) => entryId));
	const rows = messages.map((message, at) => ({
		...message,
		files: changes[at]?.count ?? 0,
		shown: changes[at]?.shown ?? [],
	}));
	if (isJson(args)) return printed(rows.map(jsonLine).join(""));
	if (rows.length === 0) return printed("No messages.\n");
	const lines = columns(
		rows.map(({ entryId, text, files, shown }) => [
			entryId,
			oneLine(text, limits.restoreTextChars),
			files === 0 ? "no files changed since" : `${counted(files)}: ${named(shown)}`,
		]),
	);
	return printed(lines.map((line) => `${cut(line, lineWidth())}\n`).join(""));
}

function formatPlan({ files }: RestorePlan, asJson: boolean): string {
	if (asJson) return files.map((file) => jsonLine(rowOf(file))).join("");
	if (files.length === 0) return "All files are as they were.\n";
	return files
		.map(({ shown, action, conflict, lost }) => {
			const note = lost
				? ` (not possible: ${lostReasons[lost]})`
				: conflict
					? ` (${conflictReasons[conflict]})`
					: "";
			return `${action.padEnd(6)} ${shown}${note}\n`;
		})
		.join("");
}

function rowOf({ shown, action, conflict, lost }: PlannedFile): object {
	return { path: shown, action, ...(conflict ? { conflict } : {}), ...(lost ? { lost } : {}) };
}
