/**
 * Where protected files of the home directory really are: `~/.gitconfig` may be a link to a file of the project, as it is for those
 * who keep their settings in a repository.
 */
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";

import { limits } from "./limits.ts";
import { isWithin, realPath } from "./real-path.ts";

/** The targets of the protected names that are behind links, and of the links right in a protected directory. */
export class ProtectedLinks {
	readonly #names: readonly string[];
	#home = "";
	#targets: readonly string[] = [];
	#readAt = Number.NEGATIVE_INFINITY;

	/** Paths below the home directory. */
	constructor(names: readonly string[]) {
		this.#names = names;
	}

	/** Only the user changes them: what a model writes there is asked about. */
	targets(home: string): readonly string[] {
		const now = performance.now();
		if (home !== this.#home || now - this.#readAt > limits.protectedLinksMs) {
			this.#targets = this.#read(home);
			this.#home = home;
			this.#readAt = now;
		}
		return this.#targets;
	}

	#read(home: string): string[] {
		const root = realPath(home);
		const found = new Set<string>();
		const parents = new Map<string, string>();
		for (const name of this.#names) {
			const path = join(home, name);
			const parent = dirname(path);
			const real = parents.get(parent) ?? realPath(parent);
			parents.set(parent, real);
			const info = statsOf(path);
			if (!info) continue;
			const target = info.isSymbolicLink() ? realPath(path) : join(real, path.slice(parent.length));
			// That of the home directory itself would protect everything.
			if (target !== join(root, name) && !isWithin(root, target)) found.add(target);
			if (info.isDirectory()) for (const link of linksIn(path)) if (!isWithin(root, link)) found.add(link);
		}
		return [...found];
	}
}

function linksIn(directory: string): string[] {
	try {
		const entries = readdirSync(directory, { withFileTypes: true }).slice(0, limits.protectedEntries);
		return entries
			.filter((entry) => entry.isSymbolicLink())
			.map(({ name }) => realPath(join(directory, name)));
	} catch {
		// Commands of this user cannot list it either.
		return [];
	}
}

function statsOf(path: string): Stats | undefined {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch {
		return undefined;
	}
}
