/** The bounds of the sandbox. */
export const limits = {
	/** `.gitmodules` and pointer files are far smaller. */
	gitFileBytes: 256 * 1024,
	/** Submodules whose hooks and configuration are protected. */
	submodules: 200,
	/** Submodules of submodules. */
	submoduleDepth: 6,
	/** The sandbox is set up in 10 ms; on an overloaded machine it may take a thousand times as long. */
	startMs: 10_000,
	/** The description that bubblewrap prints about a started sandbox has 300 bytes. */
	infoBytes: 4 * 1024,
	/** Messages of a program that failed to start. */
	complaintBytes: 8 * 1024,
} as const;
