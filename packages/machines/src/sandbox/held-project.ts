/** Holds the directory of a project, which somebody may rename meanwhile, and knows its new path then. */
import { readlinkSync, statSync, type BigIntStats } from "node:fs";

import { HeldDirectory } from "@tau/sys";

import { statsOf } from "./stats-of.ts";

export class HeldProject implements Disposable {
	readonly #path: string;
	#held: HeldDirectory | undefined;
	readonly #stats: BigIntStats | undefined;

	/** `path` is without links. */
	constructor(path: string) {
		this.#path = path;
		try {
			this.#held = HeldDirectory.open(path);
			this.#stats = statSync(this.#held.at(), { bigint: true });
		} catch {
			// There is none, or a part of the path was replaced by a link: then nothing is followed.
		}
	}

	/** Its new path; undefined while it is where it was, and if it was deleted. */
	movedTo(): string | undefined {
		if (this.#held === undefined || this.#isAt(this.#path)) return undefined;
		try {
			const path = readlinkSync(this.#held.at());
			return this.#isAt(path) ? path : undefined;
		} catch {
			// This system has no names for what is held.
			return undefined;
		}
	}

	[Symbol.dispose](): void {
		this.#held?.[Symbol.dispose]();
		this.#held = undefined;
	}

	#isAt(path: string): boolean {
		const stats = statsOf(path);
		return stats !== undefined && stats.dev === this.#stats?.dev && stats.ino === this.#stats.ino;
	}
}
