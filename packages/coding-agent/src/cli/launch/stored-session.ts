/** Opens the session that the command line asks for: a new one, the last one, a chosen or a named one, or a fork of one. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { expandHome, NothingChosen, UsageError } from "@tau/utils";
import { claimSessionId, formatOwner, SessionLockedError, SessionManager } from "@tau/log";

import type { Args } from "../args.ts";
import { askSession } from "./ask-session.ts";
import { limits } from "../limits.ts";
import { rememberedSession } from "./terminal-session.ts";

const ways = ["continue", "resume", "session", "fork"] as const;
type Way = (typeof ways)[number];

interface SessionRequest {
	way: Way | undefined;
	/** What the way is followed by. */
	named: string;
	/** Exactly this id, for a new session too. */
	id: string | undefined;
	cwd: string;
	/** The session directory when it is not the default one. */
	directory: string | undefined;
	choose: ChooseSession | undefined;
}

/** Shows the sessions to the user; undefined when none was chosen. `directory` overrides the default one. */
export type ChooseSession = (directory: string | undefined) => Promise<SessionManager | undefined>;

/** Returns undefined when the run does not persist a session. `directory` overrides the default directory. */
export async function openStoredSession(
	{ flags }: Pick<Args, "flags">,
	cwd: string,
	directory: string | undefined,
	/** How `--resume` asks; by default it prints a list and reads a number. */
	choose?: ChooseSession,
): Promise<SessionManager | undefined> {
	const sessionDir = directory === undefined ? undefined : resolve(cwd, expandHome(directory));
	const way = wayOf({ flags });
	if (flags.has("no-session")) return undefined;
	const id = flags.get("session-id");
	if (id !== undefined) rejectOddId(id);
	try {
		const session = await openOne({
			way,
			named: flags.get(way ?? "fork") ?? "",
			id,
			cwd,
			directory: sessionDir,
			choose,
		});
		const name = flags.get("name")?.trim();
		if (name !== undefined && name !== session.getSessionName()) session.appendSessionInfo(name);
		return session;
	} catch (error) {
		if (error instanceof UsageError) throw error;
		// The user decides about a session that another process holds, or that cannot be read.
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

function wayOf({ flags }: Pick<Args, "flags">): Way | undefined {
	const requested = ways.filter((name) => flags.has(name));
	if (requested.length > 1)
		throw new UsageError(`--${requested[0]} and --${requested[1]} cannot be combined.`);
	const [way] = requested;
	if (way && way !== "fork" && flags.has("session-id"))
		throw new UsageError(`--${way} and --session-id cannot be combined.`);
	const conflicting = way ?? (["session-id", "name"] as const).find((name) => flags.has(name));
	if (conflicting && flags.has("no-session"))
		throw new UsageError(`--${conflicting} needs a saved session and cannot be combined with --no-session.`);
	return way;
}

async function openOne({ way, named, id, cwd, directory, choose }: SessionRequest): Promise<SessionManager> {
	if (way === "continue") {
		const remembered = directory === undefined ? rememberedSession(cwd) : undefined;
		if (remembered !== undefined) return SessionManager.open(remembered);
		return SessionManager.continueRecent(cwd, directory);
	}
	if (way === "resume" && named !== "")
		return SessionManager.open(await findSession(named, cwd, directory), directory);
	if (way === "resume" && choose) {
		const chosen = await choose(directory);
		if (!chosen) throw new NothingChosen("No session selected.");
		return chosen;
	}
	if (way === "resume") return SessionManager.open(await askSession(cwd, directory), directory);
	if (way === "session") return openNamed(named, cwd, directory);
	const source = way === "fork" ? await findSession(named, cwd, directory) : undefined;
	if (id !== undefined) return await openWithId(id, source, cwd, directory);
	return source === undefined
		? SessionManager.create(cwd, directory)
		: SessionManager.forkFrom(source, cwd, directory);
}

/** Of several processes that start the same id at once, one creates the session; the others are rejected. */
async function openWithId(
	id: string,
	source: string | undefined,
	cwd: string,
	directory: string | undefined,
): Promise<SessionManager> {
	try {
		using claims = new DisposableStack();
		claims.use(claimSessionId(id, cwd, directory));
		const sessions = await SessionManager.list(cwd, directory);
		const known = sessions.find((session) => session.id === id)?.path;
		if (known !== undefined && source !== undefined)
			throw new Error(`Session ${id} already exists. Remove --fork to resume it.`);
		if (known !== undefined) return SessionManager.open(known, directory);
		if (source !== undefined) return SessionManager.forkFrom(source, cwd, directory, { id });
		return SessionManager.create(cwd, directory, { id, claim: claims.move() });
	} catch (error) {
		if (!(error instanceof SessionLockedError)) throw error;
		throw new UsageError(
			`Session ${id} is in use by ${formatOwner(error.locked.owner)}. Wait until it ends, choose another --session-id, or continue in a copy: --fork ${id} --session-id ${id}-2`,
		);
	}
}

/** A file that does not exist yet becomes a new session, as in pi: programs start their children that way. */
async function openNamed(name: string, cwd: string, directory: string | undefined): Promise<SessionManager> {
	const path = resolve(cwd, expandHome(name));
	const isNewFile = /[/\\]|\.jsonl$/.test(name) && !existsSync(path);
	return isNewFile
		? SessionManager.open(path, directory, cwd)
		: SessionManager.open(await findSession(name, cwd, directory), directory);
}

/** Rejects an id that could not be part of a file name. */
function rejectOddId(id: string): void {
	if (id.length <= limits.sessionIdChars && /^[a-z\d](?:[\w.-]*[a-z\d])?$/i.test(id)) return;
	throw new UsageError(
		`--session-id cannot be "${id}": use at most ${limits.sessionIdChars} letters, digits, ".", "_" and "-", starting and ending with a letter or digit.`,
	);
}

/** For a screen that is not drawn yet: rejects a `--session`, `--resume` or `--fork` that names no session. */
export async function rejectMissingSession(
	{ flags }: Pick<Args, "flags">,
	cwd: string,
	directory: string | undefined,
): Promise<void> {
	const named = flags.get("session");
	const existing = flags.get("fork") ?? (flags.get("resume") || undefined);
	const name = existing ?? (named === undefined || /[/\\]|\.jsonl$/.test(named) ? undefined : named);
	if (name === undefined) return;
	const sessionDir = directory === undefined ? undefined : resolve(cwd, expandHome(directory));
	await findSession(name, cwd, sessionDir).catch((error: unknown) => {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	});
}

/** A path, or the beginning of an id: of this directory's sessions first, then of all. */
export async function findSession(name: string, cwd: string, directory: string | undefined): Promise<string> {
	const path = resolve(cwd, expandHome(name));
	if (existsSync(path)) return path;
	for (const list of [() => SessionManager.list(cwd, directory), () => SessionManager.listAll()]) {
		const matches = (await list()).filter(({ id }) => id.startsWith(name));
		const [only, other] = matches;
		if (other) throw new Error(`"${name}" matches ${matches.length} sessions. Give more of the id.`);
		if (only) return only.path;
	}
	throw new Error(`Session "${name}" not found. Give a file path or an id prefix.`);
}
