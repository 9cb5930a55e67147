/** The exit codes of `tau`; `--help` and docs/print.md document the same ones. */
export const exitCodes = {
	answered: 0,
	failed: 1,
	usage: 2,
	/** The code of timeout(1). */
	outOfTime: 124,
	/** 128 + SIGINT, as shells count. */
	interrupted: 130,
} as const;
