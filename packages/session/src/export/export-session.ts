/** Writes a session to a file that others can read. */
import { open, unlink } from "node:fs/promises";
import { extname, resolve } from "node:path";

import { expandHome } from "@tau/utils";

import type { SessionManager } from "../log/index.ts";
import { toHtml } from "./html.ts";
import { toJson } from "./json.ts";
import { toMarkdown } from "./markdown.ts";
import { exportSource, type ExportSource } from "./source.ts";

export type ExportFormat = "html" | "md" | "json";

export interface ExportOptions {
	/** By default the id of the session with the ending of the format, in `cwd`. */
	file?: string | undefined;
	/** By default what the ending of the file says, else a page. */
	format?: ExportFormat | undefined;
	/** What a relative file is relative to; the directory of the process by default. */
	cwd?: string;
	/** A file that is there already may be anything, and stays, unless the caller says otherwise. */
	replace?: boolean;
}

const writers: Readonly<Record<ExportFormat, (source: ExportSource) => string>> = {
	html: toHtml,
	md: toMarkdown,
	json: toJson,
};

const endings: Readonly<Record<string, ExportFormat>> = {
	".html": "html",
	".htm": "html",
	".md": "md",
	".markdown": "md",
	".json": "json",
};

/** Gives the path of the file. Rejects with one line for a person. */
export async function exportSession(session: SessionManager, options: ExportOptions = {}): Promise<string> {
	const { file, cwd = process.cwd(), replace = false } = options;
	const format = options.format ?? endings[extname(file ?? "").toLowerCase()] ?? "html";
	// An id comes from the file, and must not lead out of this directory.
	const usual = `${session.getSessionId().replaceAll(/[^\w.-]/g, "_")}.${format}`;
	const path = resolve(cwd, file === undefined ? usual : expandHome(file));
	try {
		// As private as the session itself; whoever shares it decides so.
		await writeWhole(path, writers[format](exportSource(session)), replace);
	} catch (error) {
		const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
		if (!isThere) throw error;
		throw new Error(`${path} already exists. Remove it, or choose another file name.`, { cause: error });
	}
	return path;
}

/** A disk that is full leaves no half page, which would stand in the way of the next try. */
async function writeWhole(path: string, text: string, replace: boolean): Promise<void> {
	await using file = await open(path, replace ? "w" : "wx", 0o600);
	try {
		await file.writeFile(text);
	} catch (error) {
		if (!replace) await unlink(path);
		throw error;
	}
}
