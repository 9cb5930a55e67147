/** The plugins that oh-my-pi has installed: read in place, never changed. */
import { join } from "node:path";

import { isRecord } from "@tau/utils";

import type { InstalledPackage } from "./installed-package.ts";
import { limits } from "./limits.ts";
import type { Overrides } from "./overrides.ts";
import { readJson, tableIn, textIn, textsIn } from "./record.ts";
import { nameProblem } from "./source.ts";

export function ompPlugins(home: string, overrides: Overrides): InstalledPackage[] {
	const base = join(home, ".omp/plugins");
	const manifest = readJson(join(base, "package.json"));
	if (!manifest.ok) return [];
	const lock = readJson(join(base, "omp-plugins.lock.json"));
	const states = lock.ok ? tableIn(lock.value, "plugins") : {};
	// Linked plugins are listed in the lock file only.
	const names = new Set([...Object.keys(tableIn(manifest.value, "dependencies")), ...Object.keys(states)]);
	return [...names]
		.filter((name) => nameProblem(name) === undefined)
		.slice(0, limits.packages)
		.flatMap((name) => {
			const root = join(base, "node_modules", name);
			const own = readJson(join(root, "package.json"));
			if (!own.ok || !(isRecord(own.value.omp) || isRecord(own.value.pi))) return [];
			const state = tableIn(states, name);
			const off = state.enabled === false ? "disabled in omp" : undefined;
			return [
				{
					name,
					version: textIn(own.value, "version") ?? "0.0.0",
					source: `omp:${name}`,
					from: "omp",
					scope: "user",
					root,
					...(off === undefined ? {} : { off }),
					features: overrides.features.get(name) ?? textsIn(state, "enabledFeatures") ?? null,
					filters: [],
				} satisfies InstalledPackage,
			];
		});
}
