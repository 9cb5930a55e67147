/** Finds out which files of a project changed while a command ran, and what they were before. */
import type { BigIntStats } from "node:fs";

import { scanTree, TreeWatch, type TreeEvent, type TreeRules } from "@tau/sys";
import { log } from "@tau/utils";

import { Baseline, baselineIn } from "./baseline.ts";
import { CopyFile } from "./copy-file.ts";
import {
	absent,
	bytePath,
	bytesOf,
	ProjectReader,
	readImage,
	statsAt,
	type ImageChange,
	type ReadImage,
} from "./image.ts";
import { keepRead, type ImageStore } from "./image-store.ts";
import { KnownTree } from "./known-tree.ts";
import { limits } from "./limits.ts";
import { inSlices } from "./slices.ts";

/** Directories of packages and caches that are never worth restoring, also where nothing ignores them. */
const excludedNames = new Set([
	"node_modules",
	"bower_components",
	"__pycache__",
	".venv",
	".tox",
	".gradle",
	".mypy_cache",
	".pytest_cache",
	".ruff_cache",
	".next",
	".nuxt",
	".turbo",
]);

/** What could not be watched, for a notice; each is reported once. */
export type TrackerNotice = "too-large" | "no-watch" | "copies-limited";

export interface TrackerParts {
	/** Without links. */
	root: string;
	/** The directory for copies. */
	directory: string;
	/** Whether the directory outlives this process: then what is known is stored there too. */
	isStored: boolean;
	/** The user's, with settings of git. */
	home?: string | undefined;
	/** Whether a path is one of Tau's own files, such as the session itself. Absolute, as a string of bytes. */
	isOwn(path: string): boolean;
	onNotice(notice: TrackerNotice): void;
}

/** Its methods must not overlap: their caller puts them in a queue. */
export class ProjectTracker implements Disposable {
	readonly #parts: TrackerParts;
	readonly #root: string;
	readonly #known: KnownTree;
	readonly #closing = new AbortController();
	/** What is ignored in each directory. */
	readonly #rules = new Map<string, TreeRules>();
	/** Paths that may have changed since they were noted. */
	#touched = new Set<string>();
	/** Directories that appeared, and directories whose rules changed: both have to be walked. */
	readonly #appeared = new Set<string>();
	readonly #reruled = new Set<string>();
	/** Files with more than one name: a change through another name is not reported for this one. */
	readonly #linked = new Set<string>();
	#watch: TreeWatch | undefined;
	/** Whether everything is known that was there before the first command. */
	#isReady = false;
	#isComplete = true;
	#isTooLarge = false;
	#isPrepared = false;
	/** Of the root. */
	#inode: bigint | undefined;
	/** When a command began that has not waited for `prepare` or `refresh`, in nanoseconds since 1970. */
	#lateNs: bigint | undefined;

	/** What is known, on disk. */
	readonly baseline: Baseline | undefined;

	constructor(parts: TrackerParts, known?: KnownTree) {
		this.#parts = parts;
		this.#root = bytePath(parts.root);
		this.baseline = parts.isStored ? new Baseline(baselineIn(parts.directory)) : undefined;
		const copies = this.baseline?.copies ?? CopyFile.unnamed(parts.directory);
		this.#known = known ?? new KnownTree(this.#root, copies, parts.home);
	}

	/** Continues with what another process knew: the first `settle` compares it with everything that is there. */
	static recovered(parts: TrackerParts, known: KnownTree): ProjectTracker {
		const tracker = new ProjectTracker(parts, known);
		tracker.#isReady = true;
		tracker.#isPrepared = true;
		return tracker;
	}

