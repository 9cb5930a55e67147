/** Packages for a single run, as `-e npm:name` requests: they are cached, and updated at each start. */
import { join } from "node:path";

import { dirs, envFlag, log, type Env } from "@tau/utils";

import { installPackages, updatePackages, type ChangeOptions } from "./change.ts";
import type { Contents } from "./contents.ts";
import { openPackage } from "./installed-package.ts";
import { rootOf, type PackageHome } from "./homes.ts";
import { PackageError, type Outcome } from "./problem.ts";
import { readSource, sourceText } from "./source.ts";
import { readState, type PackageEntry } from "./state.ts";

export interface TemporaryPackage {
	cwd: string;
	env: Env;
	onNotice(message: string): void;
}

/** The files of its extensions. Throws the reason if there are none. */
export async function temporaryExtensions(text: string, options: TemporaryPackage): Promise<string[]> {
	const fetched = await fetchTemporary(text, options);
	const contents = temporaryContents(text, options);
	if (!contents) throw new PackageError(fetched.ok ? `${text} is not available.` : fetched.reason);
	// What was fetched before is better than nothing, as on a train.
	if (!fetched.ok) log.info("cannot update a package", { source: text, reason: fetched.reason });
	return contents.resources.extensions.map(({ path }) => path);
}

async function fetchTemporary(
	text: string,
	{ cwd, env, onNotice }: TemporaryPackage,
): Promise<Outcome<unknown>> {
	const read = readSource(text, { cwd, home: dirs(env).home });
	if (!read.ok) return read;
	const home = homeOf(env);
	const options: ChangeOptions = {
		home,
		env,
		onWait: (who) => onNotice(`Waiting for ${who}, which is installing packages.`),
	};
	const name = entryOf(home, sourceText(read.source))?.[0];
	if (envFlag("TAU_OFFLINE", env))
		return {
			ok: false,
			reason: `${text} is not downloaded yet, and --offline prevents downloading it.`,
		};
	return name === undefined
		? installPackages([read], { ...options, isForced: true })
		: updatePackages([name], options);
}

/** The cached contents of a package; undefined if it was never fetched. Throws its problems. */
export function temporaryContents(
	text: string,
	{ cwd, env }: Omit<TemporaryPackage, "onNotice">,
): Contents | undefined {
	const read = readSource(text, { cwd, home: dirs(env).home });
	const home = homeOf(env);
	const found = read.ok ? entryOf(home, sourceText(read.source)) : undefined;
	if (!found) return undefined;
	const [name, entry] = found;
	const { contents, problem } = openPackage({
		name,
		version: entry.version,
		source: entry.source,
		from: "packages",
		scope: "user",
		root: rootOf(home, entry),
		features: entry.enabledFeatures,
		filters: [],
	});
	if (problem !== undefined) throw new PackageError(problem);
	return contents;
}

function homeOf(env: Env): PackageHome {
	return { scope: "user", directory: join(dirs(env).cache, "packages-once") };
}

function entryOf({ directory }: PackageHome, source: string): [string, PackageEntry] | undefined {
	const read = readState(directory);
	return read.ok ? [...read.state.plugins].find(([, entry]) => entry.source === source) : undefined;
}
