/**
 * Ends what a test process leaves behind: a daemon and its sessions detach from whoever started them, so that `noOrphans`
 * of Bun (bunfig.toml) does not reach them when the run ends or is killed.
 */

/** Programs inherit it from each other, also those that detach. */
const variable = "TAU_TEST_RUN";

/** A process of its own that reads until the test process is gone, however it ended, and kills what bears its mark. */
const watch = `{
	read -r _ <&3
	for environment in $(grep -lzsFx "$1" /proc/[0-9]*/environ); do
		process=\${environment#/proc/}
		kill -9 "\${process%/environ}"
	done
} >/dev/null 2>&1 &`;

let mark: Record<string, string> | undefined;
/** Bun closes the pipe of a process that nobody refers to any more. */
const started: Bun.Subprocess[] = [];

/** For the environment of a program. The first call of a process starts its watch. */
export function markOfRun(): Record<string, string> {
	mark ??= startWatch();
	return mark;
}

function startWatch(): Record<string, string> {
	// A process id alone is used again.
	const run = `${process.pid}-${crypto.randomUUID()}`;
	if (process.platform === "linux") {
		// The shell ends at once, so that Bun does not end the watch, its child, before or with this process. A pipe at
		// standard input would be closed with the shell.
		const shell = Bun.spawn(["sh", "-c", watch, "sh", `${variable}=${run}`], {
			stdio: ["ignore", "ignore", "ignore", "pipe"],
			env: { PATH: process.env.PATH },
		});
		started.push(shell);
	}
	return { [variable]: run };
}
