/** Decides whether the entries of one directory are ignored, with ripgrep's order of precedence. */
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

import type { IgnoreFile, Verdict } from "./ignore-file.ts";
import { readIgnoreFile, readRepositoryExclude, readUserExclude } from "./ignore-sources.ts";

/** An ignore file with its directory; deeper files override those above. */
interface Layer {
	file: IgnoreFile;
	above: Layer | undefined;
	/**
	 * The path from the directory of the file to the root of the walk, if the file is above it; ends with a slash.
	 */
	prefix: string;
	/** The number of characters from the root of the walk to the directory of the file, if the file is below it. */
	skip: number;
}

/** Strongest first. Git's own files apply only inside a repository, and end at its top. */
const sources = [".rgignore", ".ignore", ".gitignore", "exclude", "user"] as const;
type Source = (typeof sources)[number];
/** The names in a directory that change what is ignored there. */
const ruleNames: ReadonlySet<string> = new Set([".rgignore", ".ignore", ".gitignore", ".git"]);

export class IgnoreRules {
	readonly #layers: Readonly<Partial<Record<Source, Layer>>>;
	readonly #order: readonly Layer[];
	readonly #inRepository: boolean;

	private constructor(layers: Partial<Record<Source, Layer>>, inRepository: boolean) {
		this.#layers = layers;
		this.#order = sources.flatMap((source) => layers[source] ?? []);
		this.#inRepository = inRepository;
	}

	/** The rules of the directories above `root`. */
	static async above(root: string): Promise<IgnoreRules> {
		let rules = new IgnoreRules({}, false);
		for (const directory of ancestors(root)) {
			const names = [...ruleNames].filter((name) => existsSync(join(directory, name)));
			const prefix = `${relative(directory, root).split(sep).join("/")}/`;
			rules = await rules.#inside(directory, names, prefix, 0);
		}
		return rules;
	}

	/** True for the names in a directory that `enter` needs. */
	static isRuleName(name: string): boolean {
		return ruleNames.has(name);
	}

	/** The rules inside `directory`, at `path` from the root; `names` are its rule names. */
	async enter(directory: string, path: string, names: readonly string[]): Promise<IgnoreRules> {
		if (names.length === 0) return this;
		return this.#inside(directory, names, "", path === "" ? 0 : path.length + 1);
	}

	/** The verdict on `name` in the directory at `path` from the root of the walk. */
	verdict(path: string, name: string, isDirectory: boolean): Verdict {
		for (const first of this.#order) {
			for (let layer: Layer | undefined = first; layer; layer = layer.above) {
				const verdict = layer.file.verdict(layer.prefix + path.slice(layer.skip), name, isDirectory);
				if (verdict) return verdict;
			}
		}
		return undefined;
	}

	async #inside(
		directory: string,
		names: readonly string[],
		prefix: string,
		skip: number,
	): Promise<IgnoreRules> {
		const isTop = names.includes(".git");
		const layers: Partial<Record<Source, Layer>> = { ...this.#layers };
		const add = (source: Source, file: IgnoreFile | undefined): void => {
			if (file) layers[source] = { file, above: layers[source], prefix, skip };
		};
		if (isTop) {
			for (const source of [".gitignore", "exclude", "user"] as const) delete layers[source];
			add("exclude", await readRepositoryExclude(join(directory, ".git")));
			add("user", await readUserExclude());
		}
		const inRepository = this.#inRepository || isTop;
		for (const name of [".rgignore", ".ignore", ".gitignore"] as const) {
			if (!names.includes(name) || (name === ".gitignore" && !inRepository)) continue;
			add(name, await readIgnoreFile(join(directory, name)));
		}
		return new IgnoreRules(layers, inRepository);
	}
}

/** The parents from the top of the file system down, without the directory itself. */
function ancestors(path: string): string[] {
	const parents: string[] = [];
	for (let at = dirname(path), below = path; at !== below; below = at, at = dirname(at)) parents.unshift(at);
	return parents;
}
