/** Finds the files that may be sessions of other programs. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";

import { env, type Env } from "@tau/utils";

import type { Program } from "./detect.ts";
import { limits } from "./limits.ts";
import { databaseName, sessionsIn } from "./opencode.ts";

export interface Sources {
	files: string[];
	/** Sessions of subagents, which are parts of a session and none of their own. */
	passedOver: number;
}

/** A named file is accepted whatever its name; of a database, all sessions. Throws the error of the file system. */
export function findSources(paths: readonly string[]): Sources {
	const sources: Sources = { files: [], passedOver: 0 };
	for (const path of paths) {
		if (statSync(path).isDirectory()) look(path, sources, 0);
		else if (basename(path) === databaseName) addDatabase(path, sources);
		else sources.files.push(path);
	}
	return sources;
}

/** Where a program keeps its sessions: a directory, or a database. */
export function sourceDirectory(program: Program, home: string, from: Env = process.env): string {
	switch (program) {
		case "claude":
			return join(env("CLAUDE_CONFIG_DIR", from) ?? join(home, ".claude"), "projects");
		case "codex":
			return join(env("CODEX_HOME", from) ?? join(home, ".codex"), "sessions");
		case "gemini":
			return join(env("GEMINI_CLI_HOME", from) ?? home, ".gemini/tmp");
		case "opencode": {
			const data = join(env("XDG_DATA_HOME", from) ?? join(home, ".local/share"), "opencode");
			const database = join(data, databaseName);
			return existsSync(database) ? database : join(data, "storage/session");
		}
	}
}

function addDatabase(path: string, sources: Sources): void {
	try {
		const { sessions, agents } = sessionsIn(path);
		sources.files.push(...sessions);
		sources.passedOver += agents;
	} catch (error) {
		throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
			cause: error,
		});
	}
}

/** In the order of their names, which for Codex is that of their days. Links to directories may lead anywhere. */
function look(directory: string, sources: Sources, depth: number): void {
	if (depth > limits.directoryDepth) return;
	const entries = readdirSync(directory, { withFileTypes: true }).toSorted((a, b) =>
		a.name < b.name ? -1 : 1,
	);
	for (const entry of entries) {
		const path = join(directory, entry.name);
		if (entry.isDirectory()) {
			// Gemini CLI has the chats of agents in directories below those of the project.
			if (entry.name === "subagents" || basename(directory) === "chats")
				sources.passedOver += countLogs(path);
			else if (entry.name !== "tool-results") look(path, sources, depth + 1);
		} else if (entry.name === databaseName) addDatabase(path, sources);
		else if (!isLog(entry.name)) continue;
		else if (entry.name.startsWith("agent-")) sources.passedOver++;
		else sources.files.push(path);
	}
}

/** JSON lines; and what Gemini CLI (`session-…`) and opencode (`ses_…`) store as one object. */
function isLog(name: string): boolean {
	return name.endsWith(".jsonl") || /^(?:session-|ses_).*\.json$/.test(name);
}

function countLogs(directory: string): number {
	return readdirSync(directory).filter(isLog).length;
}
