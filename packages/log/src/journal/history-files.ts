/** The files that a history is about: those of this machine, or of another one. */
import type { Machine, MachineFiles } from "@tau/sys";

import {
	ProjectReader,
	bytePath,
	bytesOf,
	hashOf,
	readImage,
	shownPath,
	type Image,
	type ReadImage,
} from "./image.ts";
import type { ImageStore } from "./image-store.ts";
import { limits } from "./limits.ts";
import { restoreFiles, type RestoreFailure, type WantedImage } from "./restore-files.ts";

/** Reads paths, and never through a link. Valid for a moment. */
export type ImageReader = Pick<ProjectReader, "read" | "linkAbove">;

/** Paths are strings of bytes. */
export interface HistoryFiles {
	/** The other machine; absent for this one. */
	readonly machine?: string;
	reader(paths: readonly string[], root: string, signal?: AbortSignal): Promise<ImageReader>;
	restore(
		wanted: readonly WantedImage[],
		store: ImageStore,
		root: string,
		signal?: AbortSignal,
	): Promise<RestoreFailure[]>;
	/** What is in a file now or, on another machine, was when it was read last. */
	content(path: string): Buffer | undefined;
}

export const localHistory: HistoryFiles = {
	reader: async (_paths, root) => new ProjectReader(root),
	restore: restoreFiles,
	content: (path) => readImage(path).content,
};

const absent: ReadImage = { image: { kind: "absent" }, stamp: "" };

export function remoteHistory({ where, files }: Pick<Machine, "where" | "files">): HistoryFiles {
	let last = new Map<string, ReadImage>();
	return {
		machine: where.label,
		async reader(paths, root, signal) {
			const images = new Map<string, ReadImage>();
			const links = new Map<string, string | undefined>();
			for (const path of paths) {
				signal?.throwIfAborted();
				images.set(path, await readRemoteImage(files, path, signal));
				links.set(path, await linkAbove(files, path, root));
			}
			last = images;
			return {
				read: (path) => images.get(path) ?? absent,
				linkAbove: (path) => links.get(path),
			};
		},
		async restore(wanted, store, _root, signal) {
			const failures: RestoreFailure[] = [];
			for (const one of wanted) {
				const reason = signal?.aborted
					? "stopped before it was restored"
					: await restoreOne(files, one, store).catch((error: unknown) => String(error));
				if (reason !== undefined) failures.push({ path: one.path, reason });
			}
			return failures;
		},
		content: (path) => last.get(path)?.content,
	};
}

async function readRemoteImage(
	files: MachineFiles,
	path: string,
	signal: AbortSignal | undefined,
): Promise<ReadImage> {
	const at = shownPath(path);
	const unknown = (why: "large" | "special" | "unreadable"): ReadImage => ({
		image: { kind: "unknown", why },
		stamp: "",
	});
	try {
		const facts = await files.lstat(at);
		if (!facts) return absent;
		if (facts.kind === "link")
			return { image: { kind: "link", target: bytePath(facts.linkTarget ?? "") }, stamp: "" };
		if (facts.kind === "directory") return { image: { kind: "directory", mode: 0o755 }, stamp: "" };
		if (facts.kind !== "file") return unknown("special");
		if (facts.size > limits.fileBytes) return unknown("large");
		const entry = await files.readEntry(at, at);
		if (!entry.ok) return unknown("unreadable");
		const maxBytes = limits.fileBytes;
		const content = Buffer.from(
			await files.read(at, { signal: signal ?? new AbortController().signal, maxBytes }),
		);
		return { image: imageOf(content, entry.mode), content, stamp: entry.stamp };
	} catch (error) {
		// A part of its path is a file now.
		return (error as NodeJS.ErrnoException).code === "ENOTDIR" ? absent : unknown("unreadable");
	}
}

export function imageOf(content: Uint8Array, mode: number): Image {
	if (content.length > limits.fileBytes) return { kind: "unknown", why: "large" };
	return { kind: "file", mode, size: content.length, hash: hashOf(content) };
}

/** The directory of the path, if it is reached through a link now. */
async function linkAbove(files: MachineFiles, path: string, root: string): Promise<string | undefined> {
	const directory = path.slice(0, path.lastIndexOf("/"));
	if (!directory.startsWith(`${root}/`)) return undefined;
	const real = await files.realpath(shownPath(directory)).catch(() => undefined);
	return real === undefined || bytePath(real) === directory ? undefined : directory;
}

/** Undefined if it was restored. */
async function restoreOne(
	files: MachineFiles,
	{ path, want }: WantedImage,
	store: ImageStore,
): Promise<string | undefined> {
	const at = shownPath(path);
	if (want.kind === "directory" || want.kind === "unknown") return "a directory there is not restored";
	const entry = await files.readEntry(at, at);
	if (!entry.ok && entry.kind !== "missing") return entry.reason;
	const before = entry.ok ? entry : ({ ok: true, shown: at, target: at, text: undefined } as const);
	if (want.kind === "absent" && !entry.ok) return undefined;
	const bytes = want.kind === "file" ? store.get(want.hash) : undefined;
	if (want.kind === "file" && !bytes) return "its content is no longer kept";
	const common = { text: "", hasBom: false };
	const after =
		want.kind === "file" && bytes
			? { after: { ...common, bytes, mode: want.mode, setMode: true } }
			: want.kind === "link"
				? { after: { ...common, linkTarget: bytesOf(want.target).toString() } }
				: {};
	const { signal } = new AbortController();
	const done = await files.commit([{ before, ...after }], { signal });
	return done.ok ? undefined : done.reason;
}
