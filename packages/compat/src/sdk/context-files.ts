/** AGENTS.md and the like, read synchronously. */
import { contextFileCandidates } from "@tau/resources/context-files";
import { readText } from "@tau/config/settings";

import { dirs } from "@tau/utils";
import { ownAgentDir } from "../support/directories.ts";

export function loadProjectContextFiles({
	cwd = process.cwd(),
	agentDir,
}: { cwd?: string; agentDir?: string } = {}): { path: string; content: string }[] {
	const taken = new Set<string>();
	return contextFileCandidates({ cwd, agentDir: ownAgentDir(agentDir), home: dirs().home }).flatMap(
		({ path, slot }) => {
			const read = taken.has(slot) ? undefined : readText(path);
			if (!read?.ok || read.text.trim() === "") return [];
			taken.add(slot);
			return [{ path, content: read.text }];
		},
	);
}
