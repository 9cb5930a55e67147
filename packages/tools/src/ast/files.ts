/** Searches the structure of many files: those of a directory that are code, or one that is named. */
import { join, relative } from "node:path";

import { GlobError, type Machine, type MachineFiles } from "@tau/sys";

import type { Match, MatchBounds } from "./engine.ts";
import { languageNamed, languageOf, type Language } from "./languages.ts";
import { limits } from "./limits.ts";
import { findStructure } from "./structure.ts";

export interface StructureSearch {
	machine: Machine;
	pattern: string;
	/** The path as the model wrote it, and the absolute path. */
	path: string;
	absolute: string;
	/** The directory that shown paths are relative to. */
	cwd: string;
	glob?: string | undefined;
	lang?: string | undefined;
	signal: AbortSignal;
}

export interface FileMatches {
	/** The path, relative to the working directory when it is below it. */
	shown: string;
	absolute: string;
	text: string;
	matches: Match[];
}

export interface AstFileMatches {
	files: FileMatches[];
	/** The number of searched files. */
	searched: number;
	/** The skipped files: too large or unreadable. */
	passedOver: number;
	/** Files that could not be parsed within the limits, with the reason. */
	stopped: string[];
	isCut: boolean;
}

export type SearchResult = { ok: true; value: AstFileMatches } | { ok: false; reason: string };

interface CodeFile {
	absolute: string;
	language: Language;
}

/** `enough` matches end the search early. */
export async function searchStructure(
	search: StructureSearch,
	enough: number,
	bounds: Omit<MatchBounds, "matches">,
): Promise<SearchResult> {
	const files = await codeFiles(search);
	if (!files.ok) return files;
	const astFileMatches: AstFileMatches = {
		files: [],
		searched: 0,
		passedOver: 0,
		stopped: [],
		isCut: files.isCut,
	};
	// A pattern need not be code in every language of the directory; in one it has to be.
	const refused = new Map<string, string>();
	let count = 0;
	for (const { absolute, language } of files.value) {
		search.signal.throwIfAborted();
		if (refused.has(language.name)) continue;
		const text = await codeText(search.machine.files, absolute, search.signal);
		if (text === undefined) {
			astFileMatches.passedOver++;
			continue;
		}
		const { pattern, signal } = search;
		const matches = await findStructure({
			language,
			text,
			pattern,
			signal,
			matches: enough - count,
			...bounds,
		});
		if (!matches.ok && "isStopped" in matches) {
			astFileMatches.stopped.push(`${shownPath(absolute, search.cwd)}: ${matches.reason}`);
			if (astFileMatches.stopped.length >= limits.stoppedFiles) break;
			continue;
		}
		if (!matches.ok) {
			refused.set(language.name, matches.reason);
			continue;
		}
		astFileMatches.searched++;
		const { matches: inFile, isCut } = matches.value;
		if (inFile.length === 0) continue;
		astFileMatches.files.push({
			shown: shownPath(absolute, search.cwd),
			absolute,
			text,
			matches: inFile,
		});
		count += inFile.length;
		if (isCut || count >= enough) return { ok: true, value: { ...astFileMatches, isCut: true } };
	}
	const [reason] = refused.values();
	if (astFileMatches.searched === 0 && reason !== undefined) return { ok: false, reason };
	return { ok: true, value: astFileMatches };
}

/** Names the files that were not parsed, and what to do about it. */
export function aboutStopped(stopped: readonly string[]): string {
	return `Parsing was stopped for ${stopped.join("; ")}. Leave such files out by path or glob, or use grep.`;
}

type CodeFiles = { ok: true; value: CodeFile[]; isCut: boolean } | { ok: false; reason: string };

async function codeFiles(search: StructureSearch): Promise<CodeFiles> {
	const wanted = search.lang === undefined ? undefined : languageNamed(search.lang);
	if (wanted && "unknown" in wanted) return { ok: false, reason: wanted.unknown };
	const { files } = search.machine;
	const info = await files.stat(search.absolute).catch(() => undefined);
	if (!info) return { ok: false, reason: `There is no file or directory ${search.path}.` };
	if (info.kind !== "directory") return oneFile(search, wanted);
	try {
		const { root, entries, isCut } = await files.glob({
			root: search.absolute,
			pattern: search.glob ?? "**/*",
			nodeModules: search.absolute.includes("node_modules"),
			signal: search.signal,
		});
		const value = entries.flatMap(({ path, kind }) => {
			const language = kind === "file" ? languageOf(path) : undefined;
			return language && (!wanted || language === wanted) ? [{ absolute: join(root, path), language }] : [];
		});
		return { ok: true, value: value.slice(0, limits.files), isCut: isCut || value.length > limits.files };
	} catch (error) {
		if (error instanceof GlobError) return { ok: false, reason: error.message };
		throw error;
	}
}

function oneFile({ absolute, path }: StructureSearch, wanted: Language | undefined): CodeFiles {
	const language = wanted ?? languageOf(absolute);
	if (language) return { ok: true, value: [{ absolute, language }], isCut: false };
	return { ok: false, reason: `Cannot tell the language of ${path} from its name. Set lang.` };
}

/** Returns undefined for a skipped file: too large, deleted, not readable or binary. */
async function codeText(
	files: MachineFiles,
	absolute: string,
	signal: AbortSignal,
): Promise<string | undefined> {
	const bytes = await files.read(absolute, { signal, maxBytes: limits.fileBytes }).catch(() => undefined);
	signal.throwIfAborted();
	if (!bytes || bytes.includes(0)) return undefined;
	return new TextDecoder().decode(bytes);
}

function shownPath(absolute: string, cwd: string): string {
	const path = relative(cwd, absolute);
	return path.startsWith("..") ? absolute : path;
}
