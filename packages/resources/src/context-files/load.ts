/** Reads the files that instruct the model, within limits, and reports what was left out. */
import { realpathSync, statSync } from "node:fs";
import { sep } from "node:path";

import { cutUtf8Bytes, shortenHome, stripControls } from "@tau/utils";

import { findContextFiles, type ContextFileLocation, type FindOptions } from "./find.ts";
import { withImports } from "./imports.ts";
import { limits } from "./limits.ts";

export interface ContextFile {
	path: string;
	level: ContextFileLocation["level"];
	content: string;
}

export interface ContextFiles {
	files: ContextFile[];
	/** Notices for the user: a file that was truncated, an import that was rejected. */
	notices: string[];
}

export async function loadContextFiles(options: FindOptions): Promise<ContextFiles> {
	const notices: string[] = [];
	const contextFileLocations = findContextFiles(options);
	const contents = new Map<ContextFileLocation, string>();
	let left: number = limits.totalBytes;
	for (const location of byImportance(contextFileLocations)) {
		const content = await read(location, Math.min(limits.fileBytes, left), notices);
		if (content === undefined || content === "") continue;
		left -= Buffer.byteLength(content);
		contents.set(location, content);
	}
	const files = contextFileLocations.flatMap((location): ContextFile[] => {
		const content = contents.get(location);
		return content === undefined ? [] : [{ path: location.path, level: location.level, content }];
	});
	return { files, notices };
}

/** The user's own file gets its share first: a repository cannot crowd it out. Then the nearest count most. */
function byImportance(places: readonly ContextFileLocation[]): ContextFileLocation[] {
	const ofProject = places.filter(({ level }) => level === "project");
	return [...places.filter(({ level }) => level === "user"), ...ofProject.toReversed()];
}

async function read(
	{ path, root, level }: ContextFileLocation,
	room: number,
	notices: string[],
): Promise<string | undefined> {
	const shown = shortenHome(path);
	// A pipe would be waited for, and some devices never end.
	if (!isFile(path)) return void notices.push(`${shown} was skipped: it is not a file.`);
	if (level === "project" && !liesIn(path, root)) {
		return void notices.push(`${shown} was skipped: it is a link that points outside ${shortenHome(root)}.`);
	}
	const raw = await Bun.file(path)
		.slice(0, limits.fileBytes + 1)
		.text()
		.catch((error: Error) => error);
	if (raw instanceof Error) return void notices.push(`Cannot read ${shown}: ${raw.message}`);
	if (raw.includes("\0")) return void notices.push(`${shown} was skipped: it is not a text file.`);
	const { text, problems } = await withImports(path, raw, root);
	notices.push(...problems);
	const clean = stripControls(text).trim();
	const bytes = Buffer.from(clean);
	if (bytes.length <= room) return clean;
	const why = `${bytes.length} bytes or more, of which ${room} fit into the context`;
	notices.push(`${shown} was truncated: it has ${why}.`);
	const kept = new TextDecoder().decode(cutUtf8Bytes(bytes, room, "head"));
	return `${kept}\n[truncated here: read ${path} for the rest]`;
}

/** A repository must not show the model the user's other files by a link; the user's own file may be anywhere. */
function liesIn(path: string, root: string): boolean {
	return realpathSync(path).startsWith(realpathSync(root) + sep);
}

function isFile(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
