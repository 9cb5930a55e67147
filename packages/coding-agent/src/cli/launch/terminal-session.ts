/** Remembers which session each terminal used last, so that `-c` resumes that one in each of several terminals. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { dirs, privateDirectory } from "@tau/utils";

import { limits } from "../limits.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that identify a pane, tab or window for as long as it exists. */
const identifiers = ["TMUX_PANE", "CMUX_SURFACE_ID", "KITTY_WINDOW_ID", "TERM_SESSION_ID", "WT_SESSION"];

/** Stores the session of this terminal and directory. A terminal that cannot be identified has none. */
export function rememberSession(cwd: string, session: string | undefined, env: Env = process.env): void {
	const file = recordOf(cwd, env);
	if (file === undefined || session === undefined) return;
	try {
		writeFileSync(join(privateDirectory(directory()), file), session, { mode: 0o600 });
		removeOld();
	} catch {
		// A full disk or a missing permission: `-c` then resumes the latest session of the directory.
	}
}

/** The session that this terminal used last in this directory, if it still exists. */
export function rememberedSession(cwd: string, env: Env = process.env): string | undefined {
	const file = recordOf(cwd, env);
	if (file === undefined) return undefined;
	try {
		const session = readFileSync(join(directory(), file), "utf8");
		return existsSync(session) ? session : undefined;
	} catch {
		return undefined;
	}
}

function directory(): string {
	return join(dirs().state, "terminals");
}

function recordOf(cwd: string, env: Env): string | undefined {
	const name = identifiers.find((each) => env[each]);
	if (name === undefined) return undefined;
	// A pane number alone is not unique over several tmux servers.
	const key = [name, env[name], name === "TMUX_PANE" ? env.TMUX : "", cwd].join("\0");
	return new Bun.CryptoHasher("sha256").update(key).digest("hex").slice(0, 32);
}

function removeOld(): void {
	const oldest = Date.now() - limits.terminalDays * 24 * 60 * 60 * 1000;
	for (const name of readdirSync(directory())) {
		const file = join(directory(), name);
		if (statSync(file).mtimeMs < oldest) rmSync(file);
	}
}
