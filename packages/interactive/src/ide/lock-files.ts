/** Finds the editors of this user that wait for a connection: each announces its port and token in a lock file. */
import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";

import { env as variable, errorCode, homeOf, isRecord, oneLine, userId, type Env } from "@tau/utils";

import { parsedJson } from "./connection.ts";
import { limits } from "./limits.ts";

export interface OfferedEditor {
	readonly name: string;
	readonly port: number;
	readonly token: string;
	/** The folders that it has open. */
	readonly folders: readonly string[];
}

export interface OfferedEditors {
	readonly editors: readonly OfferedEditor[];
	/** Why lock files are not used. */
	readonly problems: readonly string[];
}

/** Our own extension writes into the first; those of Claude Code into the others. */
function lockDirectories(env: Env): string[] {
	const home = homeOf(env);
	const config = env.XDG_CONFIG_HOME || join(home, ".config");
	const claude = env.CLAUDE_CONFIG_DIR;
	return [
		join(home, ".tau/ide"),
		...(claude ? [join(claude, "ide")] : []),
		join(home, ".claude/ide"),
		join(config, "claude/ide"),
	];
}

export function offeredEditors(env: Env = process.env): OfferedEditors {
	const editors: OfferedEditor[] = [];
	const problems: string[] = [];
	for (const path of lockDirectories(env).flatMap(lockFilesIn)) {
		const editor = readLock(path);
		if (typeof editor === "string") problems.push(`${path} ${editor}`);
		else if (editor && !editors.some(({ port }) => port === editor.port)) editors.push(editor);
	}
	return { editors, problems };
}

/** The editor whose terminal this is, if one says so. */
export function terminalPort(env: Env = process.env): number | undefined {
	const port = Number(variable("TAU_IDE_PORT", env) ?? env.CLAUDE_CODE_SSE_PORT);
	return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** Those that have the directory open, the nearest folder first. */
export function editorsFor(cwd: string, editors: readonly OfferedEditor[]): OfferedEditor[] {
	const real = realOf(cwd);
	const depth = ({ folders }: OfferedEditor): number =>
		Math.max(-1, ...folders.map((folder) => (holds(realOf(folder), real) ? folder.length : -1)));
	return editors.filter((editor) => depth(editor) >= 0).toSorted((a, b) => depth(b) - depth(a));
}

function holds(folder: string, path: string): boolean {
	return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function realOf(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// A folder that is gone, or on another machine, holds nothing here.
		return path;
	}
}

function lockFilesIn(directory: string): string[] {
	try {
		return readdirSync(directory)
			.filter((name) => /^\d+\.lock$/.test(name))
			.slice(0, limits.lockFiles)
			.map((name) => join(directory, name));
	} catch (error) {
		if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
		throw error;
	}
}

/** The reason if it must not be used; undefined for an editor that is gone. */
function readLock(path: string): OfferedEditor | string | undefined {
	const directory = lstatSync(dirname(path), { throwIfNoEntry: false });
	if (!directory || directory.uid !== userId() || (directory.mode & 0o022) !== 0)
		return "is in a directory that others can write to.";
	let file: number;
	try {
		file = openSync(path, "r");
	} catch (error) {
		return errorCode(error) === "ENOENT" ? undefined : "cannot be read.";
	}
	try {
		const { uid, mode, size } = fstatSync(file);
		if (uid !== userId()) return "belongs to another user.";
		// Whoever could write it could answer questions in the user's name. That others read it, as with some plugins of
		// editors, lets them into the editor and not into Tau.
		if ((mode & 0o022) !== 0) return "can be written by others (chmod 600 mends it).";
		if (size > limits.lockBytes) return `is larger than ${limits.lockBytes} bytes.`;
		return editorIn(path, readFileSync(file, "utf8"));
	} finally {
		closeSync(file);
	}
}

function editorIn(path: string, text: string): OfferedEditor | string | undefined {
	const lock = parsedJson(text);
	if (!isRecord(lock)) return "is not a lock file of an editor.";
	const { authToken, transport = "ws", workspaceFolders = [], ideName, pid } = lock;
	if (transport !== "ws") return "names a transport other than WebSocket.";
	if (typeof authToken !== "string" || !/^[\x21-\x7e]+$/.test(authToken)) return "has no token.";
	if (typeof pid === "number" && !isAlive(pid)) return undefined;
	const port = Number(/(\d+)\.lock$/.exec(path)?.[1]);
	// An editor that crashed leaves its lock file, and anybody can listen on its port then.
	if (isOfOther(port)) return "names a port on which another user listens.";
	const folders = Array.isArray(workspaceFolders) ? workspaceFolders : [];
	return {
		name: cleanName(typeof ideName === "string" ? ideName : "editor"),
		port,
		token: authToken,
		folders: folders.filter((folder) => typeof folder === "string"),
	};
}

export function cleanName(text: string): string {
	return oneLine(text, limits.nameChars);
}

/** A process of another user has taken the number of one that is gone. */
function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

/** Whether only other users listen on the port, as far as the system says. */
function isOfOther(port: number): boolean {
	const owners = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listenersIn(table, port));
	return owners.length > 0 && !owners.includes(userId());
}

/** The users that listen on a port, by a table of the system: `sl local_address rem_address st … uid …`. */
function listenersIn(table: string, port: number): number[] {
	const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
	try {
		return readFileSync(table, "utf8")
			.split("\n")
			.map((line) => line.trim().split(/\s+/))
			.filter(([, local, , state]) => state === "0A" && local?.endsWith(end) === true)
			.map((columns) => Number(columns[7]));
	} catch {
		// Not on Linux: nothing is known.
		return [];
	}
}
