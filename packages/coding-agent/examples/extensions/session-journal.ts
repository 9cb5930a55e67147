/** Records when sessions start, change and end, one line each, in .tau/journal.log. */
import { appendFileSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import type { ExtensionAPI, ExtensionContext } from "@tau/coding-agent";

export default function sessionJournal(pi: ExtensionAPI) {
	const write = (line: string, { cwd, sessionManager }: ExtensionContext): void => {
		const file = join(cwd, ".tau/journal.log");
		mkdirSync(dirname(file), { recursive: true });
		appendFileSync(file, `${new Date().toISOString()} ${sessionManager.getSessionId()} ${line}\n`);
	};
	const from = (path: string | undefined): string => (path === undefined ? "" : ` from ${basename(path)}`);

	pi.on("session_start", ({ reason }, ctx) => write(`start ${reason}`, ctx));
	pi.on("session_switch", ({ previousSessionFile }, ctx) => write(`switch${from(previousSessionFile)}`, ctx));
	pi.on("session_fork", ({ previousSessionFile }, ctx) => write(`fork${from(previousSessionFile)}`, ctx));
	// omp's name for the same.
	pi.on("session_branch", (_event, ctx) => write("branch", ctx));
	pi.on("session_shutdown", ({ reason }, ctx) => write(`end ${reason}`, ctx));
}
