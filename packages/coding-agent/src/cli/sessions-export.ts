/** `tau sessions export`: writes a session to a file that others can read. */
import { writeFile } from "node:fs/promises";
import { extname, resolve } from "node:path";

import { expandHome } from "@tau/utils";

import { toHtml, toJson, toMarkdown, type ExportSource } from "../session/export/index.ts";
import type { SessionManager } from "../session/index.ts";
import { UsageError } from "./args.ts";

type Format = "html" | "md" | "json";

const writers: Readonly<Record<Format, (source: ExportSource) => string>> = {
	html: toHtml,
	md: toMarkdown,
	json: toJson,
};

const endings: Readonly<Record<string, Format>> = {
	".html": "html",
	".htm": "html",
	".md": "md",
	".markdown": "md",
	".json": "json",
};

/** Gives the file. One that is there already is never overwritten: it may be anything. */
export async function exportSession(
	session: SessionManager,
	file: string | undefined,
	asked: string | undefined,
): Promise<string> {
	const format = isFormat(asked) ? asked : (endings[extname(file ?? "").toLowerCase()] ?? "html");
	// An id comes from the file, and must not lead out of this directory.
	const usual = `${session.getSessionId().replaceAll(/[^\w.-]/g, "_")}.${format}`;
	const path = resolve(file === undefined ? usual : expandHome(file));
	const source: ExportSource = {
		header: session.getHeader(),
		name: session.getSessionName(),
		branch: session.getBranch(),
		tree: session.getTree(),
	};
	try {
		// As private as the session itself; whoever shares it decides so.
		await writeFile(path, writers[format](source), { flag: "wx", mode: 0o600 });
	} catch (error) {
		const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
		if (isThere) throw new UsageError(`${path} is there already: remove it, or name another file.`);
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
	return path;
}

function isFormat(text: string | undefined): text is Format {
	return text !== undefined && Object.hasOwn(writers, text);
}
