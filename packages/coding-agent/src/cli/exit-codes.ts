/** What the exit codes of `tau` mean; `--help` and docs/print.md say the same. */
export const exitCodes = {
	answered: 0,
	failed: 1,
	usage: 2,
	/** 128 + SIGINT, as shells count. */
	interrupted: 130,
} as const;
