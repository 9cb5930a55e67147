/** The directory of this program's named pipes: a running shell can only be given a pipe by name. */
import { openSync, rmSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { temporaryDirectory } from "@tau/utils";

import { limits } from "../limits.ts";
import { findOwn, standardPath } from "./find-shell.ts";

let room: { path: string; free: string[]; made: number } | undefined;

/** The directory, for other files that a shell needs. Only this user can access it. */
export function roomPath(): string {
	return openRoom().path;
}

/** An unused pipe, and its reading end. */
export async function takePipe(): Promise<{ path: string; reader: number }> {
	const path = room?.free.pop() ?? (await makePipes());
	try {
		return { path, reader: openReader(path) };
	} catch {
		// The directory for temporary files was cleared: a new one is created.
		closeRoom();
		const fresh = await makePipes();
		return { path: fresh, reader: openReader(fresh) };
	}
}

/** Only for a pipe that no process has open any more. */
export function returnPipe(path: string): void {
	if (room && path.startsWith(room.path)) room.free.push(path);
}

function openReader(path: string): number {
	// Opens the pipe without waiting for a writer.
	return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

async function makePipes(): Promise<string> {
	const { path, free } = openRoom();
	const names = Array.from({ length: limits.pipesMade }, () => join(path, `${nextNumber()}.out`));
	const mkfifo = findOwn("mkfifo");
	if (!mkfifo) throw new Error("mkfifo is not on PATH, but commands need it. Install coreutils.");
	const program = Bun.spawn([mkfifo, "-m", "600", ...names], {
		env: { PATH: standardPath },
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

/** Commands run even if TMPDIR is gone, as after the end of a build environment. */
function newDirectory(): string {
	try {
		return temporaryDirectory("shell");
	} catch (error) {
		if (tmpdir() === "/tmp") throw error;
		return temporaryDirectory("shell", "/tmp");
	}
}

function closeRoom(): void {
	process.off("exit", closeRoom);
	if (room) rmSync(room.path, { recursive: true, force: true });
	room = undefined;
}
