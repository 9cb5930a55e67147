/** The registry with everything that Tau knows to look for. */
import { eachCapability } from "./capabilities.ts";
import { registerContextFiles } from "./context-files.ts";
import { registerSource } from "./providers.ts";
import { DiscoveryRegistry } from "./registry.ts";
import { sources } from "./sources/index.ts";

/** Room between two sources for whatever is registered later. */
const step = 10;

export function standardRegistry(): DiscoveryRegistry {
	const registry = new DiscoveryRegistry();
	eachCapability((capability) => registry.define(capability));
	for (const [at, source] of sources.entries())
		registerSource(registry, source, (sources.length - at) * step);
	registerContextFiles(registry);
	return registry;
}
