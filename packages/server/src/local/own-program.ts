/** The command line that starts this Tau again. */

/** Compiled, the program is one file; from sources, the runtime is given the main file. */
export function ownProgram(): string[] {
	return Bun.main.startsWith("/$bunfs/") ? [process.execPath] : [process.execPath, Bun.main];
}
