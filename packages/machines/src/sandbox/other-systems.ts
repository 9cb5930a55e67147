/** Repositories of other version control systems than git: what their settings may say that a command has written. */
import { basename, dirname, join } from "node:path";

import { readWritten } from "@tau/sys";

import type { Denial } from "./denial.ts";
import { linkTarget, removed, setAside } from "./disarm.ts";
import { repositorySettings } from "./runs-later.ts";

/** Where Mercurial and others keep a repository, beside its files. */
export const otherSystems: readonly string[] = [".hg", ".sl", ".jj", ".pijul", "_darcs"];

/** Settings that say where the others are name no program. `leadsAway`: to a repository that is not looked at. */
export function disarmedOther(
	path: string,
	leadsAway: (value: string, directory: string) => boolean,
): Denial[] {
	if (linkTarget(path) !== undefined) return removed(path, "it leads to another repository");
	const names = repositorySettings.filter((name) => name.startsWith(`${basename(path)}/`));
	const isPaths = (file: string): boolean => {
		const lines = readWritten(file)?.toString("utf8").split(/\r?\n/);
		return (
			lines?.every((line) => {
				const value = /^[\w.-]+ *=(.*)$/.exec(line)?.[1]?.trim();
				if (value === undefined) return /^(?:\[paths\]|[#;].*|)$/.test(line);
				return value === "" || !leadsAway(value, dirname(path));
			}) === true
		);
	};
	return names
		.map((name) => join(dirname(path), name))
		.filter((file) => !(/\/(?:\.hg\/hgrc|\.sl\/config)$/.test(file) && isPaths(file)))
		.flatMap((file) => setAside(file, "its settings may name programs"));
}
