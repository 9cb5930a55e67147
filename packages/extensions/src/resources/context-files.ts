/** Tells the registry of AGENTS.md and the like; the session reads them by the same table. */
import { basename } from "node:path";

import { contextFileCandidates } from "../context-files/index.ts";
import { contextFiles } from "./capabilities.ts";
import type { DiscoveryRegistry } from "../discovery/registry.ts";

export function registerContextFiles(registry: DiscoveryRegistry): void {
	registry.register(contextFiles, {
		source: "context files",
		priority: 0,
		load: async (paths) => ({
			items: contextFileCandidates(paths).map(({ path, level, source, slot }) => ({
				name: basename(path),
				path,
				slot,
				origin: { source, level, path },
			})),
			warnings: [],
		}),
	});
}
