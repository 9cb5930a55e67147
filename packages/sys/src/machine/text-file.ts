/** Reads a text file with the properties that a change must preserve. */
import {
	closeSync,
	constants,
	fstatSync,
	lstatSync,
	readFileSync,
	readlinkSync,
	type BigIntStats,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "@tau/utils";

import { HeldDirectory, openHeld, PathMoved, realPath } from "../walk/index.ts";
import type { NewContent } from "./change.ts";
import { limits } from "./limits.ts";
import { problem, systemProblem, type FileProblem } from "./problem.ts";

const bomMark = "\ufeff";

export interface TextFile {
	readonly ok: true;
	/** As the model wrote it, for messages. */
	readonly shown: string;
	/** The file itself, behind all links. */
	readonly target: string;
	/** Without a byte order mark; the line ends are the file's own. */
	readonly text: string;
	readonly hasBom: boolean;
	readonly mode: number;
	readonly owner: { readonly uid: number; readonly gid: number };
	/** The number of hard links. */
	readonly links: number;
	/** Identifies this state of the file. */
	readonly stamp: string;
}

/** A file that does not exist yet, with all links resolved. */
export interface AbsentFile {
	readonly ok: true;
	readonly shown: string;
	readonly target: string;
	readonly text: undefined;
}

/** The same for a file that has to exist. `shown` is the path as the model wrote it. */
export function readTextFile(shown: string, absolute: string): TextFile | FileProblem {
	return existing(readTextFileOrNone(shown, absolute));
}

/** A file that has to exist, or the problem that it does not. */
export function existing(file: TextFile | AbsentFile | FileProblem): TextFile | FileProblem {
	if (!file.ok || file.text !== undefined) return file;
	return problem("missing", `There is no file ${file.shown}.`);
}

export function readTextFileOrNone(shown: string, absolute: string): TextFile | AbsentFile | FileProblem {
	try {
		for (let attempt = 1; ; attempt++) {
			const read = attempted(() => readTarget(shown, followLinks(absolute)), attempt);
			if (read) return read;
		}
	} catch (error) {
		return systemProblem(shown, "read", error);
	}
}

/** The same for a path without links: if it leads elsewhere now, nothing is read. */
export function readUnlinkedText(shown: string, target: string): TextFile | AbsentFile | FileProblem {
	try {
		return readTarget(shown, target);
	} catch (error) {
		return systemProblem(shown, "read", error);
	}
}

/** Undefined if a link was changed after it was followed, so that it is followed again. */
function attempted<T>(work: () => T, attempt: number): T | undefined {
	try {
		return work();
	} catch (error) {
		if (!(error instanceof PathMoved) || attempt >= limits.linkAttempts) throw error;
		return undefined;
	}
}

/** The kind is known before the content is read, and both are those of one file. */
function readTarget(shown: string, target: string): TextFile | AbsentFile | FileProblem {
	let file: number;
	try {
		file = openHeld(target, constants.O_RDONLY | constants.O_NONBLOCK);
	} catch (error) {
		if (errorCode(error) === "ENXIO") return problem("special", `${shown} is not a regular file.`);
		if (errorCode(error) !== "ENOENT") throw error;
		checkAbove(target);
		return { ok: true, shown, target, text: undefined };
	}
	try {
		const info = fstatSync(file, { bigint: true });
		const refused = refuseKind(shown, info);
		if (refused) return refused;
		const text = decode(shown, readFileSync(file));
		if (typeof text !== "string") return text;
		const hasBom = text.startsWith(bomMark);
		return { ...factsOf(shown, target, info), text: hasBom ? text.slice(1) : text, hasBom };
	} finally {
		closeSync(file);
	}
}

/** What does not exist must not be missing because of a link either: it would be created behind it. */
function checkAbove(target: string): void {
	for (let at = dirname(target); ; at = dirname(at)) {
		try {
			return HeldDirectory.open(at)[Symbol.dispose]();
		} catch (error) {
			if (errorCode(error) !== "ENOENT" || at === dirname(at)) throw error;
		}
	}
}

/** A file that is to be deleted: the name itself, even if it is a link, with any content. */
export function readEntry(shown: string, absolute: string): TextFile | FileProblem {
	try {
		for (let attempt = 1; ; attempt++) {
			const read = attempted(() => readName(shown, entryOf(absolute), true), attempt);
			if (read) return read;
		}
	} catch (error) {
		return systemProblem(shown, "read", error);
	}
}

/** The same for a name in a directory without links. What is behind a link is not read: it may be anywhere. */
export function readUnlinkedEntry(shown: string, target: string): TextFile | FileProblem {
	try {
		return readName(shown, target, false);
	} catch (error) {
		return systemProblem(shown, "read", error);
	}
}

function readName(shown: string, target: string, isFollowed: boolean): TextFile | FileProblem {
	using directory = HeldDirectory.open(dirname(target));
	const info = lstatSync(directory.at(basename(target)), { bigint: true });
	if (info.isDirectory()) return problem("directory", `${shown} is a directory.`);
	const read = isFollowed ? readTextFileOrNone : readUnlinkedText;
	const isRead = info.isFile() || (isFollowed && info.isSymbolicLink());
	const found = isRead ? read(shown, target) : undefined;
	const [text, hasBom] = found?.ok && found.text !== undefined ? [found.text, found.hasBom] : ["", false];
	return { ...factsOf(shown, target, info), text, hasBom };
}

/** A text file whose bytes were read elsewhere; its stamp is its content. */
export function textFileOf(shown: string, target: string, bytes: Uint8Array): TextFile | FileProblem {
	const text = decode(shown, bytes);
	if (typeof text !== "string") return text;
	const hasBom = text.startsWith(bomMark);
	const facts = { mode: 0o644, owner: { uid: 0, gid: 0 }, links: 1 };
	const stamp = Bun.hash.xxHash3(bytes).toString(16);
	return { ok: true, shown, target, text: hasBom ? text.slice(1) : text, hasBom, ...facts, stamp };
}

/** The bytes of a new content on disk. */
export function encode({ text, hasBom, bytes }: Pick<NewContent, "text" | "hasBom" | "bytes">): Uint8Array {
	return bytes ?? Buffer.from(hasBom ? bomMark + text : text);
}

/** The state of a file or link, or undefined if it does not exist. */
export function currentStamp(path: string): string | undefined {
	const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
	return info && stampOf(info);
}

function factsOf(shown: string, target: string, info: BigIntStats): Omit<TextFile, "text" | "hasBom"> {
	return {
		ok: true,
		shown,
		target,
		mode: Number(info.mode) & 0o7777,
		owner: { uid: Number(info.uid), gid: Number(info.gid) },
		links: Number(info.nlink),
		stamp: stampOf(info),
	};
}

function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
	return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

function refuseKind(shown: string, info: BigIntStats): FileProblem | undefined {
	if (info.isDirectory()) return problem("directory", `${shown} is a directory.`);
	if (!info.isFile()) return problem("special", `${shown} is not a regular file.`);
	if (info.size <= limits.fileBytes) return undefined;
	return problem(
		"large",
		`${shown} is too large to edit (${info.size} bytes). Use bash with sed or a script.`,
	);
}

/** Only a file that decodes and encodes to the same bytes may be changed. */
function decode(shown: string, bytes: Uint8Array): string | FileProblem {
	if (bytes.subarray(0, limits.binaryProbeBytes).includes(0)) {
		return problem("binary", `${shown} is a binary file, not text. Use bash with a suitable tool.`);
	}
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		// The decoder's error has no details.
		return problem(
			"encoding",
			`${shown} is not UTF-8. Convert it first, or change it with bash (iconv, sed).`,
		);
	}
}

/** The target of all links, even if it does not exist yet: the file is created there. */
function followLinks(path: string): string {
	let target = path;
	for (let step = 0; step < limits.linkSteps; step++) {
		target = entryOf(target);
		if (!isLink(target)) return target;
		target = resolve(dirname(target), readlinkSync(target));
	}
	throw new Error("a cycle of links");
}

export function isLink(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** A name in its real directory. */
function entryOf(path: string): string {
	return join(realDirectory(dirname(path)), basename(path));
}

/** Resolves the part of the path that exists. */
function realDirectory(path: string): string {
	try {
		return realPath(path);
	} catch (error) {
		const above = dirname(path);
		if ((error as NodeJS.ErrnoException).code !== "ENOENT" || above === path) throw error;
		return join(realDirectory(above), basename(path));
	}
}
