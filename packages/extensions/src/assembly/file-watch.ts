/** Watches files that may not exist yet, nor the directories that they are in. */
import { existsSync, realpathSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";

import { log, timer } from "@tau/utils";

const limits = {
	/** Editors write a file in several steps. */
	settleMs: 200,
	/** Directories that are watched: files of all known programs, from the working directory up to the root. */
	directories: 300,
} as const;

export class FileWatch implements Disposable {
	readonly #files: readonly string[];
	readonly #onChange: () => void;
	#watchers: FSWatcher[] = [];
	#soon: Disposable | undefined;

	constructor(files: readonly string[], onChange: () => void) {
		this.#files = files;
		this.#onChange = onChange;
		this.#watch();
	}

	[Symbol.dispose](): void {
		this.#soon?.[Symbol.dispose]();
		this.#close();
	}

	#watch(): void {
		for (const [directory, names] of [...namesToWatch(this.#files)].slice(0, limits.directories)) {
			try {
				const watcher = watch(directory, { persistent: false }, (_, name) => {
					if (name === null || names.has(name)) this.#changed();
				});
				watcher.on("error", () => watcher.close());
				this.#watchers.push(watcher);
			} catch (error) {
				log.warn("a directory is not watched", { directory, reason: String(error) });
			}
		}
	}

	/** A file that keeps changing is reported in intervals. */
	#changed(): void {
		this.#soon ??= timer(limits.settleMs, () => {
			this.#soon = undefined;
			// A directory that was missing may be there now.
			this.#close();
			this.#watch();
			this.#onChange();
		});
	}

	#close(): void {
		for (const watcher of this.#watchers) watcher.close();
		this.#watchers = [];
	}
}

/** The directories to watch, and the names in each: the file itself, or the part of its path that is missing. */
function namesToWatch(files: readonly string[]): Map<string, Set<string>> {
	const names = new Map<string, Set<string>>();
	const add = (path: string): void => {
		const directory = dirname(path);
		const known = names.get(directory) ?? new Set();
		names.set(directory, known.add(basename(path)));
	};
	for (const file of files) {
		let at = file;
		while (!existsSync(dirname(at)) && dirname(at) !== at) at = dirname(at);
		add(at);
		// The whole directory may be renamed.
		add(dirname(at));
		const target = targetOf(file);
		if (target !== undefined && target !== file) add(target);
	}
	return names;
}

/** Where a link leads: files of settings are often links into a repository. */
function targetOf(file: string): string | undefined {
	try {
		return realpathSync(file);
	} catch {
		// It does not exist.
		return undefined;
	}
}
