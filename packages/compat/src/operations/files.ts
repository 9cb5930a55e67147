/** The files of a machine that an extension's operations reach. */
import { dirname, isAbsolute, join, relative } from "node:path";

import {
	changedMeanwhile,
	committedChanges,
	lockFiles,
	problem,
	search,
	systemProblem,
	textFileOf,
	type CommitOptions,
	type Committed,
	type DirectoryEntry,
	type FileChange,
	type FileFacts,
	type FileProblem,
	type MachineFiles,
	type MachineGlobOptions,
	type OnSearchEvent,
	type OpenedFile,
	type SearchEvent,
	type SearchOptions,
	type TextFile,
} from "@tau/sys";

import { limits } from "./limits.ts";
import type { AnyOperations } from "./operations.ts";

export function operationFiles(operations: AnyOperations): MachineFiles {
	const files: MachineFiles = {
		stat: (path) => stat(operations, path),
		lstat: async (path) => (operations.stat ? stat(operations, path) : undefined),
		realpath: async (path) => path,
		open: (path) => open(operations, path),
		async read(path, { range, maxBytes }) {
			const bytes = await bytesOf(operations, path);
			const part = range ? bytes.subarray(range.start, range.end) : bytes;
			if (part.length > maxBytes) throw withCode("EFBIG", `${path} has more than ${maxBytes} bytes.`);
			return part;
		},
		list: (path) => list(operations, path),
		glob: (options) => glob(operations, options),
		// Operations look for patterns only.
		fuzzyFind: async () => [],
		search: (options, onEvent) => searchThrough(operations, options, onEvent),
		async readText(shown, path) {
			if (!operations.readFile) return { ok: true, shown, target: path, text: undefined };
			return readText(operations, shown, path);
		},
		readEntry: (shown, path) => readText(operations, shown, path),
		commit: (changes, options) => commit(operations, changes, options),
		// Nothing of these files is stored here.
		noteChange() {},
		localPath: () => undefined,
		// Whoever wrote the operations decides what a path leads to.
		unlinked: () => files,
	};
	return files;
}

/** As much as the operations of this tool can report. */
async function stat(operations: AnyOperations, path: string): Promise<FileFacts | undefined> {
	if (operations.exists && !(await operations.exists(path))) return undefined;
	if (operations.stat) {
		const info = await operations.stat(path);
		return facts(info.isDirectory(), info.size);
	}
	if (operations.isDirectory) return facts(await operations.isDirectory(path));
	if (operations.access) {
		await operations.access(path);
		return facts(false);
	}
	// `find` checks the directory to search, `bash` the one to run in; `write` can read nothing.
	return operations.exists || operations.exec ? facts(true) : undefined;
}

function facts(isDirectory: boolean, size = 0): FileFacts {
	return { kind: isDirectory ? "directory" : "file", size, mtimeMs: 0 };
}

async function bytesOf({ readFile }: AnyOperations, path: string): Promise<Uint8Array> {
	if (!readFile) throw withCode("ENOTSUP", "These operations cannot read files.");
	const content = await readFile(path);
	return typeof content === "string" ? Buffer.from(content) : content;
}

async function open(operations: AnyOperations, path: string): Promise<OpenedFile> {
	const mimeType = await operations.detectImageMimeType?.(path);
	const bytes = await bytesOf(operations, path);
	return {
		size: bytes.length,
		...(mimeType ? { mimeType } : {}),
		async readInto(into, position) {
			const part = bytes.subarray(position, position + into.length);
			into.set(part);
			return part.length;
		},
		async [Symbol.asyncDispose]() {},
	};
}

async function list(operations: AnyOperations, path: string): Promise<DirectoryEntry[]> {
	if (!operations.readdir) throw withCode("ENOTSUP", "These operations cannot list directories.");
	const directory = await stat(operations, path);
	if (!directory) throw withCode("ENOENT", `There is no ${path}.`);
	if (directory.kind !== "directory") throw withCode("ENOTDIR", `${path} is not a directory.`);
	const entries: DirectoryEntry[] = [];
	for (const name of await operations.readdir(path)) {
		// A file that is gone meanwhile, or unreadable, is left out.
		const info = await stat(operations, join(path, name)).catch(() => undefined);
		if (info) entries.push({ name, kind: info.kind, isIgnored: false });
	}
	return entries.toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}