	/** Watches the project, and copies what git does not have. */
	async prepare(): Promise<void> {
		this.#watch = await TreeWatch.open();
		this.#inode = statsAt(this.#root)?.ino;
		if (!this.#watch) this.#parts.onNotice("no-watch");
		const copies: string[] = [];
		const loose: string[] = [];
		const isWhole = await this.#scan("", (path, stats) => {
			const needs = this.#isLate(stats) ? this.#lose(path) : this.#known.scanned(path, stats);
			if (needs === "copy") copies.push(path);
			else if (needs === "copy-if-room") loose.push(path);
		});
		if (!isWhole) return;
		await this.#slices(copies, (path) => this.#copy(path));
		await this.#slices(this.#known.doubtful(), (path) => this.#copy(path));
		if (this.#known.skipped > 0) this.#parts.onNotice("copies-limited");
		await this.#slices(loose, (path) => this.#copy(path));
		this.#isReady = true;
		this.#known.onKnown = (path, known) => this.baseline?.note(path, known);
		await this.#store();
	}

	/** Reads what happened so far from the system's queue, which has a bound. */
	drain(): void {
		const isComplete = this.#watch?.drain((event) => this.#handle(event)) === true;
		if (!isComplete) this.#isComplete = false;
	}

	/** Whether anything may have changed since it was last looked at. */
	get isTouched(): boolean {
		this.drain();
		return !this.#isComplete || this.#touched.size + this.#appeared.size + this.#reruled.size > 0;
	}

	/** A command begins before `prepare` or `refresh` are done: what changes from now on is its work. */
	startsLate(): void {
		this.#lateNs = BigInt(Date.now() - limits.clockTickMs) * 1_000_000n;
	}

	/** What the user did since the last command: the next one finds it so. */
	async refresh(): Promise<void> {
		await this.#eachChange((path, read) => this.#copy(path, read));
		this.#lateNs = undefined;
		if (this.baseline?.isLong) await this.#store();
	}

	/** What changed since the last call, with contents in the store. */
	async settle(store: ImageStore): Promise<ImageChange[]> {
		const changes: ImageChange[] = [];
		await this.#eachChange((path, read) => {
			const before = this.#known.keep(path, store);
			const after = keepRead(read, store);
			this.#known.set(path, after, read.stamp);
			changes.push({ path: this.#known.absolute(path), before, after });
		});
		return changes;
	}

