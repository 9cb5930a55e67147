/** The name of this terminal, by which other clients of a session know it. */
import { readlinkSync } from "node:fs";

export function terminalName(): string {
	try {
		const path = readlinkSync("/proc/self/fd/0");
		return path.startsWith("/dev/") ? `terminal ${path.slice("/dev/".length)}` : "terminal";
	} catch {
		// Other systems have no such link; a name is only for people.
		return "terminal";
	}
}
