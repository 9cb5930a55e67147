/** Describes why a shell could not be started. */

export function startFailure(error: unknown, { command, cwd }: { command: string; cwd: string }): string {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	switch (code) {
		case "ENOENT":
			return `Working directory does not exist: ${cwd}`;
		case "ENOTDIR":
			return `Working directory is not a directory: ${cwd}`;
		case "E2BIG":
			return `The command is too long for the system (${command.length} characters). Write a script file and run it.`;
		default:
			return `Cannot start a shell in ${cwd}: ${error instanceof Error ? error.message : String(error)}`;
	}
}
