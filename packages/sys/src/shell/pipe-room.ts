/** The directory of this program's named pipes: a running shell can be handed a pipe by its name only. */
import { mkdtempSync, openSync, rmSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { limits } from "../limits.ts";
import { findOwn } from "./find-shell.ts";

let room: { path: string; free: string[]; made: number } | undefined;

/** The directory, for what else a shell needs to find. It is this user's alone. */
export function roomPath(): string {
	return openRoom().path;
}

/** A pipe that nobody has open, and its reading end. */
export async function takePipe(): Promise<{ path: string; reader: number }> {
	const path = room?.free.pop() ?? (await makePipes());
	try {
		return { path, reader: openReader(path) };
	} catch {
		// Somebody has cleared the directory for temporary files: a new room.
		closeRoom();
		const fresh = await makePipes();
		return { path: fresh, reader: openReader(fresh) };
	}
}

/** Only when nobody has it open any more. */
export function returnPipe(path: string): void {
	if (room && path.startsWith(room.path)) room.free.push(path);
}

function openReader(path: string): number {
	// Without waiting for somebody who writes.
	return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

async function makePipes(): Promise<string> {
	const { path, free } = openRoom();
	const names = Array.from({ length: limits.pipesMade }, () => join(path, `${nextNumber()}.out`));
	const mkfifo = findOwn("mkfifo");
	if (!mkfifo) throw new Error("mkfifo is not on PATH, but commands need it. Install coreutils.");
	const program = Bun.spawn([mkfifo, "-m", "600", ...names], {
		stdin: "ignore",
		stdout: "ignore",
		stderr: "pipe",
	});
	const [code, complaint] = await Promise.all([program.exited, program.stderr.text()]);
	if (code !== 0) throw new Error(`Cannot create a pipe for command output: ${complaint.trim()}`);
	const [first = path, ...others] = names;
	free.push(...others);
	return first;
}

function nextNumber(): number {
	return room ? ++room.made : 0;
}

function openRoom(): NonNullable<typeof room> {
	if (room) return room;
	room = { path: newDirectory(), free: [], made: 0 };
	process.once("exit", closeRoom);
	return room;
}

/** A TMPDIR that is gone, as that of a build environment that has ended, does not keep commands from running. */
function newDirectory(): string {
	try {
		return mkdtempSync(join(tmpdir(), "tau-shell-"));
	} catch (error) {
		if (tmpdir() === "/tmp") throw error;
		return mkdtempSync("/tmp/tau-shell-");
	}
}

function closeRoom(): void {
	process.off("exit", closeRoom);
	if (room) rmSync(room.path, { recursive: true, force: true });
	room = undefined;
}
