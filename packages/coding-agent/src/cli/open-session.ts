/** Opens the session that the command line asks for: a new one, the last one, a chosen or a named one, or a fork of one. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { expandHome } from "@tau/utils";

import { SessionManager } from "../session/index.ts";
import { UsageError, type Args } from "./args.ts";
import { askSession } from "./ask-session.ts";

/** Undefined when nothing is to be kept. `directory` is where sessions lie when it is not the usual place. */
export async function openSession(
	args: Pick<Args, "flags">,
	cwd: string,
	directory: string | undefined,
): Promise<SessionManager | undefined> {
	const place = directory === undefined ? undefined : resolve(cwd, expandHome(directory));
	const asked = (["continue", "resume", "session", "fork"] as const).filter((name) => args.flags.has(name));
	if (asked.length > 1) throw new UsageError(`--${asked[0]} and --${asked[1]} exclude each other.`);
	const [way] = asked;
	if (args.flags.has("no-session")) {
		if (way) throw new UsageError(`--${way} needs a session on disk, which --no-session rules out.`);
		return undefined;
	}
	if (!way) return SessionManager.create(cwd, place);
	const name = args.flags.get(way) ?? "";
	try {
		if (way === "continue") return SessionManager.continueRecent(cwd, place);
		const path = way === "resume" ? await askSession(cwd, place) : await findSession(name, cwd, place);
		if (way !== "fork") return SessionManager.open(path, place);
		return SessionManager.forkFrom(path, cwd, place);
	} catch (error) {
		if (error instanceof UsageError) throw error;
		// A session that another process has, or that cannot be read, is the person's to decide about.
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

/** A path, or the beginning of an id: of this directory's sessions first, then of all. */
export async function findSession(name: string, cwd: string, place: string | undefined): Promise<string> {
	const path = resolve(cwd, expandHome(name));
	if (existsSync(path)) return path;
	for (const list of [() => SessionManager.list(cwd, place), () => SessionManager.listAll()]) {
		const found = (await list()).filter(({ id }) => id.startsWith(name));
		const [only, other] = found;
		if (other) throw new Error(`"${name}" fits ${found.length} sessions: give more of the id.`);
		if (only) return only.path;
	}
	throw new Error(`There is no session "${name}": give a file, or the beginning of an id.`);
}
