/** Parts of Node's library that most runs never use, and that take a start 9 ms to load: they are loaded at their first use. */
import type * as ChildProcessModule from "node:child_process";
import type * as NetModule from "node:net";
import type * as StreamModule from "node:stream";

export function childProcess(): typeof ChildProcessModule {
	return process.getBuiltinModule("node:child_process");
}

export function net(): typeof NetModule {
	return process.getBuiltinModule("node:net");
}

export function streams(): Pick<typeof StreamModule, "Readable"> {
	return process.getBuiltinModule("node:stream");
}
