/** Opens files and directories at exactly the path that is given, through no link, and works below what was opened. */
import {
	chmodSync,
	closeSync,
	constants,
	existsSync,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readlinkSync,
	realpathSync,
	type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";

import { errorCode, once } from "@tau/utils";

/** The path leads elsewhere than when it was resolved: a part of it is a link now. */
export class PathMoved extends Error {
	readonly code = "EMOVED";

	constructor(path: string) {
		super(`${path} leads elsewhere now: a part of it was replaced by a link`);
	}
}

/** A file that is replaced just then has no name any more, so it is opened once more. */
const attempts = 3;

/** Of Linux: names a place in the file system, for which no permission is needed. Node has no name for it. */
const pathOnly = 0x20_0000;

/** The system's names for descriptors: unlike a path, such a name cannot be made to lead elsewhere. */
const descriptors = "/proc/self/fd";

const hasDescriptors = once(() => process.platform === "linux" && existsSync(descriptors));

/**
 * A descriptor of what is at the path itself. `path` is without links, as `realPath` returns it: if it leads elsewhere
 * now, `PathMoved` is thrown. The caller closes it.
 */
export function openHeld(path: string | Buffer, flags: number): number {
	for (let attempt = 0; attempt < attempts; attempt++) {
		const file = openNoLink(path, flags);
		let isThere = false;
		try {
			isThere = isAt(file, path);
			if (isThere) return file;
		} finally {
			if (!isThere) closeSync(file);
		}
	}
	throw new PathMoved(String(path));
}

/** The facts of the file or link at the path itself; no permission to read it is needed. */
export function heldStats(path: string): Stats {
	if (!hasDescriptors()) {
		using directory = HeldDirectory.open(dirname(path));
		return lstatSync(directory.at(basename(path)));
	}
	const file = openHeld(path, pathOnly);
	try {
		return fstatSync(file);
	} finally {
		closeSync(file);
	}
}

/** Throws `PathMoved` unless the path is without links now; the system's error if nothing is there. */
export function checkUnlinked(path: string): void {
	if (heldStats(path).isSymbolicLink()) throw new PathMoved(path);
}

/** A directory that stays the same one, whatever becomes of its path. */
export class HeldDirectory implements Disposable {
	readonly path: string;
	readonly #file: number | undefined;

	private constructor(path: string, file: number | undefined) {
		this.path = path;
		this.#file = file;
	}

	/** `isRead`: its names will be listed. */
	static open(path: string, isRead = false): HeldDirectory {
		return new HeldDirectory(path, openDirectory(path, isRead ? constants.O_RDONLY : pathOnly));
	}

	/** The path for calls of the system: below this directory in any case. */
	at(name = ""): string {
		return join(this.#file === undefined ? this.path : `${descriptors}/${this.#file}`, name);
	}

	enter(name: string): HeldDirectory {
		const path = join(this.path, name);
		if (this.#file === undefined) return HeldDirectory.open(path);
		try {
			const flags = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW;
			return new HeldDirectory(path, openSync(this.at(name), flags));
		} catch (error) {
			if (lstatSync(this.at(name), { throwIfNoEntry: false })?.isSymbolicLink()) throw new PathMoved(path);
			throw error;
		}
	}

	/** Returns false if it is there already. */
	make(name: string): boolean {
		try {
			mkdirSync(this.at(name));
			return true;
		} catch (error) {
			if (errorCode(error) !== "EEXIST") throw error;
			return false;
		}
	}

	/** Changes the permissions of a file, and of nothing that a link in its place leads to. Returns whether it is a file. */
	setMode(name: string, modeOf: (mode: number) => number): boolean {
		if (this.#file === undefined) {
			const info = lstatSync(this.at(name));
			if (info.isFile()) chmodSync(this.at(name), modeOf(info.mode));
			return info.isFile();
		}
		const file = openSync(this.at(name), pathOnly | constants.O_NOFOLLOW);
		try {
			const info = fstatSync(file);
			if (info.isFile()) chmodSync(`${descriptors}/${file}`, modeOf(info.mode));
			return info.isFile();
		} finally {
			closeSync(file);
		}
	}

	[Symbol.dispose](): void {
		if (this.#file !== undefined) closeSync(this.#file);
	}
}

/** Undefined where a descriptor has no name to work with: the path is checked instead, which holds for that moment. */
function openDirectory(path: string | Buffer, access: number): number | undefined {
	if (hasDescriptors()) return openHeld(path, access | constants.O_DIRECTORY);
	if (!isSamePath(realpathSync.native(path), String(path))) throw new PathMoved(String(path));
	return undefined;
}

/** The same for paths that need not be text. */
export interface HeldBytes extends Disposable {
	/** The path for calls of the system; the directory itself without a name. */
	at(name?: Buffer): Buffer;
}

export function holdBytes(path: Buffer): HeldBytes {
	const file = openDirectory(path, pathOnly);
	const directory = file === undefined ? path : Buffer.from(`${descriptors}/${file}`);
	return {
		// The directory itself without "/.", which only those may look up who may enter it.
		at: (name) => (name === undefined ? directory : Buffer.concat([directory, Buffer.from("/"), name])),
		[Symbol.dispose]: () => {
			if (file !== undefined) closeSync(file);
		},
	};
}

function openNoLink(path: string | Buffer, flags: number): number {
	try {
		// The opened root of a tree is a link of the system itself.
		return openSync(path, isTreeRoot(path) ? flags : flags | constants.O_NOFOLLOW);
	} catch (error) {
		const code = errorCode(error);
		const isLink = code === "ELOOP" || code === "EMLINK" || (code === "ENOTDIR" && isLinkNow(path));
		if (isLink) throw new PathMoved(String(path));
		throw error;
	}
}

function isLinkNow(path: string | Buffer): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
	} catch {
		// A part of its path is a file.
		return false;
	}
}

/**
 * The kernel knows the path of what is open. Where it does not tell, the file must be the one at the path, and the path
 * without links: a link that is exchanged back and forth in between can still deceive this.
 */
function isAt(file: number, path: string | Buffer): boolean {
	if (hasDescriptors()) return linkText(`${descriptors}/${file}`, path) === systemPath(path);
	const [opened, named] = [fstatSync(file), lstatSync(path)];
	const isSame = opened.ino === named.ino && opened.dev === named.dev;
	return isSame && isSamePath(realpathSync.native(path), String(path));
}

/** macOS and Windows do not distinguish cases, and resolve a path to the one on disk. */
function isSamePath(real: string, path: string): boolean {
	if (real === path || process.platform === "linux") return real === path;
	return real.normalize("NFC").toLowerCase() === path.normalize("NFC").toLowerCase();
}

/** As text, or byte by byte where the path is bytes. */
function linkText(link: string, path: string | Buffer): string {
	return typeof path === "string" ? readlinkSync(link) : readlinkSync(link, "latin1");
}

/**
 * Whether this process has the file at this path open, and not another one that the path led to when a library opened it.
 * True where the system does not tell, and for a tree that only other namespaces have mounted.
 */
export function isOpenAt(path: string): boolean {
	if (!hasDescriptors() || treeRoot.test(path)) return true;
	return readdirSync(descriptors).some((name) => {
		try {
			return readlinkSync(`${descriptors}/${name}`) === path;
		} catch {
			// It was that of the list itself.
			return false;
		}
	});
}

const treeRoot = /^\/proc\/\d+\/fd\/\d+/;

function isTreeRoot(path: string | Buffer): boolean {
	return treeRoot.exec(textOf(path))?.[0] === textOf(path);
}

function textOf(path: string | Buffer): string {
	return typeof path === "string" ? path : path.toString("latin1");
}

/** Below the opened root of a tree, the system's path is that of the root and the rest. */
function systemPath(path: string | Buffer): string {
	const text = textOf(path);
	const root = treeRoot.exec(text)?.[0];
	return root === undefined ? text : join(linkText(root, path), text.slice(root.length));
}