async function glob(
	operations: AnyOperations,
	{ root, pattern, wanted: requested = limits.paths }: MachineGlobOptions,
): Promise<Awaited<ReturnType<MachineFiles["glob"]>>> {
	if (!operations.glob) throw withCode("ENOTSUP", "These operations cannot search for files.");
	const ignore = ["**/node_modules/**", "**/.git/**"];
	const paths = await operations.glob(pattern, root, { ignore, limit: requested });
	const entries = paths.map((path) => ({
		path: isAbsolute(path) ? relative(root, path) : path,
		kind: "file" as const,
	}));
	return { root, entries, isCut: false };
}

/** pi searches here and lets the operations read what is shown. */
async function searchThrough(
	operations: AnyOperations,
	options: SearchOptions,
	onEvent: OnSearchEvent,
): Promise<Awaited<ReturnType<MachineFiles["search"]>>> {
	if (!operations.readFile) return search(options, onEvent);
	const events: SearchEvent[] = [];
	const outcome = await search(options, (event) => void events.push(event));
	for (const [path, ofFile] of Map.groupBy(events, (event) => event.path)) {
		const text = Buffer.from(await bytesOf(operations, path)).toString("utf8");
		const lines = text.split("\n");
		for (const event of ofFile) onEvent(event.type === "end" ? event : withLines(event, lines));
	}
	return outcome;
}

function withLines(event: Exclude<SearchEvent, { type: "end" }>, lines: readonly string[]): SearchEvent {
	return {
		...event,
		lines: event.lines.map((line) => ({ ...line, text: lines[line.number - 1] ?? line.text, ranges: [] })),
	};
}

async function readText(
	operations: AnyOperations,
	shown: string,
	path: string,
): Promise<TextFile | FileProblem> {
	try {
		await operations.access?.(path);
		return textFileOf(shown, path, await bytesOf(operations, path));
	} catch (error) {
		return systemProblem(shown, "read", error);
	}
}

/** Operations write one file at a time: what was written is put back when a later one fails. */
async function commit(
	operations: AnyOperations,
	changes: readonly FileChange[],
	{ signal }: CommitOptions,
): Promise<Committed> {
	const refused = changes.find(({ after }) => !after || after.bytes);
	if (!operations.writeFile || refused) {
		return problem("failed", `These operations cannot change ${refused?.before.shown ?? "files"}.`);
	}
	using lock = await lockFiles(
		changes.map(({ before }) => before.target),
		signal,
	);
	if (!lock) return problem("failed", "Another process is writing these files. Try again.");
	for (const change of changes) {
		signal.throwIfAborted();
		if (await isChanged(operations, change)) return changedMeanwhile(change);
	}
	const written: FileChange[] = [];
	for (const change of changes) {
		try {
			await operations.mkdir?.(dirname(change.before.target));
			await put(operations, change.before.target, change.after);
			written.push(change);
		} catch (error) {
			await putBack(operations, written);
			return systemProblem(change.before.shown, "write", error);
		}
	}
	return { ok: true, changes: committedChanges(changes) };
}

/** What the operations cannot read is not known to be another. */
async function isChanged(operations: AnyOperations, { before }: FileChange): Promise<boolean> {
	if (before.text === undefined || !operations.readFile) return false;
	const now = await readText(operations, before.shown, before.target);
	return !now.ok || now.stamp !== before.stamp;
}

async function put(
	{ writeFile }: AnyOperations,
	path: string,
	content: { text: string; hasBom: boolean } | undefined,
): Promise<void> {
	await writeFile?.(path, `${content?.hasBom ? "\ufeff" : ""}${content?.text ?? ""}`);
}

async function putBack(operations: AnyOperations, written: readonly FileChange[]): Promise<void> {
	for (const { before } of written.toReversed()) {
		if (before.text === undefined) continue;
		// The failure that led here is the one to report.
		await put(operations, before.target, before).catch(() => {});
	}
}

function withCode(code: string, message: string): Error {
	return Object.assign(new Error(message), { code });
}
