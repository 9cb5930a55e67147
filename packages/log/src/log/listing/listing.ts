/** Finds the sessions of one project or of all, and describes them without opening them. */
import { closeSync, existsSync, openSync, readdirSync, statSync, type Stats } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";

import { dirs, livingOwner, log } from "@tau/utils";

import { limits } from "../limits.ts";
import { artifactsDir, defaultSessionDir, foreignSessionDirs, sessionSuffix } from "../file/paths.ts";
import { piecesOf } from "../file/piece.ts";
import { readSpan } from "../file/scan.ts";
import { discard, SessionIndex, type Remembered } from "./session-index.ts";
import { infoOf, summarize, type SessionInfo, type SessionListProgress } from "./session-info.ts";

const lockSuffix = ".lock";

/** Lists the most recent first. The default directory is filtered by project, because names can coincide. */
export async function listSessions(
	cwd: string,
	sessionDir?: string,
	onProgress?: SessionListProgress,
): Promise<SessionInfo[]> {
	const sessions = await list([sessionDir ?? defaultSessionDir(cwd)], onProgress);
	return sessionDir === undefined ? sessions.filter((info) => isOf(info.cwd, cwd)) : sessions;
}

/** The sessions that pi and omp have of this directory; Tau reads them, and continues them in a fork. */
export async function listForeignSessions(cwd: string): Promise<SessionInfo[]> {
	const sessions = await list(foreignSessionDirs(cwd));
	return sessions.filter((info) => isOf(info.cwd, cwd));
}

export async function listAllSessions(onProgress?: SessionListProgress): Promise<SessionInfo[]> {
	const root = dirs().sessions;
	const projects = entriesOf(root).filter((entry) => !entry.isFile());
	return list(
		projects.map(({ name }) => join(root, name)),
		onProgress,
	);
}

/** The sessions of the agents of these sessions: they are in the directories beside their files. */
export async function listAgentSessions(sessions: readonly SessionInfo[]): Promise<SessionInfo[]> {
	const directories = sessions.map(({ path }) => artifactsDir(path)).filter((path) => existsSync(path));
	const agents = await list(directories);
	return agents.map((info) => Object.assign(info, { agent: basename(info.path, sessionSuffix) }));
}

/** Sorts by the time of the file. In a directory that several projects share, only this project's files are listed. */
export function mostRecentSession(cwd: string, sessionDir?: string): string | undefined {
	const directory = sessionDir ?? defaultSessionDir(cwd);
	const files = [...sessionFiles(directory).files].toSorted(([, a], [, b]) => b.mtimeMs - a.mtimeMs);
	for (const [name, { size }] of files) {
		const path = join(directory, name);
		if (size > 0 && isOf(headerOf(path)?.cwd, cwd)) return path;
	}
	return undefined;
}

/** The session with exactly this id. Only headers are read: first those of files that have the id in their name. */
export function findSessionById(cwd: string, id: string, sessionDir?: string): string | undefined {
	const directory = sessionDir ?? defaultSessionDir(cwd);
	const names = entriesOf(directory)
		.map(({ name }) => name)
		.filter((name) => name.endsWith(sessionSuffix));
	const suffix = `${id}${sessionSuffix}`;
	const isIt = (name: string): boolean => headerOf(join(directory, name))?.id === id;
	const found = names.filter((name) => name.endsWith(suffix)).find(isIt) ?? names.find(isIt);
	return found === undefined ? undefined : join(directory, found);
}

/** A file without a working directory belongs to every project. */
function isOf(sessionCwd: string | undefined, cwd: string): boolean {
	return sessionCwd !== undefined && (sessionCwd === "" || resolve(sessionCwd) === resolve(cwd));
}

/** Returns undefined if the file does not start with a header, and so is not a session of this program. */
function headerOf(path: string): { cwd: string; id: string } | undefined {
	try {
		const file = openSync(path, "r");
		try {
			const start = readSpan(file, 0, limits.headerBytes);
			for (const line of linesOf(start)) {
				const [piece] = piecesOf(line, 0);
				if (piece?.kind === "header") {
					const { cwd, id } = piece.value;
					return { cwd: typeof cwd === "string" ? cwd : "", id: typeof id === "string" ? id : "" };
				}
				if (piece?.kind !== "title") return undefined;
			}
			return undefined;
		} finally {
			closeSync(file);
		}
	} catch (error) {
		log.debug("cannot read a session", { path, reason: String(error) });
		return undefined;
	}
}

