/** What is known of a project's files before a command runs: from git's index, or from copies of what git does not have. */
import type { BigIntStats } from "node:fs";
import { join } from "node:path";

import { convertsContents, GitIndex, GitObjects, gitDirectoryAt, isConverting } from "@tau/sys";

import type { CopyFile, CopyLocation } from "./copy-file.ts";
import { absent, hashOf, isSame, readImage, stampOf, type Image, type ReadImage } from "./image.ts";
import { packed, type ImageStore } from "./image-store.ts";

/** A path that is not as git has it. */
export interface KnownPath {
	readonly image: Image;
	readonly stamp: string;
	/** Where its content is in the file of copies; absent if it is elsewhere, or not kept. */
	readonly copy?: CopyLocation;
	/** Git has the same content in a pack. */
	readonly isInPack?: true;
}

/** A repository in the project. Its prefix is empty or ends with a slash. */
export interface KnownRepository {
	readonly prefix: string;
	readonly gitDir: string;
	readonly index: GitIndex;
	readonly objects: GitObjects;
	/** The mode of each tracked file that is as git has it, and 0 for the others. */
	readonly modes: Uint16Array;
}

type TrackedFile = KnownRepository & { readonly position: number };

/** Paths are relative to the root of the project, as strings of bytes. */
export class KnownTree implements Disposable {
	readonly #root: string;
	readonly #paths = new Map<string, KnownPath>();
	readonly #repositories: KnownRepository[] = [];
	readonly #copies: CopyFile;
	readonly #home: string | undefined;
	/** Directories in which git converts contents on the way to the work tree: its objects may differ from the files. */
	readonly #converted = new Set<string>();
	/** Files whose content is not kept because there are too many, or too large ones. */
	skipped = 0;

	/** Called with each path that has become known. */
	onKnown: ((path: string, known: KnownPath) => void) | undefined;

	/** `home`: where the user's settings of git are. */
	constructor(root: string, copies: CopyFile, home?: string) {
		this.#root = root;
		this.#home = home;
		this.#copies = copies;
	}

	/** What is not as git has it. */
	get paths(): ReadonlyMap<string, KnownPath> {
		return this.#paths;
	}

	get repositories(): readonly KnownRepository[] {
		return this.#repositories;
	}

	/** As another process knew it. */
	addKnown(repository: KnownRepository): void {
		this.#repositories.push(repository);
	}

