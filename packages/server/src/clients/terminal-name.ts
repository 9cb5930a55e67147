/** What others read of the terminal that a client is in. */
import { readlinkSync } from "node:fs";

/** `terminal pts/3`; `tau 1234` for a process without a terminal. */
export function terminalName(): string {
	for (const fd of [0, 1, 2]) {
		try {
			const [, name] = /^\/dev\/((?:pts\/|tty|console).*)$/.exec(readlinkSync(`/proc/self/fd/${fd}`)) ?? [];
			if (name !== undefined) return `terminal ${name}`;
		} catch {
			// A system without /proc, or a stream that is closed.
		}
	}
	return `tau ${process.pid}`;
}
