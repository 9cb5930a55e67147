/**
 * Lists and reads the files of an untrusted directory, within bounds. Synchronously: some hundred small files take 10 ms
 * this way, and 70 ms with a promise for every step.
 */
import { readdirSync, readFileSync, realpathSync, statSync, type Dirent } from "node:fs";
import { join, sep } from "node:path";

import { limits } from "./limits.ts";

export interface ListOptions {
	/** How the names end; a file of another kind is not seen. */
	endings: readonly string[];
	/** Whether directories below are looked into. */
	deep?: boolean;
}

export interface Listed {
	path: string;
	/** The names from the directory down to the file, without its ending. */
	parts: string[];
}

/** Lists files before directories, each sorted by name. Empty if there is no such directory. */
export function listFiles(directory: string, { endings, deep = false }: ListOptions): Listed[] {
	const files: Listed[] = [];
	let left: number = limits.directories;
	const visit = (at: string, parts: readonly string[]): void => {
		if (left-- <= 0) return;
		const below: string[] = [];
		for (const entry of entriesOf(at)) {
			const { name } = entry;
			const kind = kindOf(entry, at);
			const ending = endings.find((end) => name.endsWith(end) && name !== end);
			if (kind === "file" && ending !== undefined && files.length < limits.perDirectory)
				files.push({ path: join(at, name), parts: [...parts, name.slice(0, -ending.length)] });
			if (kind === "directory" && deep && parts.length < limits.depth && !isLoop(entry, at)) below.push(name);
		}
		for (const name of below) visit(join(at, name), [...parts, name]);
	};
	visit(directory, []);
	return files;
}

/** Hidden files and installed packages contain no skills. */
export function entriesOf(directory: string): Dirent[] {
	try {
		return readdirSync(directory, { withFileTypes: true })
			.filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
			.toSorted((a, b) => (a.name < b.name ? -1 : 1));
	} catch {
		// Not there, no directory, or not for us: nothing can be found in it.
		return [];
	}
}

/** A link counts as its target. */
export function kindOf(entry: Dirent, directory: string): "file" | "directory" | undefined {
	if (entry.isFile()) return "file";
	if (entry.isDirectory()) return "directory";
	if (!entry.isSymbolicLink()) return undefined;
	const info = infoOf(join(directory, entry.name));
	if (info?.isDirectory()) return "directory";
	return info?.isFile() ? "file" : undefined;
}

/** A link to its own parent directory would list the same files again and again. */
export function isLoop(entry: Dirent, directory: string): boolean {
	if (!entry.isSymbolicLink()) return false;
	const [target, from] = [realOf(join(directory, entry.name)), realOf(directory)];
	return target !== undefined && from !== undefined && (from === target || isInside(from, target));
}

export type FileText = { ok: true; text: string } | { ok: false; message: string };

/** Reads a file as text. A non-file, binary or too long one is refused with the reason; undefined if it is missing. */
export function readText(path: string, bytes: number): FileText | undefined {
	try {
		// Opening a pipe would block, so the type is checked first.
		const info = statSync(path);
		if (!info.isFile()) return { ok: false, message: "is not a file" };
		if (info.size > bytes)
			return { ok: false, message: `has ${info.size} bytes; at most ${bytes} are allowed` };
		const text = readFileSync(path, "utf8");
		if (text.includes("\0")) return { ok: false, message: "is not a text file" };
		return { ok: true, text: text.replace(/^\uFEFF/, "") };
	} catch (error) {
		if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
			return undefined;
		return {
			ok: false,
			message: `cannot be read: ${error instanceof Error ? error.message : String(error)}`,
		};
	}
}

export function infoOf(path: string): ReturnType<typeof statSync> | undefined {
	try {
		return statSync(path);
	} catch {
		// Not there, or a circle of links.
		return undefined;
	}
}

export function realOf(path: string): string | undefined {
	try {
		return realpathSync.native(path);
	} catch {
		// What cannot be resolved is not there, or a circle of links.
		return undefined;
	}
}

export function isInside(path: string, directory: string): boolean {
	return path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
