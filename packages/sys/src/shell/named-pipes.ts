/** Makes named pipes: by a call of the C library where it is found, and by a program where it is not. */
import { chmodSync } from "node:fs";

import { findOwn, standardPath } from "./find-shell.ts";

type Mkfifo = (path: Buffer) => boolean;

/** Only this user can open them. Rejects with a readable reason. */
export async function makeNamedPipes(paths: readonly string[]): Promise<void> {
	const mkfifo = (loaded ??= await load());
	const left = mkfifo ? paths.filter((path) => !mkfifo(Buffer.from(`${path}\0`))) : paths;
	if (left.length > 0) await makeByProgram(left);
	// The call keeps the bits of the umask off.
	for (const path of paths) chmodSync(path, 0o600);
}

let loaded: Mkfifo | undefined;

/** A program takes 1 ms of Tau's thread and one of a processor, while bubblewrap needs that. */
async function load(): Promise<Mkfifo | undefined> {
	const { dlopen, FFIType, ptr } = await import("bun:ffi");
	for (const name of libraries) {
		try {
			const { symbols } = dlopen(name, {
				mkfifo: { args: [FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
			});
			return (path) => symbols.mkfifo(ptr(path), 0o600) === 0;
		} catch {
			// Another C library has another name.
		}
	}
	return undefined;
}

const libraries = process.platform === "darwin" ? ["libSystem.B.dylib"] : ["libc.so.6", "libc.so"];

/** It says why a pipe cannot be made. */
async function makeByProgram(paths: readonly string[]): Promise<void> {
	const mkfifo = findOwn("mkfifo");
	if (!mkfifo) throw new Error("mkfifo is not on PATH, but commands need it. Install coreutils.");
	const program = Bun.spawn([mkfifo, "-m", "600", ...paths], {
		env: { PATH: standardPath },
		stdin: "ignore",
		stdout: "ignore",
		stderr: "pipe",
	});
	const [code, complaint] = await Promise.all([program.exited, program.stderr.text()]);
	if (code !== 0) throw new Error(`Cannot create a pipe for command output: ${complaint.trim()}`);
}
