/** Notices which files of a project have changed on the disk, by editors, git or other programs. */
import { scanTree, TreeWatch, type TreeEvent, type TreeRules } from "@tau/sys";
import { log } from "@tau/utils";

import { limits } from "../limits.ts";

export interface ChangedFile {
	readonly path: string;
	readonly kind: "created" | "changed" | "deleted";
}

/** Directories that are not looked into; of packages, only that they appear and vanish is noticed. */
const excluded = new Set([
	".git",
	"node_modules",
	"bower_components",
	"__pycache__",
	".venv",
	".tox",
	".gradle",
]);
const manifest = "package.json";
const kinds = { appeared: "created", gone: "deleted", changed: "changed" } as const;

/** Nothing is noticed where the system has no inotify. */
export class ProjectWatch implements Disposable {
	readonly #root: string;
	/** What changed after this time, and before a directory was watched, has changed, too. */
	#since: number;
	readonly #closing = new AbortController();
	readonly #rules = new Map<string, TreeRules>();
	readonly #found = new Map<string, ChangedFile["kind"]>();
	readonly #appeared = new Set<string>();
	#watch: TreeWatch | undefined;
	#looking: Promise<void>;

	constructor(root: string, since: number) {
		this.#root = root;
		this.#since = since;
		this.#looking = this.#open().catch((error: unknown) =>
			log.warn("a project is not watched for language servers", { root, reason: String(error) }),
		);
	}

	/** What has changed since the last call, as far as it is known: a large project takes a while at first. */
	async changes(): Promise<ChangedFile[]> {
		const late = Promise.withResolvers<void>();
		const timeout = setTimeout(late.resolve, limits.watchMs);
		await Promise.race([this.#look(), late.promise]);
		clearTimeout(timeout);
		const found = [...this.#found].map(([path, kind]) => ({ path: this.#absolute(path), kind }));
		this.#found.clear();
		return found;
	}

	[Symbol.dispose](): void {
		this.#closing.abort();
		this.#watch?.[Symbol.dispose]();
	}

	async #open(): Promise<void> {
		this.#watch = await TreeWatch.open();
		if (this.#watch) await this.#scan("");
	}

	/** One after the other: each continues where the one before has ended. */
	#look(): Promise<void> {
		this.#looking = this.#looking.then(() => this.#drain()).catch(() => {});
		return this.#looking;
	}

	async #drain(): Promise<void> {
		if (!this.#watch || this.#closing.signal.aborted) return;
		const now = Date.now();
		const isComplete = this.#watch.drain((event) => this.#note(event));
		// Events were lost: what is newer than the last look has changed.
		if (!isComplete) await this.#scan("");
		for (const directory of this.#appeared) {
			this.#appeared.delete(directory);
			await this.#scan(directory);
		}
		this.#since = now - limits.clockMs;
	}

	#note({ directory, name, isDirectory, kind }: TreeEvent): void {
		const path = directory === "" ? name : `${directory}/${name}`;
		const isPackage = directory.split("/").some((part) => part === "node_modules");
		if (isPackage) return this.#add(`${path}/${manifest}`, kinds[kind]);
		if (excluded.has(name) && isDirectory) {
			if (name === "node_modules" && kind === "appeared") this.#watchPackages(path);
			return;
		}
		this.#watchPackagesOf(path);
		const rules = this.#rules.get(directory);
		const text = (bytes: string): string => Buffer.from(bytes, "latin1").toString();
		if (rules?.ignore.verdict(text(directory), text(name), isDirectory) === "ignored") return;
		if (isDirectory && kind === "gone") this.#watch?.forget(path);
		if (isDirectory && kind === "appeared") this.#appeared.add(path);
		if (!isDirectory || kind === "gone") this.#add(path, kinds[kind]);
	}

	/** Also where git ignores them. */
	#watchPackagesOf(path: string): void {
		if (path !== manifest && !path.endsWith(`/${manifest}`)) return;
		this.#watchPackages(`${path.slice(0, -manifest.length)}node_modules`);
	}

	#add(path: string, kind: ChangedFile["kind"]): void {
		const before = this.#found.get(path);
		if (before === undefined && this.#found.size >= limits.changedFiles) return;
		// Something that was replaced has changed; something new that was written to is new.
		const replaced = before === "deleted" && kind === "created" ? "changed" : kind;
		this.#found.set(path, before === "created" && kind === "changed" ? "created" : replaced);
	}

	/** Watches a directory and all below it, and finds what is newer than the last look. */
	async #scan(directory: string): Promise<void> {
		const above = this.#rules.get(directory.slice(0, Math.max(0, directory.lastIndexOf("/"))));
		await scanTree({
			root: Buffer.from(this.#root),
			...(above && directory !== "" ? { from: { path: directory, rules: above } } : {}),
			isKept: () => false,
			isExcluded: (_path, name) => excluded.has(name),
			enterRepository: async () => {},
			visit: ({ path, stats, rules }) => {
				if (rules) {
					this.#rules.set(path, rules);
					if (this.#watch && !this.#watch.has(path)) this.#watch.add(path, this.#bytes(path));
				} else if (directory !== "") this.#add(path, "created");
				else if (Number(stats.ctimeMs) >= this.#since) this.#add(path, "changed");
				this.#watchPackagesOf(path);
				return this.#rules.size <= limits.watchedDirectories;
			},
			sliceMs: limits.watchSliceMs,
			signal: this.#closing.signal,
		});
	}

	/** The directory itself, not what is in its packages. */
	#watchPackages(path: string): void {
		this.#watch?.add(path, this.#bytes(path));
	}

	#bytes(path: string): Buffer {
		return Buffer.concat([Buffer.from(`${this.#root}/`), Buffer.from(path, "latin1")]);
	}

	#absolute(path: string): string {
		return `${this.#root}/${Buffer.from(path, "latin1").toString()}`;
	}
}
