/** Links on the way to what is protected: nothing can be mounted over them, so they are found, and put back after a command. */
import { dirname, isAbsolute, join } from "node:path";

import { isBelow } from "./below.ts";
import type { Denial } from "./denial.ts";
import { linkTarget, removed, restoredLink } from "./disarm.ts";
import { statsOf } from "./stats-of.ts";
import { directoriesOf } from "./unwanted-paths.ts";

export interface Way {
	/** Without links in their own paths, in the order in which they are followed. */
	readonly links: readonly string[];
	/** Without links; what is not there may be made there. */
	readonly path: string;
}

/** As the kernel does: links that lead to links are followed as well. */
const mostLinks = 40;

export class LinksOnWay {
	/** By the path: what a link leads to. Many paths have the same directories above them. */
	readonly #targets = new Map<string, string | undefined>();
	readonly #roots: readonly string[];

	/** `roots` have no links in their paths. */
	constructor(roots: readonly string[]) {
		this.#roots = roots;
	}

	to(path: string): Way {
		const links: string[] = [];
		let at = this.#roots.find((root) => isBelow(path, root)) ?? "/";
		const rest = path.slice(at.length).split("/").toReversed();
		for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
			if (part === "" || part === ".") continue;
			const next = part === ".." ? dirname(at) : join(at, part);
			const target = part === ".." ? undefined : this.#targetOf(next);
			if (target === undefined || links.length === mostLinks) {
				at = next;
				continue;
			}
			links.push(next);
			rest.push(...target.split("/").toReversed());
			if (isAbsolute(target)) at = "/";
		}
		return { links, path: at };
	}

	#targetOf(path: string): string | undefined {
		if (this.#targets.has(path)) return this.#targets.get(path);
		const target = targetOf(path);
		this.#targets.set(path, target);
		return target;
	}
}

export class ProtectedLinks {
	/** By the path: where the user's link leads; undefined where there is none, as for directories on the way to one. */
	readonly #targets: Map<string, string | undefined>;
	/** Those that could not be put back. */
	readonly #lost = new Set<string>();

	/** `links`, and those that a command makes on the way to what is `absent`. */
	constructor(links: readonly string[], writable: readonly string[], absent: readonly string[] = []) {
		// Those above first.
		const all = [...directoriesOf([...links, ...absent], writable), ...links];
		this.#targets = new Map(all.map((path) => [path, targetOf(path)]));
	}

	get hasLost(): boolean {
		return this.#lost.size > 0;
	}

	/** What is there while no process of a command runs is the user's. */
	keep(): void {
		for (const path of this.#targets.keys())
			if (!this.#lost.has(path)) this.#targets.set(path, targetOf(path));
	}

	restored(): Denial[] {
		return [...this.#targets].flatMap(([path, target]) => {
			if (targetOf(path) === target) return [];
			// A link in the place of a directory would lead past the one below it.
			const restored = target === undefined ? removed(path, isProtected) : restoredLink(path, target);
			if (targetOf(path) === target) this.#lost.delete(path);
			else this.#lost.add(path);
			return restored;
		});
	}
}

const isProtected = "it is on the way to what is protected";

/** To read what is no link throws an error each time. */
function targetOf(path: string): string | undefined {
	return statsOf(path)?.isSymbolicLink() === true ? linkTarget(path) : undefined;
}
