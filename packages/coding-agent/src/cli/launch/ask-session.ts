/** Asks the user which session to resume. */
import { SessionManager, type SessionInfo } from "@tau/log";

import { NothingChosen, UsageError } from "@tau/utils";
import { limits } from "../limits.ts";
import { LineInput } from "../commands/auth/login-input.ts";

/** The file of the one that was chosen. */
export async function askSession(cwd: string, directory: string | undefined): Promise<string> {
	if (!process.stdin.isTTY || !process.stderr.isTTY) {
		throw new UsageError("--resume needs a terminal. Use --session <id> or -c.");
	}
	const sessions = await newestFirst(cwd, directory);
	const [first] = sessions;
	if (!first)
		throw new UsageError(
			"No sessions in this directory yet. Run tau sessions list --all to list all directories.",
		);
	process.stderr.write(await numbered(sessions));
	const gone = new AbortController();
	using input = new LineInput(() => gone.abort());
	for (;;) {
		process.stderr.write(`Which session? [1] `);
		const line = (await input.line(gone.signal))?.trim();
		if (line === undefined) throw new NothingChosen("No session selected.");
		const chosen = line === "" ? first : (sessions[Number(line) - 1] ?? byId(sessions, line));
		if (chosen) return chosen.path;
		process.stderr.write(
			`No session matches "${line}". Enter a number from 1 to ${sessions.length}, or an id prefix.\n`,
		);
	}
}

async function newestFirst(cwd: string, directory: string | undefined): Promise<SessionInfo[]> {
	const sessions = await SessionManager.list(cwd, directory);
	return sessions
		.toSorted((a, b) => b.modified.getTime() - a.modified.getTime())
		.slice(0, limits.askedSessions);
}

async function numbered(sessions: readonly SessionInfo[]): Promise<string> {
	const [{ sessionTable }, { lineWidth }] = await Promise.all([
		import("../commands/sessions/list.ts"),
		import("../commands/sessions/output.ts"),
	]);
	const width = String(sessions.length).length;
	const [head = "", ...rows] = sessionTable(sessions, lineWidth() - width - 2, Date.now())
		.trimEnd()
		.split("\n");
	const pad = " ".repeat(width + 2);
	return (
		[pad + head, ...rows.map((row, at) => `${String(at + 1).padStart(width)}  ${row}`)].join("\n") + "\n"
	);
}

function byId(sessions: readonly SessionInfo[], start: string): SessionInfo | undefined {
	const fitting = sessions.filter(({ id }) => id.startsWith(start));
	return fitting.length === 1 ? fitting[0] : undefined;
}
