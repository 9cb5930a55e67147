/** Reads a text file with the properties that a change must preserve. */
import { lstatSync, readFileSync, readlinkSync, statSync, type BigIntStats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { realPath } from "../walk/index.ts";
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
		const target = followLinks(absolute);
		const info = statSync(target, { bigint: true, throwIfNoEntry: false });
		if (!info) return { ok: true, shown, target, text: undefined };
		const refused = refuseKind(shown, info);
		if (refused) return refused;
		const text = decode(shown, readFileSync(target));
		if (typeof text !== "string") return text;
		const hasBom = text.startsWith(bomMark);
		return { ...factsOf(shown, target, info), text: hasBom ? text.slice(1) : text, hasBom };
	} catch (error) {
		return systemProblem(shown, "read", error);
	}
}

/** A file that is to be deleted: the name itself, even if it is a link, with any content. */
export function readEntry(shown: string, absolute: string): TextFile | FileProblem {
	try {
		const target = entryOf(absolute);
		const info = lstatSync(target, { bigint: true });
		if (info.isDirectory()) return problem("directory", `${shown} is a directory.`);
		const found = info.isFile() || info.isSymbolicLink() ? readTextFile(shown, target) : undefined;
		const [text, hasBom] = found?.ok ? [found.text, found.hasBom] : ["", false];
		return { ...factsOf(shown, target, info), text, hasBom };
	} catch (error) {
		return systemProblem(shown, "read", error);
	}
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
export function currentStamp(target: string): string | undefined {
	const info = lstatSync(target, { bigint: true, throwIfNoEntry: false });
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