	async addRepository(prefix: string, absolute: string): Promise<void> {
		const gitDir = await gitDirectoryAt(join(absolute, ".git"));
		const index = gitDir === undefined ? undefined : GitIndex.read(gitDir);
		if (gitDir === undefined || !index) return;
		if (this.#repositories.some((each) => each.prefix === prefix)) return;
		if (convertsContents(gitDir, this.#home)) this.#converted.add(prefix);
		this.#repositories.unshift({
			prefix,
			gitDir,
			index,
			objects: new GitObjects(gitDir),
			modes: new Uint16Array(index.size),
		});
	}

	isTracked(path: string, isDirectory: boolean): boolean {
		return this.#repositories.some(({ prefix, index }) => {
			if (!path.startsWith(prefix)) return false;
			const inside = path.slice(prefix.length);
			if (!isDirectory) return index.find(inside) !== undefined;
			const { from, to } = index.below(`${inside}/`);
			return to > from;
		});
	}

	/** Whether something is known to be there. */
	has(path: string): boolean {
		const known = this.#paths.get(path);
		return known ? known.image.kind !== "absent" : this.#cleanPosition(path) !== undefined;
	}

	/** Notes a path of the first scan. Returns whether a copy of its content is needed. */
	scanned(path: string, stats: BigIntStats): "known" | "copy" | "copy-if-room" {
		if (stats.isDirectory()) {
			this.put(path, {
				image: { kind: "directory", mode: Number(stats.mode) & 0o7777 },
				stamp: stampOf(stats),
			});
			return "known";
		}
		if (/(?:^|\/)\.gitattributes$/.test(path) && isConverting(this.absolute(path)))
			this.#converted.add(path.slice(0, path.lastIndexOf("/") + 1));
		const tracked = stats.isFile() ? this.#tracked(path) : undefined;
		if (!tracked || !tracked.index.isClean(tracked.position, stats)) return "copy";
		tracked.modes[tracked.position] = Number(stats.mode) & 0o7777;
		return tracked.objects.isPacked(tracked.index.oid(tracked.position)) ? "known" : "copy-if-room";
	}

	/** After the first scan: files that git calls clean although its object may be another content. */
	*doubtful(): Generator<string> {
		const converted = [...this.#converted];
		if (converted.length === 0) return;
		for (const { prefix, index, modes } of this.#repositories) {
			for (let at = 0; at < index.size; at++) {
				const path = prefix + index.path(at);
				if (modes[at] === 0 || !converted.some((each) => path.startsWith(each))) continue;
				modes[at] = 0;
				yield path;
			}
		}
	}

	/** Notes what a path is now, with a copy of its content. */
	copy(path: string, read: ReadImage = readImage(this.absolute(path))): void {
		const { image, content, stamp } = read;
		if (image.kind !== "file" || !content) return this.set(path, image, stamp);
		const tracked = this.#tracked(path);
		if (
			tracked &&
			isBlob(tracked, content) &&
			tracked.objects.isPacked(tracked.index.oid(tracked.position))
		) {
			this.put(path, { image, stamp, isInPack: true });
			return;
		}
		const copy = this.#copies.add(content);
		if (copy) this.put(path, { image, stamp, copy });
		else {
			this.skipped++;
			// Git's object is better than nothing.
			if (this.#cleanPosition(path) === undefined)
				this.put(path, { image: { kind: "unknown", why: "limit" }, stamp });
		}
	}

	put(path: string, known: KnownPath): void {
		this.#paths.set(path, known);
		this.onKnown?.(path, known);
	}

	/** Notes what a path is now; its content is in the store. */
	set(path: string, image: Image, stamp: string): void {
		this.put(path, { image, stamp });
	}

	/** The content is as it was, and the facts are new. */
	restamp(path: string, stamp: string): void {
		const known = this.#paths.get(path);
		if (known) this.put(path, { ...known, stamp });
	}

	/** Whether the path still has the facts it had when it was noted. */
	isUnchanged(path: string, stats: BigIntStats): boolean {
		const known = this.#paths.get(path);
		if (known) return known.stamp === stampOf(stats);
		const tracked = this.#cleanPosition(path);
		return (
			tracked !== undefined &&
			tracked.index.isClean(tracked.position, stats) &&
			tracked.modes[tracked.position] === (Number(stats.mode) & 0o7777)
		);
	}

	/** Whether the content that was read is what is known. */
	isSameContent(path: string, { image, content }: ReadImage): boolean {
		const known = this.#paths.get(path);
		if (known) return isSame(known.image, image);
		const tracked = this.#cleanPosition(path);
		if (!tracked) return image.kind === "absent";
		if (image.kind !== "file" || !content || tracked.modes[tracked.position] !== image.mode) return false;
		return isBlob(tracked, content);
	}

	/** What the path was, with its content in the store. */
	keep(path: string, store: ImageStore): Image {
		const known = this.#paths.get(path);
		if (known) return this.#keepKnown(path, known, store);
		const tracked = this.#cleanPosition(path);
		if (!tracked) return absent;
		const content = blobOf(tracked);
		if (!content) return { kind: "unknown", why: "unreadable" };
		const hash = hashOf(content);
		const mode = tracked.modes[tracked.position] ?? 0o644;
		store.put(hash, () => packed(content));
		return { kind: "file", mode, size: content.length, hash };
	}

	/** Everything known below a directory, itself included. */
	*below(directory: string): Generator<string> {
		const prefix = directory === "" ? "" : `${directory}/`;
		for (const [path, { image }] of this.#paths) {
			if (image.kind !== "absent" && (path === directory || path.startsWith(prefix))) yield path;
		}
		for (const { prefix: top, index, modes } of this.#repositories) {
			const inside = prefix.startsWith(top)
				? prefix.slice(top.length)
				: top.startsWith(prefix)
					? ""
					: undefined;
			if (inside === undefined) continue;
			const { from, to } = index.below(inside);
			for (let at = from; at < to; at++) {
				const path = top + index.path(at);
				if (modes[at] !== 0 && !this.#paths.has(path)) yield path;
			}
		}
	}

	absolute(path: string): string {
		return path === "" ? this.#root : `${this.#root}/${path}`;
	}

	[Symbol.dispose](): void {
		for (const { objects } of this.#repositories) objects[Symbol.dispose]();
		this.#copies[Symbol.dispose]();
	}

	#keepKnown(path: string, { image, copy, isInPack }: KnownPath, store: ImageStore): Image {
		if (image.kind === "file" && copy) store.put(image.hash, () => this.#copies.read(copy));
		if (image.kind !== "file" || isInPack !== true || store.has(image.hash)) return image;
		const tracked = this.#tracked(path);
		const content = tracked && blobOf(tracked);
		if (!content) return { kind: "unknown", why: "unreadable" };
		store.put(image.hash, () => packed(content));
		return image;
	}

	#cleanPosition(path: string): TrackedFile | undefined {
		const tracked = this.#tracked(path);
		return tracked && tracked.modes[tracked.position] !== 0 ? tracked : undefined;
	}

	#tracked(path: string): TrackedFile | undefined {
		for (const repository of this.#repositories) {
			if (!path.startsWith(repository.prefix)) continue;
			const position = repository.index.find(path.slice(repository.prefix.length));
			if (position !== undefined) return { ...repository, position };
		}
		return undefined;
	}
}

function blobOf({ objects, index, position }: TrackedFile): Buffer | undefined {
	return objects.blob(index.oid(position));
}

/** Whether git's object is this content. */
function isBlob({ index, position }: TrackedFile, content: Buffer): boolean {
	const hash = new Bun.CryptoHasher("sha1").update(`blob ${content.length}\0`).update(content);
	return hash.digest("hex") === index.oid(position);
}
