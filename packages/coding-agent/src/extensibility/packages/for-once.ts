/** Packages for a single run, as `-e npm:name` asks for: kept in the cache, and brought up to date at each start. */
import { join } from "node:path";

import { dirs, log, type Env } from "@tau/utils";

import { installPackages, updatePackages, type ChangeOptions } from "./change.ts";
import { openPackage } from "./found-package.ts";
import { rootOf, type PackageHome } from "./homes.ts";
import { PackageError } from "./problem.ts";
import { readSource, sourceText } from "./source.ts";
import { readState, type PackageEntry } from "./state.ts";

export interface ForOnce {
	cwd: string;
	env: Env;
	onNotice(message: string): void;
}

/** The files of its extensions. Throws why there are none. */
export async function extensionsForOnce(text: string, { cwd, env, onNotice }: ForOnce): Promise<string[]> {
	const { home: person, cache } = dirs(env);
	const read = readSource(text, { cwd, home: person });
	if (!read.ok) throw new PackageError(read.reason);
	const home: PackageHome = { scope: "user", directory: join(cache, "packages-once") };
	const options: ChangeOptions = {
		home,
		env,
		onWait: (who) => onNotice(`${who} is installing packages; waiting.`),
	};
	const written = sourceText(read.source);
	const name = entryOf(home, written)?.[0];
	const done =
		name === undefined
			? await installPackages([read], { ...options, isForced: true })
			: await updatePackages([name], options);
	const found = entryOf(home, written);
	if (!found) throw new PackageError(done.ok ? `${text} cannot be had.` : done.reason);
	// What was fetched before is better than nothing, as on a train.
	if (!done.ok) log.info("a package could not be brought up to date", { source: text, reason: done.reason });
	const [id, { version, source, enabledFeatures: features, ...entry }] = found;
	const { contents, problem } = openPackage({
		name: id,
		version,
		source,
		from: "packages",
		scope: "user",
		root: rootOf(home, { version, source, enabledFeatures: features, ...entry }),
		features,
		filters: [],
	});
	if (problem !== undefined) throw new PackageError(problem);
	return contents.resources.extensions.map(({ path }) => path);
}

function entryOf({ directory }: PackageHome, source: string): [string, PackageEntry] | undefined {
	const read = readState(directory);
	return read.ok ? [...read.state.plugins].find(([, entry]) => entry.source === source) : undefined;
}
