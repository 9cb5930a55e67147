/**
 * Ends what a test process leaves behind: a daemon and its sessions detach from whoever started them, so that `noOrphans`
 * of Bun (bunfig.toml) does not reach them when the run is killed.
 */

/** Programs inherit it from each other, also those that detach. */
const variable = "TAU_TEST_RUN";

/** A process of its own that reads until the test process is gone, however it ended, and kills what bears its mark. */
const watch = `exec 3<&0
{
	read -r _ <&3
	for environment in $(grep -lzsFx "$1" /proc/[0-9]*/environ); do
		process=\${environment#/proc/}
		kill -9 "\${process%/environ}" 2>/dev/null
	done
} >/dev/null 2>&1 &
wait`;

let mark: Record<string, string> | undefined;

/** For the environment of a program. The first call of a process starts its watch. */
export function markOfRun(): Record<string, string> {
	mark ??= startWatch();
	return mark;
}

function startWatch(): Record<string, string> {
	// A process id alone is used again.
	const run = `${process.pid}-${crypto.randomUUID()}`;
	if (process.platform === "linux") {
		// Bun ends its child, the shell, with this process, and closes the pipe as soon as the shell has ended: so the shell
		// waits, and its own child is the watch.
		const shell = Bun.spawn(["sh", "-c", watch, "sh", `${variable}=${run}`], { stdin: "pipe", env: {} });
		shell.unref();
	}
	return { [variable]: run };
}
