/** Lists and reads the files of a directory that somebody else wrote, within bounds. */
import type { Dirent } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

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

/** In the order of their names, files before directories. Nothing where there is no such directory. */
export async function listFiles(
	directory: string,
	{ endings, deep = false }: ListOptions,
): Promise<Listed[]> {
	const files: Listed[] = [];
	let left: number = limits.directories;
	const visit = async (at: string, parts: readonly string[]): Promise<void> => {
		if (left-- <= 0) return;
		const below: string[] = [];
		for (const entry of await entriesOf(at)) {
			const { name } = entry;
			const kind = await kindOf(entry, at);
			const ending = endings.find((end) => name.endsWith(end) && name !== end);
			if (kind === "file" && ending !== undefined && files.length < limits.perDirectory)
				files.push({ path: join(at, name), parts: [...parts, name.slice(0, -ending.length)] });
			if (kind === "directory" && deep && parts.length < limits.depth) below.push(name);
		}
		for (const name of below) await visit(join(at, name), [...parts, name]);
	};
	await visit(directory, []);
	return files;
}

/** Hidden files and installed packages are nobody's skills. */
export async function entriesOf(directory: string): Promise<Dirent[]> {
	try {
		const entries = await readdir(directory, { withFileTypes: true });
		return entries
			.filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
			.toSorted((a, b) => (a.name < b.name ? -1 : 1));
	} catch {
		// Not there, no directory, or not for us: nothing can be found in it.
		return [];
	}
}

/** A link counts as what it leads to. */
export async function kindOf(entry: Dirent, directory: string): Promise<"file" | "directory" | undefined> {
	if (entry.isFile()) return "file";
	if (entry.isDirectory()) return "directory";
	if (!entry.isSymbolicLink()) return undefined;
	const info = await stat(join(directory, entry.name)).catch(() => undefined);
	if (info?.isDirectory()) return "directory";
	return info?.isFile() ? "file" : undefined;
}

export type FileText = { ok: true; text: string } | { ok: false; message: string };

/** A file as text. What is no file, no text or too long is refused with the reason; nothing where it is not there. */
export async function readText(path: string, bytes: number): Promise<FileText | undefined> {
	try {
		// A pipe would be waited for without end: it is looked at before it is opened.
		const info = await stat(path);
		if (!info.isFile()) return { ok: false, message: "is no file" };
		if (info.size > bytes) return { ok: false, message: `has ${info.size} bytes; ${bytes} are allowed` };
		await using file = await open(path);
		const text = await file.readFile("utf8");
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

export async function realOf(path: string): Promise<string | undefined> {
	// What cannot be resolved is not there, or a circle of links.
	return realpath(path).catch(() => undefined);
}

/** In their order, a few at a time. */
export async function mapBounded<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
	const results: R[] = [];
	for (let at = 0; at < items.length; at += limits.atOnce)
		results.push(...(await Promise.all(items.slice(at, at + limits.atOnce).map(work))));
	return results;
}
