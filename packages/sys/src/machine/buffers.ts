/** The files that the user has open in an editor: what is read is what the editor shows, and what is written lands there. */
import { committedChanges, type FileChange } from "./change.ts";
import { changedMeanwhile, type Committed } from "./commit.ts";
import { layered } from "./layered.ts";
import { limits } from "./limits.ts";
import type { CommitOptions, Machine, MachineFiles, OpenedFile } from "./machine.ts";
import { textFileOf, type AbsentFile, type TextFile } from "./text-file.ts";

/** The editor's side. Neither may wait forever, and neither rejects. */
export interface EditorBuffers {
	/** The text of a file as the editor has it; undefined where the editor cannot say. */
	read?(path: string, signal: AbortSignal): Promise<string | undefined>;
	/** Whether the editor has taken the text. Most save it, too. */
	write?(path: string, text: string, signal: AbortSignal): Promise<boolean>;
}

/**
 * The same machine; searches and commands see the files on disk. What the editor has not saved after a write is saved,
 * so that the next command finds it.
 */
export function withBuffers(machine: Machine, buffers: EditorBuffers): Machine {
	return { ...machine, files: layered(machine.files, (files) => bufferedFiles(files, buffers)) };
}

function bufferedFiles(files: MachineFiles, buffers: EditorBuffers): Partial<MachineFiles> {
	/** The unsaved text of a file; undefined where the editor has what is on disk. */
	const unsaved = async (disk: TextFile, signal: AbortSignal): Promise<string | undefined> => {
		if (isLong(disk)) return undefined;
		const text = await buffers.read?.(disk.target, signal);
		return text === undefined || isSameText(text, disk.text) ? undefined : withoutMark(text);
	};
	const readBytes = async (path: string, signal: AbortSignal): Promise<Uint8Array | undefined> => {
		const facts = await files.stat(path).catch(() => undefined);
		if (facts?.kind !== "file" || facts.size > limits.bufferChars) return undefined;
		const bytes = await files.read(path, { signal, maxBytes: limits.bufferChars }).catch(() => undefined);
		// An editor would answer with what it takes an image for.
		const disk = bytes && textFileOf(path, path, bytes);
		const text = disk?.ok ? await unsaved(disk, signal) : undefined;
		return text === undefined ? undefined : Buffer.from(text);
	};
	return {
		async open(path, signal) {
			const bytes = await readBytes(path, signal);
			return bytes ? openedBytes(bytes) : await files.open(path, signal);
		},
		async read(path, options) {
			const bytes = await readBytes(path, options.signal);
			if (!bytes || bytes.length > options.maxBytes) return await files.read(path, options);
			return options.range ? bytes.subarray(options.range.start, options.range.end) : bytes;
		},
		async readText(shown, path) {
			const disk = await files.readText(shown, path);
			if (!disk.ok || disk.text === undefined) return disk;
			const text = await unsaved(disk, AbortSignal.timeout(limits.timeoutMs));
			return text === undefined ? disk : { ...disk, text, stamp: bufferStamp(disk.stamp, text) };
		},
		commit: (changes, options) => commitToBuffers(files, buffers, changes, options),
	};
}

/** The editor first. What it does not take, and what it has not saved, is written to the disk. */
async function commitToBuffers(
	files: MachineFiles,
	buffers: EditorBuffers,
	changes: readonly FileChange[],
	options: CommitOptions,
): Promise<Committed> {
	const { signal } = options;
	const left: FileChange[] = [];
	const taken: FileChange[] = [];
	for (const change of changes) {
		if (await isChangedInEditor(change, buffers, signal)) return changedMeanwhile(change);
		const { before, after } = change;
		const plain = { ...change, before: onDisk(before) };
		// What the editor has of a longer file is not known, and must not be overwritten there.
		const isText = after && !after.bytes && after.linkTarget === undefined && !isLong(before);
		const isTaken = isText && (await isUnchanged(files, plain.before));
		if (isTaken && (await buffers.write?.(before.target, after.text, signal))) taken.push(plain);
		else left.push(plain);
	}
	for (const change of taken) {
		const { before, after } = change;
		const now = await files.readText(before.shown, before.target);
		if (!now.ok || !after) return now.ok ? changedMeanwhile(change) : now;
		const isSaved = now.text !== undefined && isSameText(now.text, after.text);
		if (!isSaved || after.executable || after.setMode) left.push({ ...change, before: now });
		else files.noteChange({ toolCallId: options.toolCallId }, before.target);
	}
	const done = left.length > 0 ? await files.commit(left, options) : { ok: true as const };
	return done.ok ? { ok: true, changes: committedChanges(changes) } : done;
}

/** The user has typed since the change was planned. */
async function isChangedInEditor(
	{ before }: FileChange,
	buffers: EditorBuffers,
	signal: AbortSignal,
): Promise<boolean> {
	if (before.text === undefined || isLong(before)) return false;
	const text = await buffers.read?.(before.target, signal);
	return text !== undefined && !isSameText(text, before.text);
}

function isLong({ text = "" }: TextFile | AbsentFile): boolean {
	return text.length > limits.bufferChars;
}

async function isUnchanged(files: MachineFiles, before: TextFile | AbsentFile): Promise<boolean> {
	const now = await files.readText(before.shown, before.target);
	return now.ok && stampOf(now) === stampOf(before);
}

function stampOf(file: TextFile | AbsentFile): string | undefined {
	return file.text === undefined ? undefined : file.stamp;
}

const mark = "~";

/** An unsaved text is a state of its own: an approval of another text does not cover it. */
function bufferStamp(disk: string, text: string): string {
	return `${disk}${mark}${Bun.hash.xxHash3(text).toString(16)}`;
}

function onDisk<T extends TextFile | AbsentFile>(file: T): T {
	if (file.text === undefined) return file;
	const [stamp = ""] = file.stamp.split(mark);
	return { ...file, stamp };
}

/** Editors keep line ends and byte order marks apart from the text. */
function isSameText(one: string, other: string): boolean {
	return plainText(one) === plainText(other);
}

function plainText(text: string): string {
	return withoutMark(text).replaceAll("\r\n", "\n");
}

function withoutMark(text: string): string {
	return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function openedBytes(bytes: Uint8Array): OpenedFile {
	return {
		size: bytes.length,
		async readInto(into, position) {
			const part = bytes.subarray(position, position + into.length);
			into.set(part);
			return part.length;
		},
		async [Symbol.asyncDispose]() {},
	};
}
