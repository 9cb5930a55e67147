/** `tau sessions doctor`: reads every session completely and reports its problems. It changes nothing. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { dirs, shortenHome } from "@tau/utils";
import { SessionManager } from "@tau/log";

import { jsonLine } from "./output.ts";
import { formatProblem } from "./problems.ts";

export function checkSessions(
	directory: string | undefined,
	isJson: boolean,
): { text: string; isHealthy: boolean } {
	const files = filesBelow(directory ?? dirs().sessions);
	const ill = files
		.map((file) => ({ file, problems: problemsOf(file) }))
		.filter(({ problems }) => problems.length > 0);
	const isHealthy = ill.length === 0;
	if (isJson) return { text: ill.map(jsonLine).join(""), isHealthy };
	const lines = ill.flatMap(({ file, problems }) => [
		shortenHome(file),
		...problems.map((problem) => `  ${problem}`),
	]);
	const repair = isHealthy ? "" : " Repairable problems are fixed when the session is resumed.";
	lines.push(
		`${files.length} ${files.length === 1 ? "session" : "sessions"} checked, ${ill.length} with problems.${repair}`,
	);
	return { text: lines.map((line) => `${line}\n`).join(""), isHealthy };
}

/** Does not use the session list, which skips sessions that cannot be read. */
function filesBelow(directory: string): string[] {
	try {
		return readdirSync(directory, { withFileTypes: true })
			.flatMap((entry) => {
				const path = join(directory, entry.name);
				if (entry.isDirectory()) return filesIn(path);
				return entry.name.endsWith(".jsonl") ? [path] : [];
			})
			.toSorted();
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
		throw error;
	}
}

function filesIn(directory: string): string[] {
	return readdirSync(directory)
		.filter((name) => name.endsWith(".jsonl"))
		.map((name) => join(directory, name));
}

function problemsOf(file: string): string[] {
	const outcome = SessionManager.tryOpen(file, { access: "read" });
	if (!outcome.ok) return [outcome.reason === "unreadable" ? outcome.message : outcome.reason];
	using session = outcome.session;
	// Damage in a body is detected when the body is read.
	for (const { id } of session.getHeads()) session.getEntry(id);
	return session.getProblems().map(formatProblem);
}
