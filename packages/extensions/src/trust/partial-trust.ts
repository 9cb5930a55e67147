/** Extends an answer about a project to a copy of it, or to servers that have changed, and to nothing else. */
import { realpathSync } from "node:fs";

import { codeChanges, projectCode, serversEntry } from "./project-code.ts";
import { setTrusted, trustedCode } from "./trust.ts";

/**
 * Trusts a copy of a trusted project, unless it has code that the project does not have: a command can commit to a branch
 * what it may not write.
 */
export function trustCopy(project: string, copy: string, agentDir: string): void {
	const changes = codeChanges(projectCode(realpathSync(project)), projectCode(realpathSync(copy)));
	if (changes.every(({ kind }) => kind === "removed")) setTrusted(copy, agentDir, true);
}

/** Keeps the answer about the MCP servers in a file of a trusted project, unless something else has changed, too. */
export function trustServers(cwd: string, agentDir: string, file: string): void {
	const before = trustedCode(cwd, agentDir);
	const entry = serversEntry(cwd, file);
	if (before && codeChanges(before, projectCode(realpathSync(cwd))).every(({ path }) => path === entry))
		setTrusted(cwd, agentDir, true);
}
