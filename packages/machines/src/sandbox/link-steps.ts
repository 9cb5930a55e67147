/** Where links lead step by step: what is protected behind one has to be protected on the way there, too. */
import { dirname, isAbsolute, join } from "node:path";

import { linkTarget } from "./disarm.ts";
import { entriesOf } from "./hidden-names.ts";
import { statsOf } from "./stats-of.ts";

/** The targets of links in directories of hooks: git runs them under the name of the link. */
export function linkedHooks(directories: readonly string[]): string[] {
	return directories.flatMap((directory) => {
		const links = entriesOf(directory).filter((entry) => entry.isSymbolicLink());
		const paths = links.flatMap(({ name }) => {
			const steps = stepsOf(join(directory, name));
			const target = statsOf(steps.at(-1) ?? "");
			// A directory is no hook, and what is not there yet would be one only under the name of a hook.
			return (target === undefined ? hookName.test(name) : target.isFile()) ? steps : [];
		});
		return statsOf(directory)?.isSymbolicLink() ? [...stepsOf(directory), ...paths] : paths;
	});
}

/** A path, and the links on the way to what it leads to, as the system follows them: the last one is no link, and may not exist. */
export function stepsOf(path: string): string[] {
	const steps: string[] = [];
	let at = "/";
	const names = path.split("/");
	for (let count = 0; names.length > 0 && count <= mostLinks;) {
		const name = names.shift() ?? "";
		if (name === "..") at = dirname(at);
		if (name === "" || name === "." || name === "..") continue;
		const target = statsOf(join(at, name))?.isSymbolicLink() ? linkTarget(join(at, name)) : undefined;
		if (target === undefined) {
			at = join(at, name);
			continue;
		}
		steps.push(join(at, name));
		names.unshift(...target.split("/"));
		if (isAbsolute(target)) at = "/";
		count++;
	}
	return [...steps, join(at, ...names)];
}

/** The kernel follows as many. */
const mostLinks = 40;

/** Names of git's hooks, and of those that it may get: no other file of a project is called so by the way. */
const hookName =
	/^(?:pre|post|prepare|commit|reference|proc|push|sendemail|fsmonitor|applypatch|p4)(?:-[a-z\d]+)+$|^update$/;
