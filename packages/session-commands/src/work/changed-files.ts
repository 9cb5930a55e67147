/** What a session changed on disk, file by file: from what its tools reported, and from what git sees. */
import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";

import type { SessionEntry } from "@tau/log";
import type { JournalEntry } from "@tau/log/journal";
import { diffIn } from "@tau/utils";

export interface ChangedFile {
	path: string;
	added: number;
	removed: number;
	/** What the session did to it, in order. Empty for what only git sees, and for files without a diff. */
	diffs: string[];
	/** The session has changed it, and no tool reported how. */
	isRecorded?: true;
	/** Whether git sees a change of it now; undefined where git did not run. */
	inGit: boolean | undefined;
}

/** Tools that change files report a unified diff, of one file or of several. */
export function changedFiles(entries: Iterable<SessionEntry>): ChangedFile[] {
	const files = new Map<string, ChangedFile>();
	for (const entry of entries) {
		if (entry.type !== "message" || entry.message.role !== "toolResult" || entry.message.isError) continue;
		for (const part of splitDiff(diffIn(entry.message.details) ?? "")) {
			const file = files.get(part.path) ?? {
				path: part.path,
				added: 0,
				removed: 0,
				diffs: [],
				inGit: undefined,
			};
			file.added += part.added;
			file.removed += part.removed;
			file.diffs.push(part.text);
			files.set(part.path, file);
		}
	}
	return [...files.values()];
}

/** Adds the files whose tools reported no diff: archives, databases, notebooks. `cwd` and the journal have real paths. */
export async function withJournal(
	files: readonly ChangedFile[],
	entries: readonly JournalEntry[],
	cwd: string,
): Promise<readonly ChangedFile[]> {
	const known = new Set(await Promise.all(files.map(({ path }) => realPath(resolve(cwd, path)))));
	const others = new Set(entries.map(({ path }) => path).filter((path) => !known.has(path)));
	return [
		...files,
		...[...others].map((path) => ({
			path: shownPath(cwd, path),
			added: 0,
			removed: 0,
			diffs: [],
			isRecorded: true as const,
			inGit: undefined,
		})),
	];
}

async function realPath(path: string): Promise<string> {
	// A file that was deleted has no other path.
	return realpath(path).catch(() => path);
}

function shownPath(cwd: string, path: string): string {
	const way = relative(cwd, path);
	return way.startsWith("..") ? path : way;
}

/** What only git knows of comes last: it may be older than the session, or the work of a command. */
export function withGit(
	files: readonly ChangedFile[],
	changed: readonly string[] | undefined,
): readonly ChangedFile[] {
	if (!changed) return files;
	const seen = new Set(changed);
	const known = new Set(files.map(({ path }) => path));
	return [
		...files.map((file) => ({ ...file, inGit: seen.has(file.path) })),
		...changed
			.filter((path) => !known.has(path))
			.map((path) => ({ path, added: 0, removed: 0, diffs: [], inGit: true })),
	];
}

/** The paths of `git status --porcelain=v1 -z`. */
export function statusPaths(output: string): string[] {
	const paths: string[] = [];
	const fields = output.split("\0");
	for (let at = 0; at < fields.length; at++) {
		const field = fields[at] ?? "";
		if (field.length < 4) continue;
		paths.push(field.slice(3));
		// A file that was renamed is followed by its old name.
		if (/^[RC]/.test(field)) at++;
	}
	return paths;
}

export interface DiffPart {
	path: string;
	text: string;
	added: number;
	removed: number;
}

export function splitDiff(diff: string): DiffPart[] {
	const parts: DiffPart[] = [];
	let lines: string[] = [];
	const flush = (): void => {
		const part = partOf(lines);
		if (part) parts.push(part);
		lines = [];
	};
	const all = diff.split("\n");
	for (const [at, line] of all.entries()) {
		if (line.startsWith("--- ") && all[at + 1]?.startsWith("+++ ")) flush();
		lines.push(line);
	}
	flush();
	return parts;
}

function partOf(lines: readonly string[]): DiffPart | undefined {
	const before = lines[0]?.slice(4) ?? "";
	const after = lines[1]?.slice(4) ?? "";
	if (!lines[0]?.startsWith("--- ") || !lines[1]?.startsWith("+++ ")) return undefined;
	const body = lines.slice(2);
	return {
		path: after === "/dev/null" ? before : after,
		text: lines.join("\n"),
		added: body.filter((line) => line.startsWith("+")).length,
		removed: body.filter((line) => line.startsWith("-")).length,
	};
}
