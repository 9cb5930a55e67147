/** Finds the files that may be sessions of other programs. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { env, type Env } from "@tau/utils";

import type { Program } from "./detect.ts";
import { limits } from "./limits.ts";

export interface Sources {
	files: string[];
	/** Files of subagents, which are parts of a session and none of their own. */
	passedOver: number;
}

/** A named file is accepted whatever its name. Throws the error of the file system. */
export function findSources(paths: readonly string[]): Sources {
	const sources: Sources = { files: [], passedOver: 0 };
	for (const path of paths) {
		if (statSync(path).isDirectory()) look(path, sources, 0);
		else sources.files.push(path);
	}
	return sources;
}

/** Where a program keeps its sessions. */
export function sourceDirectory(program: Program, home: string, from: Env = process.env): string {
	if (program === "claude") return join(env("CLAUDE_CONFIG_DIR", from) ?? join(home, ".claude"), "projects");
	return join(env("CODEX_HOME", from) ?? join(home, ".codex"), "sessions");
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
			if (entry.name === "subagents") sources.passedOver += countLogs(path);
			else if (entry.name !== "tool-results") look(path, sources, depth + 1);
		} else if (!entry.name.endsWith(".jsonl")) continue;
		else if (entry.name.startsWith("agent-")) sources.passedOver++;
		else sources.files.push(path);
	}
}

function countLogs(directory: string): number {
	return readdirSync(directory).filter((name) => name.endsWith(".jsonl")).length;
}
