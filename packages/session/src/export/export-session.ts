/** Writes a session to a file that others can read. */
import { open, unlink } from "node:fs/promises";
import { extname, resolve } from "node:path";

import { expandHome, registerProviderKeys } from "@tau/utils";

import type { SessionManager } from "@tau/log";
import { toMarkdown } from "./markdown.ts";
import { limits } from "./limits.ts";
import { toNotebook } from "./notebook.ts";
import { exportSource, type ExportSource } from "./source.ts";

export type ExportFormat = "html" | "md" | "json" | "ipynb";

export interface ExportOptions {
	/** The default is the session's id with the extension of the format, in `cwd`. */
	file?: string | undefined;
	/** The default follows from the file's extension, else it is HTML. */
	format?: ExportFormat | undefined;
	/** The base of a relative file; the default is the directory of the process. */
	cwd?: string;
	/** Whether an existing file may be overwritten; by default it is not, because it may be anything. */
	replace?: boolean;
}

const writers: Readonly<Record<Exclude<ExportFormat, "html">, (source: ExportSource) => string>> = {
	md: toMarkdown,
	json: toJson,
	ipynb: toNotebook,
};

const endings: Readonly<Record<string, ExportFormat>> = {
	".html": "html",
	".htm": "html",
	".md": "md",
	".markdown": "md",
	".json": "json",
	".ipynb": "ipynb",
};

/** Returns the path of the file. Rejects with a one-line message for the user. */
export async function exportSession(session: SessionManager, options: ExportOptions = {}): Promise<string> {
	const { file, cwd = process.cwd(), replace = false } = options;
	const format = options.format ?? formatOf(file);
	const path = resolve(cwd, file === undefined ? `${usualName(session)}.${format}` : expandHome(file));
	try {
		registerProviderKeys(process.env);
		const text =
			format === "html" ? await toPage(session) : await masked(writers[format](exportSource(session)));
		// The file is as private as the session itself; sharing it is the user's decision.
		await writeWhole(path, text, replace);
	} catch (error) {
		const code = error instanceof Error && "code" in error ? String(error.code) : "";
		if (code === "EEXIST")
			throw new Error(`${path} already exists. Remove it, or choose another file name.`, { cause: error });
		const reason = reasons[code];
		if (reason === undefined) throw error;
		throw new Error(`Cannot write ${path}: ${reason}`, { cause: error });
	}
	return path;
}

/** The rules are read when something is exported. The file is the user's own: the name of their home directory stays. */
async function masked(text: string): Promise<string> {
	const { findSecrets, knownSecrets, maskFindings } = await import("@tau/utils/secrets");
	return maskFindings(text, findSecrets(text, { ...knownSecrets(process.env), homes: [] }));
}

/** The page that shares have, with every branch in it. */
async function toPage(session: SessionManager): Promise<string> {
	const [{ knownSecrets, maskValue }, { shareDocument }, { documentPage }] = await Promise.all([
		import("@tau/utils/secrets"),
		import("./document.ts"),
		import("./document-page.ts"),
	]);
	const known = { ...knownSecrets(process.env), homes: [] };
	const { value, found } = maskValue(shareDocument(session, "all"), known);
	return await documentPage({ ...value, masked: found.length });
}

/** Both parts come from the file and must not lead out of this directory; the id tells equal titles apart. */
function usualName(session: SessionManager): string {
	const id = session.getSessionId().replaceAll(/[^\w.-]/g, "_");
	const title = (session.getSessionName() ?? "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	const slug = [...title.join("-")].slice(0, limits.nameChars).join("").replace(/-$/, "");
	return slug === "" ? id : `${slug}-${id.slice(0, limits.nameIdChars)}`;
}

const reasons: Readonly<Record<string, string>> = {
	ENOENT: "the folder does not exist.",
	ENOTDIR: "part of the path is not a folder.",
	EISDIR: "it is a folder. Add a file name.",
	EACCES: "permission denied.",
	EROFS: "the file system is read-only.",
};

/** A name without an extension is an HTML page; another extension is an unsupported format. */
function formatOf(file: string | undefined): ExportFormat {
	const ending = extname(file ?? "").toLowerCase();
	const format = ending === "" ? "html" : endings[ending];
	if (format) return format;
	throw new Error(`Cannot export as ${ending}. Use .html, .md, .json or .ipynb.`);
}

/** A full disk leaves no partial page, which would block the next try. */
async function writeWhole(path: string, text: string, replace: boolean): Promise<void> {
	await using file = await open(path, replace ? "w" : "wx", 0o600);
	try {
		await file.writeFile(text);
	} catch (error) {
		if (!replace) await unlink(path);
		throw error;
	}
}

/** Writes a branch of a session as JSON: the header, and the unchanged entries. */
export function toJson({ header, branch }: ExportSource): string {
	return `${JSON.stringify({ session: header, entries: branch }, null, 2)}\n`;
}