function* linesOf(bytes: Buffer): Generator<Buffer> {
	for (let at = 0; at < bytes.length;) {
		const end = bytes.indexOf(0x0a, at);
		if (end === -1) return;
		yield bytes.subarray(at, end);
		at = end + 1;
	}
}

async function list(
	directories: readonly string[],
	onProgress?: SessionListProgress,
): Promise<SessionInfo[]> {
	const listed = directories.map((directory) => ({ directory, ...sessionFiles(directory) }));
	const total = listed.reduce((sum, { files }) => sum + files.size, 0);
	const indexPath = join(dirs().cache, "sessions.sqlite");
	using index = total === 0 ? undefined : await SessionIndex.open(indexPath);
	const sessions: SessionInfo[] = [];
	let loaded = 0;
	for (const { directory, files, locked } of listed) {
		const known = remembered(index, indexPath, directory);
		const changed = new Map<string, Remembered>();
		for (const [name, stats] of files) {
			onProgress?.(++loaded, total);
			const path = join(directory, name);
			const before = known.get(name);
			const current = isSame(before, stats) ? before : look(path, stats, before);
			if (!current) continue;
			if (current !== before) {
				changed.set(name, current);
				if (changed.size % limits.summariesPerTurn === 0) await setImmediate();
			}
			const isOpen = locked.has(name) && livingOwner(`${path}${lockSuffix}`) !== undefined;
			sessions.push(infoOf(path, stats, current.summary, isOpen));
		}
		remember(
			index,
			directory,
			changed,
			[...known.keys()].filter((name) => !files.has(name)),
		);
	}
	return sessions.toSorted((a, b) => b.modified.getTime() - a.modified.getTime());
}

function isSame(before: Remembered | undefined, { size, mtimeMs, ino }: Stats): before is Remembered {
	return before?.size === size && before.mtimeMs === mtimeMs && before.inode === ino;
}

/** A file that only grew is read from its previous end. */
function look(path: string, stats: Stats, before: Remembered | undefined): Remembered | undefined {
	const { size, mtimeMs, ino: inode } = stats;
	const known = before?.inode === inode && size > before.size ? before.summary : undefined;
	try {
		const summary = summarize(path, known);
		return summary && { size, mtimeMs, inode, summary };
	} catch (error) {
		log.debug("cannot read a session", { path, reason: String(error) });
		return undefined;
	}
}

function remembered(
	index: SessionIndex | undefined,
	indexPath: string,
	directory: string,
): Map<string, Remembered> {
	try {
		return index?.read(directory) ?? new Map<string, Remembered>();
	} catch (error) {
		log.warn("the session index is damaged and will be rebuilt", { reason: String(error) });
		discard(indexPath);
		return new Map<string, Remembered>();
	}
}

function remember(
	index: SessionIndex | undefined,
	directory: string,
	changed: ReadonlyMap<string, Remembered>,
	gone: readonly string[],
): void {
	if (changed.size === 0 && gone.length === 0) return;
	try {
		index?.write(directory, changed, gone);
	} catch (error) {
		// The next list reads these files again.
		log.debug("the session index was not written", { reason: String(error) });
	}
}

/** The session files of a directory, and the names of those that have a lock. */
function sessionFiles(directory: string): { files: Map<string, Stats>; locked: Set<string> } {
	const files = new Map<string, Stats>();
	const locked = new Set<string>();
	for (const { name } of entriesOf(directory)) {
		if (name.endsWith(`${sessionSuffix}${lockSuffix}`)) locked.add(name.slice(0, -lockSuffix.length));
		if (!name.endsWith(sessionSuffix)) continue;
		const stats = statSync(join(directory, name), { throwIfNoEntry: false });
		if (stats?.isFile()) files.set(name, stats);
	}
	return { files, locked };
}

function entriesOf(directory: string) {
	try {
		return readdirSync(directory, { withFileTypes: true });
	} catch (error) {
		log.debug("a directory of sessions cannot be read", { directory, reason: String(error) });
		return [];
	}
}
