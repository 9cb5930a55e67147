/** The directory of the sockets of this user's sessions: nobody else may enter it. */
import { lstatSync, mkdirSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";

import { dirs } from "./dirs.ts";
import type { Env } from "./env.ts";

/** The path of a Unix socket; Linux takes 107 bytes and macOS 103. */
const socketPathBytes = 103;

/** The longest name of a socket in the directory: `daemon-` with two hashes, or a pid and a number. */
const longestName = 40;

/**
 * `$XDG_RUNTIME_DIR/tau`, which the system empties when the user logs out; otherwise `run` in the state directory. Where
 * the path of a socket would be too long, a directory below that for temporary files.
 */
export function runtimeDirectory(env: Env = process.env): string {
	const candidates = [fromSystem(env), join(dirs(env).state, "run")].filter((path) => path !== undefined);
	return candidates.find(isShort) ?? join(tmpdir(), `tau-${userId()}-${shortHash(dirs(env).agent)}`);
}

/** Creates it, and throws the reason if others could enter it: then nothing must listen there. */
export function openRuntimeDirectory(env: Env = process.env): string {
	const path = runtimeDirectory(env);
	mkdirSync(path, { recursive: true, mode: 0o700 });
	const why = whyNotPrivate(path);
	if (why === undefined) return path;
	// It may have been made with another mask, by an older Tau or by the user.
	if (isOwn(path)) chmodSync(path, 0o700);
	const still = whyNotPrivate(path);
	if (still !== undefined) throw new Error(`${path} ${still}`);
	return path;
}

/** A short name for something that a long one identifies. */
export function shortHash(text: string): string {
	return Bun.hash(text).toString(36).slice(0, 8);
}

/** What speaks against the directory; undefined if only this user can enter it. */
export function whyNotPrivate(path: string): string | undefined {
	const stat = lstatSync(path, { throwIfNoEntry: false });
	if (!stat?.isDirectory()) return "is not a directory.";
	if (stat.uid !== userId()) return "belongs to another user.";
	return (stat.mode & 0o077) === 0 ? undefined : "can be entered by other users.";
}

/** With `sudo` the variable may name the directory of another user. */
function fromSystem(env: Env): string | undefined {
	const base = env.XDG_RUNTIME_DIR;
	return base && isAbsolute(base) && isOwn(base) ? join(base, "tau") : undefined;
}

function isOwn(path: string): boolean {
	const stat = lstatSync(path, { throwIfNoEntry: false });
	return stat?.isDirectory() === true && stat.uid === userId();
}

function isShort(directory: string): boolean {
	return Buffer.byteLength(directory) + 1 + longestName <= socketPathBytes;
}

export function userId(): number {
	return process.getuid?.() ?? -1;
}
