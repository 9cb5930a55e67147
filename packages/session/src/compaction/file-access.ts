/** Determines which files a call reads or changes, from the accesses that its tool declares. */
import { isAbsolute, relative } from "node:path";

import { log } from "@tau/utils";
import type { AgentTool, FileAccess, FileOperations, Touch } from "@tau/agent";

type Access = ReturnType<FileAccess>[number];

export interface FileAccessParts {
	/** Finds the tool of a call, even if it is hidden now. The files of a call whose tool is gone are unknown. */
	findTool(name: string): Pick<AgentTool, "touches"> | undefined;
	/** Paths of files in this directory are relative to it. */
	cwd: string;
}

export function fileAccess({ findTool, cwd }: FileAccessParts): FileAccess {
	return ({ name, arguments: args }) => {
		const byPath = new Map<string, Set<Touch["kind"]>>();
		for (const touch of touchesOf(findTool(name), args)) {
			// A search over a whole tree does not count as reading its files.
			if (!("path" in touch) || touch.tree) continue;
			const path = shownPath(touch.path, cwd);
			byPath.set(path, (byPath.get(path) ?? new Set()).add(touch.kind));
		}
		return [...byPath].map(([path, kinds]): Access => ({ kind: kindOf(kinds), path }));
	};
}

/** An extension's tool may fail to declare its files; the summary is made anyway. */
function touchesOf(
	tool: Pick<AgentTool, "touches"> | undefined,
	args: Readonly<Record<string, unknown>>,
): readonly Touch[] {
	try {
		return tool?.touches?.(args) ?? [];
	} catch (error) {
		log.warn("touches of a tool failed", { reason: String(error) });
		return [];
	}
}

function kindOf(kinds: ReadonlySet<Touch["kind"]>): keyof FileOperations {
	if (kinds.has("delete") || (kinds.has("read") && kinds.has("write"))) return "edited";
	return kinds.has("write") ? "written" : "read";
}

function shownPath(path: string, cwd: string): string {
	if (!isAbsolute(path)) return path;
	const from = relative(cwd, path);
	return from === "" || from === ".." || from.startsWith("../") || isAbsolute(from) ? path : from;
}
