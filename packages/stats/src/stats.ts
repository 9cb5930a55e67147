/** The statistics of a user: the index with what it is made from. */
import type { Database } from "bun:sqlite";
import { join } from "node:path";

import { dirs, type Env } from "@tau/utils";

import { discardIndex, isDamaged, openIndex, type OpenIndex } from "./index/database.ts";
import { usageDirectory } from "./lines/usage-lines.ts";
import { rootsOf, type Root } from "./scan/find-files.ts";
import { sync, type SyncProgress, type SyncResult } from "./sync.ts";

export interface StatsPlaces {
	/** Where Tau keeps its data: sessions, usage lines, and the index. */
	data: string;
	home: string;
	/** Other directories with sessions of Tau. */
	more?: readonly string[];
	/** Where other programs say that their files are. */
	env?: Env;
}

export class Stats implements Disposable {
	readonly #path: string;
	readonly #onNotice: (message: string) => void;
	readonly roots: readonly Root[];
	#index: OpenIndex;

	/** `onNotice` gets what the user should know: an index that is built anew, or cannot be stored. */
	constructor({ data, home, more, env }: StatsPlaces, onNotice: (message: string) => void = () => {}) {
		this.#path = join(usageDirectory(data), "stats.sqlite");
		this.roots = rootsOf(data, home, env, more);
		this.#onNotice = onNotice;
		this.#index = this.#open();
	}

	static ofUser(onNotice?: (message: string) => void, more?: readonly string[]): Stats {
		const { data, home } = dirs();
		return new Stats({ data, home, ...(more ? { more } : {}) }, onNotice);
	}

	get database(): Database {
		return this.#index.database;
	}

	/** How many answers are counted. */
	count(): number {
		const row = this.database
			.query<{ count: number | null }, []>("SELECT sum(answers) AS count FROM hours")
			.get();
		return row?.count ?? 0;
	}

	/** Reads what is new in all files. A damaged index is built anew. */
	async sync(
		options: { onProgress?: (progress: SyncProgress) => void; signal?: AbortSignal } = {},
	): Promise<SyncResult> {
		try {
			return await sync(this.#index, this.roots, options);
		} catch (error) {
			if (!isDamaged(error)) throw error;
			this.#index[Symbol.dispose]();
			discardIndex(this.#path);
			this.#onNotice(`The statistics in ${this.#path} were damaged and are built anew.`);
			this.#index = this.#open();
			return await sync(this.#index, this.roots, options);
		}
	}

	[Symbol.dispose](): void {
		this.#index[Symbol.dispose]();
	}

	#open(): OpenIndex {
		const index = openIndex(this.#path);
		if (index.notice !== undefined) this.#onNotice(index.notice);
		return index;
	}
}
