/** The state of one path: what is there, and where its content is kept. */
import { closeSync, constants, lstatSync, readFileSync, readlinkSync, type BigIntStats } from "node:fs";

import { openHeld } from "@tau/sys";
import { errorCode } from "@tau/utils";

import { limits } from "./limits.ts";

/** Paths and link targets are strings of bytes (latin1), because names need not be text. Modes are without the type. */
export type Image =
	| { readonly kind: "absent" }
	| { readonly kind: "file"; readonly mode: number; readonly size: number; readonly hash: string }
	| { readonly kind: "link"; readonly target: string }
	| { readonly kind: "directory"; readonly mode: number }
	/** Something that is not kept, and so cannot be restored. */
	| { readonly kind: "unknown"; readonly why: UnknownReason };

export type UnknownReason = "large" | "special" | "unreadable" | "limit" | "late";

/** The change of one path. */
export interface ImageChange {
	/** Absolute, as a string of bytes. */
	readonly path: string;
	readonly before: Image;
	readonly after: Image;
}

/** An image as it was read, with the content of a file. */
export interface ReadImage {
	readonly image: Image;
	readonly content?: Buffer;
	/** Identifies this state of the path without reading it; empty if nothing is there. */
	readonly stamp: string;
}

export const absent: Image = { kind: "absent" };

export function bytesOf(path: string): Buffer {
	return Buffer.from(path, "latin1");
}

export function bytePath(path: string): string {
	return Buffer.from(path).toString("latin1");
}

/** The path as text; bytes that are no text are escaped. */
export function shownPath(path: string): string {
	const bytes = bytesOf(path);
	const text = bytes.toString();
	if (Buffer.from(text).equals(bytes)) return text;
	return path.replaceAll(/[\u0080-\u00ff]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`);
}

/** Undefined if nothing is there, or if it cannot be known. */
export function statsAt(path: string): BigIntStats | undefined {
	try {
		return lstatSync(bytesOf(path), { bigint: true, throwIfNoEntry: false });
	} catch {
		// A part of its path is a file, or may not be read.
		return undefined;
	}
}

/** `known`: the facts of the path, if they were read already. */
export function readImage(path: string, known?: BigIntStats): ReadImage {
	const absolute = bytesOf(path);
	try {
		const stats = known ?? lstatSync(absolute, { bigint: true, throwIfNoEntry: false });
		if (!stats) return { image: absent, stamp: "" };
		const stamp = stampOf(stats);
		const mode = Number(stats.mode) & 0o7777;
		if (stats.isDirectory()) return { image: { kind: "directory", mode }, stamp };
		if (stats.isSymbolicLink())
			return { image: { kind: "link", target: readlinkSync(absolute, "latin1") }, stamp };
		if (!stats.isFile()) return { image: { kind: "unknown", why: "special" }, stamp };
		if (stats.size > limits.fileBytes) return { image: { kind: "unknown", why: "large" }, stamp };
		const content = readHeld(absolute);
		return { image: { kind: "file", mode, size: content.length, hash: hashOf(content) }, content, stamp };
	} catch (error) {
		// A part of its path is a file now.
		if (errorCode(error) === "ENOTDIR" || errorCode(error) === "ENOENT") return { image: absent, stamp: "" };
		return { image: { kind: "unknown", why: "unreadable" }, stamp: "" };
	}
}

/** If a directory of the path has become a link meanwhile, its target is not kept: it may be any file. */
function readHeld(path: Buffer): Buffer {
	const file = openHeld(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		return readFileSync(file);
	} finally {
		closeSync(file);
	}
}

/** Reads paths of a project, and never through a link: what is behind one is somewhere else. Valid for a moment. */
export class ProjectReader {
	readonly #root: string;
	readonly #links = new Map<string, string | undefined>();

	/** A string of bytes. */
	constructor(root: string) {
		this.#root = root;
	}

	read(path: string): ReadImage {
		const stats = this.stats(path);
		return stats ? readImage(path, stats) : { image: absent, stamp: "" };
	}

	stats(path: string): BigIntStats | undefined {
		return this.linkAbove(path) === undefined ? statsAt(path) : undefined;
	}

	/** The topmost directory between the project and the path that is a link now. */
	linkAbove(path: string): string | undefined {
		const directory = path.slice(0, path.lastIndexOf("/"));
		if (!directory.startsWith(`${this.#root}/`)) return undefined;
		if (this.#links.has(directory)) return this.#links.get(directory);
		const above = this.linkAbove(directory);
		const link = above ?? (statsAt(directory)?.isSymbolicLink() === true ? directory : undefined);
		this.#links.set(directory, link);
		return link;
	}
}

export function stampOf({ ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
	return `${ino}:${size}:${mode}:${mtimeNs}:${ctimeNs}`;
}

export function hashOf(content: Uint8Array): string {
	return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}

export function isSame(a: Image, b: Image): boolean {
	if (a.kind === "file" && b.kind === "file") return a.hash === b.hash && a.mode === b.mode;
	if (a.kind === "link" && b.kind === "link") return a.target === b.target;
	if (a.kind === "directory" && b.kind === "directory") return a.mode === b.mode;
	return a.kind === "absent" && b.kind === "absent";
}
