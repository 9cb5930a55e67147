/** The registry with everything that Tau knows to look for. */
import { basename } from "node:path";

import { once } from "@tau/utils";

import { eachCapability, contextFiles } from "./capabilities.ts";
import { registerPackages } from "./packages.ts";
import { registerSource } from "./providers.ts";
import { DiscoveryRegistry } from "@tau/resources/discovery";
import { sources } from "@tau/resources/sources";
import { contextFileCandidates } from "@tau/resources/context-files";

/** Space between two sources for later registrations. */
const step = 10;

/** To be extended by its caller. A start asks five times, and the table behind it is always the same. */
export function standardRegistry(): DiscoveryRegistry {
	return standard().copy();
}

const standard = once((): DiscoveryRegistry => {
	const registry = new DiscoveryRegistry();
	eachCapability((capability) => registry.define(capability));
	for (const [at, source] of sources.entries())
		registerSource(registry, source, (sources.length - at) * step);
	const rankOf = (id: string): number =>
		(sources.length - sources.findIndex((source) => source.id === id)) * step;
	// Installed packages rank directly after the user's own files for the same program.
	registerPackages(registry, "packages", rankOf("tau") - step / 2);
	for (const program of ["omp", "pi", "claude"] as const)
		registerPackages(registry, program, rankOf(program) - step / 2);
	registerContextFiles(registry);
	return registry;
});

/** Registers AGENTS.md and the like; the session reads them by the same table. */
function registerContextFiles(registry: DiscoveryRegistry): void {
	registry.register(contextFiles, {
		source: "context files",
		priority: 0,
		load: async ({ cwd, agentDir, home }) => ({
			items: contextFileCandidates({ cwd, agentDir, home }).map(({ path, level, source, slot }) => ({
				name: basename(path),
				path,
				slot,
				origin: { source, level, path },
			})),
			warnings: [],
		}),
	});
}
