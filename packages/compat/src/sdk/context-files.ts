/** AGENTS.md and its like, read at once, for those who cannot wait. */
import { contextFileCandidates } from "@tau/extensions/context-files";
import { readText } from "@tau/session/settings";

import { dirs } from "@tau/utils";

export function loadProjectContextFiles({
	cwd = process.cwd(),
	agentDir = dirs().agent,
}: { cwd?: string; agentDir?: string } = {}): { path: string; content: string }[] {
	const taken = new Set<string>();
	return contextFileCandidates({ cwd, agentDir, home: dirs().home }).flatMap(({ path, slot }) => {
		const read = taken.has(slot) ? undefined : readText(path);
		if (!read?.ok || read.text.trim() === "") return [];
		taken.add(slot);
		return [{ path, content: read.text }];
	});
}