	/** What a command that still runs has made of a path that is about to change in another way; the path is absolute. */
	overtaken(path: string, read: ReadImage, store: ImageStore): ImageChange | undefined {
		const inside = this.#inside(path);
		if (!this.#isReady || this.#isTooLarge || inside === undefined || inside === "") return undefined;
		if (!this.#known.has(inside)) {
			const directory = inside.slice(0, Math.max(0, inside.lastIndexOf("/")));
			// Where no rules are known, the file may have been there all the time, ignored.
			if (!this.#rules.has(directory) || this.#isLeftOut(directory, inside, nameOf(inside), false))
				return undefined;
		}
		if (this.#known.isSameContent(inside, read)) return undefined;
		return { path, before: this.#known.keep(inside, store), after: keepRead(read, store) };
	}

	/** A change that was recorded in another way; the path is absolute. */
	noted(path: string, change: Pick<ImageChange, "after"> & { stamp: string }): void {
		const inside = this.#inside(path);
		if (inside !== undefined) this.#known.set(inside, change.after, change.stamp);
	}

	[Symbol.dispose](): void {
		this.#closing.abort();
		this.#watch?.[Symbol.dispose]();
		this.#known[Symbol.dispose]();
		this.baseline?.[Symbol.dispose]();
	}

	async #store(): Promise<void> {
		await this.baseline?.begin(this.#parts.root, this.#known, this.#closing.signal);
	}

	#inside(path: string): string | undefined {
		if (path === this.#root) return "";
		return path.startsWith(`${this.#root}/`) ? path.slice(this.#root.length + 1) : undefined;
	}

	#handle({ directory, name, isDirectory, kind }: TreeEvent): void {
		if (name === ".git") return;
		const path = directory === "" ? name : `${directory}/${name}`;
		if (this.#parts.isOwn(this.#known.absolute(path))) return;
		if (isDirectory && kind === "gone") {
			for (const known of this.#known.below(path)) this.#touched.add(known);
			this.#watch?.forget(path);
			for (const each of this.#rules.keys())
				if (each === path || each.startsWith(`${path}/`)) this.#rules.delete(each);
			this.#appeared.delete(path);
			return;
		}
		if (this.#isLeftOut(directory, path, name, isDirectory)) return;
		if (name === ".gitignore") this.#reruled.add(directory);
		this.#touched.add(path);
		if (!isDirectory || kind !== "appeared") return;
		// Moved over an empty directory that a process has open: the watch of that one lasts as long, and sees nothing of this one.
		if (this.#watch?.has(path)) this.#watch.forget(path);
		this.#appeared.add(path);
	}

	#isLeftOut(directory: string, path: string, name: string, isDirectory: boolean): boolean {
		if (this.#known.has(path) || this.#known.isTracked(path, isDirectory)) return false;
		if (isDirectory && excludedNames.has(name)) return true;
		const rules = this.#rules.get(directory);
		if (!rules || isSecretFile(name)) return false;
		const text = (bytes: string): string => bytesOf(bytes).toString();
		return rules.ignore.verdict(text(directory), text(name), isDirectory) === "ignored";
	}

	/** Calls `work` with each path that is not as it is known, and what is there now. */
	async #eachChange(work: (path: string, read: ReadImage) => void): Promise<void> {
		const touched = await this.#changed();
		const reader = new ProjectReader(this.#root);
		await this.#slices(touched, (path) => {
			const absolute = this.#known.absolute(path);
			const stats = reader.stats(absolute);
			this.#noteLinks(path, stats);
			if (stats && this.#known.isUnchanged(path, stats)) return;
			const read = stats ? readImage(absolute, stats) : nothing;
			if (this.#known.isSameContent(path, read)) this.#known.restamp(path, read.stamp);
			else work(path, read);
		});
	}

	/** The paths that may have changed, directories before what is in them. */
	async #changed(): Promise<string[]> {
		this.drain();
		if (this.#isTooLarge) return [];
		const root = statsAt(this.#root);
		const inode = root?.ino;
		// Nobody watches the directory that it is in.
		if (root && !this.#known.isUnchanged("", root)) this.#touched.add("");
		if (inode !== this.#inode) {
			// The root itself was replaced, and everything in it.
			this.#inode = inode;
			this.#watch?.forget("");
			this.#isComplete = false;
		}
		const touched = new Set<string>();
		const take = (): void => {
			for (const path of this.#touched) touched.add(path);
			this.#touched.clear();
		};
		take();
		for (const path of this.#linked) touched.add(path);
		if (!this.#isComplete) {
			this.#isComplete = this.#watch !== undefined;
			this.#appeared.clear();
			await this.#lookEverywhere(touched);
		}
		for (const directory of this.#appeared) {
			this.#appeared.delete(directory);
			await this.#scan(directory, (path, stats) => {
				if (!this.#known.isUnchanged(path, stats)) touched.add(path);
			});
			// What happened during the walk.
			this.drain();
			take();
		}
		for (const directory of this.#reruled) {
			this.#reruled.delete(directory);
			await this.#scan(directory, (path) => {
				// It was there all the time, ignored: that is not a change.
				if (!this.#known.has(path) && !touched.has(path)) this.#known.copy(path);
			});
		}
		return [...touched].toSorted();
	}

	/** Compares the whole tree with what is known: events were lost, or there are none. */
	async #lookEverywhere(touched: Set<string>): Promise<void> {
		const seen = new Set<string>();
		const found: string[] = [];
		await this.#scan("", (path, stats) => {
			seen.add(path);
			if (this.#known.isUnchanged(path, stats)) return;
			if (this.#known.has(path)) touched.add(path);
			else found.push(path);
		});
		const isReruled = [...touched, ...found].some((path) => nameOf(path) === ".gitignore");
		for (const path of found) {
			// With other rules, a file that was there all the time may look new: it must not be deleted by a rewind.
			if (isReruled && nameOf(path) !== ".gitignore") this.#known.copy(path);
			else touched.add(path);
		}
		for (const path of this.#known.below("")) if (!seen.has(path)) touched.add(path);
	}

	/** Walks a directory, and watches it. False if the project is too large. */
	async #scan(directory: string, found: (path: string, stats: BigIntStats) => void): Promise<boolean> {
		const above = this.#rules.get(directory.slice(0, Math.max(0, directory.lastIndexOf("/"))));
		if (directory !== "" && !above) return true;
		let count = 0;
		const isWhole = await scanTree({
			root: bytesOf(this.#root),
			...(above && directory !== "" ? { from: { path: directory, rules: above } } : {}),
			isKept: (path, isDirectory) =>
				this.#known.isTracked(path, isDirectory) || (!isDirectory && isSecretFile(nameOf(path))),
			isExcluded: (path, name) => excludedNames.has(name) || this.#parts.isOwn(this.#known.absolute(path)),
			enterRepository: async (path, absolute) => {
				if (!this.#isPrepared) await this.#known.addRepository(path === "" ? "" : `${path}/`, absolute);
			},
			visit: ({ path, stats, rules }) => {
				if (this.#parts.isOwn(this.#known.absolute(path))) return true;
				if (rules) {
					this.#rules.set(path, rules);
					if (this.#watch && !this.#watch.has(path)) this.#addWatch(path);
				}
				this.#noteLinks(path, stats);
				found(path, stats);
				return ++count <= limits.treeEntries;
			},
			sliceMs: limits.sliceMs,
			signal: this.#closing.signal,
		});
		this.#isPrepared = true;
		if (!isWhole && !this.#closing.signal.aborted) this.#giveUp();
		return isWhole;
	}

	#noteLinks(path: string, stats: BigIntStats | undefined): void {
		if (!stats?.isFile() || stats.nlink < 2n) this.#linked.delete(path);
		else if (this.#linked.size < limits.hardLinks) this.#linked.add(path);
	}

	#addWatch(path: string): void {
		const absolute = bytesOf(this.#known.absolute(path));
		if (this.#watch?.add(path, absolute)) return;
		// It may be gone again.
		if (!statsAt(this.#known.absolute(path))) return;
		log.warn("the system allows no more watches", { watched: this.#watch?.size });
		this.#watch?.[Symbol.dispose]();
		this.#watch = undefined;
		this.#parts.onNotice("no-watch");
	}

	#copy(path: string, read?: ReadImage): void {
		const stats = this.#lateNs === undefined ? undefined : statsAt(this.#known.absolute(path));
		if (this.#lateNs !== undefined && (!stats || this.#isLate(stats))) this.#lose(path);
		else this.#known.copy(path, read);
	}

	/** Whether a command that began too early may have changed it. Entries of a directory change its times, too. */
	#isLate(stats: BigIntStats): boolean {
		if (this.#lateNs === undefined) return false;
		return (stats.isDirectory() ? stats.birthtimeNs : stats.ctimeNs) >= this.#lateNs;
	}

	/** What it was before the command is not known: a rewind says so instead of taking what is there for the user's. */
	#lose(path: string): "known" {
		this.#known.put(path, { image: { kind: "unknown", why: "late" }, stamp: "" });
		this.#touched.add(path);
		return "known";
	}

	#giveUp(): void {
		this.#isTooLarge = true;
		this.#watch?.[Symbol.dispose]();
		this.#watch = undefined;
		this.#parts.onNotice("too-large");
	}

	async #slices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
		await inSlices(items, this.#closing.signal, work);
	}
}

const nothing: ReadImage = { image: absent, stamp: "" };

/** Ignored files that are precious all the same. */
function isSecretFile(name: string): boolean {
	return name === ".env" || name.startsWith(".env.");
}

function nameOf(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1);
}
