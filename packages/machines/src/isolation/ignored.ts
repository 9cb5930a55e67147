/** Which paths of a tree are not worth merging: what git ignores and does not track, and everything of git itself. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { findRepository, GitIndex, IgnoreRules } from "@tau/sys";

/** What a killed program has left of a file that it was writing. */
const ownFiles = /^\.tau-\w+\.(?:tmp|old)$/;

/** The rules of one directory. */
export class TreeRules {
	readonly #rules: IgnoreRules;
	readonly #index: GitIndex | undefined;
	readonly #root: string;
	readonly #path: string;

	private constructor(rules: IgnoreRules, index: GitIndex | undefined, root: string, path: string) {
		this.#rules = rules;
		this.#index = index;
		this.#root = root;
		this.#path = path;
	}

	/** `root` is where the files of the tree are read. */
	static async open(root: string): Promise<TreeRules> {
		const repository = existsSync(join(root, ".git")) ? await findRepository(root) : undefined;
		const index = repository && GitIndex.read(repository.gitDir);
		const top = await IgnoreRules.above("/");
		return await new TreeRules(top, index, root, "").#entered();
	}

	async enter(name: string): Promise<TreeRules> {
		return await new TreeRules(this.#rules, this.#index, this.#root, this.path(name)).#entered();
	}

	/** The path of a name in this directory, from the root. */
	path(name: string): string {
		return this.#path === "" ? name : `${this.#path}/${name}`;
	}

	skips(name: string, isDirectory: boolean): boolean {
		if (name === ".git" || ownFiles.test(name)) return true;
		if (this.#rules.verdict(this.#path, name, isDirectory) !== "ignored") return false;
		const bytes = Buffer.from(this.path(name)).toString("latin1");
		if (!isDirectory) return this.#index?.find(bytes) === undefined;
		const { from, to } = this.#index?.below(`${bytes}/`) ?? { from: 0, to: 0 };
		return from === to;
	}

	async #entered(): Promise<TreeRules> {
		const directory = join(this.#root, this.#path);
		const names = [".git", ".gitignore"].filter((name) => existsSync(join(directory, name)));
		const rules = await this.#rules.enter(directory, this.#path, names);
		return new TreeRules(rules, this.#index, this.#root, this.#path);
	}
}
