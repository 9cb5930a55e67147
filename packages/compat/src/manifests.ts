/** Answers who looks for the `package.json` of pi's and omp's packages with a small real one, for its version and its place. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { PluginBuilder } from "bun";
import { version, dirs, shortId } from "@tau/utils";

import { packageNames } from "./exports/states.ts";

/** Bun asks plugins only about names that look like files: those of the packages themselves it does not ask about. */
export function serveManifests(build: PluginBuilder, scopes: readonly string[]): void {
	const names = packageNames.map(RegExp.escape).join("|");
	const filter = new RegExp(`^(?:${scopes.map(RegExp.escape).join("|")})/(?:${names})/package\\.json$`);
	build.onResolve({ filter }, ({ path }) => ({ path: manifestFile(path.slice(0, -"/package.json".length)) }));
}

/** Written when somebody asks, one for each version of Tau. */
function manifestFile(name: string): string {
	const directory = join(dirs().cache, "stand-ins", version, name);
	const file = join(directory, "package.json");
	if (existsSync(file)) return file;
	mkdirSync(directory, { recursive: true });
	const draft = `${file}.${shortId()}`;
	const description = "Tau provides this package: imports resolve to the running program.";
	writeFileSync(draft, `${JSON.stringify({ name, version, description, private: true }, null, "\t")}\n`);
	renameSync(draft, file);
	return file;
}
