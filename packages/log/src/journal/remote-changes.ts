/** What a commit changes in files of another machine: it is known from the change itself, mostly without reading them. */
import { encode, type FileChange, type MachineFiles } from "@tau/sys";

import { imageOf } from "./history-files.ts";
import { absent, bytePath, type ImageChange, type ReadImage } from "./image.ts";
import { keepRead, type ImageStore } from "./image-store.ts";
import { limits } from "./limits.ts";

/** Called before the commit; what it returns is called after it was made, and gives the changes. */
export async function remoteChanges(
	changes: readonly FileChange[],
	files: MachineFiles,
	store: ImageStore,
): Promise<() => Promise<ImageChange[]>> {
	const before = new Map<FileChange, ReadImage>();
	for (const change of changes) before.set(change, await imageBefore(change, files));
	return async () => {
		const made: ImageChange[] = [];
		for (const change of changes) {
			const old = before.get(change);
			if (!old) continue;
			const after = await imageAfter(change, files);
			const path = bytePath(change.before.target);
			made.push({ path, before: keepRead(old, store), after: keepRead(after, store) });
		}
		return made;
	};
}

async function imageBefore({ before, after }: FileChange, files: MachineFiles): Promise<ReadImage> {
	const { target } = before;
	if (before.text === undefined) return { image: absent, stamp: "" };
	if (after?.bytes === undefined && after?.linkTarget === undefined && after !== undefined)
		return fileImage(encode({ text: before.text, hasBom: before.hasBom }), before.mode);
	// What is deleted or is no text need not have been read whole.
	const facts = await files.lstat(target).catch(() => undefined);
	if (facts?.kind === "link")
		return { image: { kind: "link", target: bytePath(facts.linkTarget ?? "") }, stamp: "" };
	try {
		const { signal } = new AbortController();
		return fileImage(await files.read(target, { signal, maxBytes: limits.fileBytes }), before.mode);
	} catch {
		return { image: { kind: "unknown", why: "large" }, stamp: "" };
	}
}

async function imageAfter({ before, after }: FileChange, files: MachineFiles): Promise<ReadImage> {
	if (!after) return { image: absent, stamp: "" };
	if (after.linkTarget !== undefined)
		return { image: { kind: "link", target: bytePath(after.linkTarget) }, stamp: "" };
	const isKept = before.text !== undefined && !after.setMode && !after.executable;
	if (isKept) return fileImage(encode(after), before.mode);
	const entry = await files.readEntry(before.shown, before.target);
	return entry.ok
		? fileImage(encode(after), entry.mode)
		: { image: { kind: "unknown", why: "unreadable" }, stamp: "" };
}

function fileImage(content: Uint8Array, mode: number): ReadImage {
	return { image: imageOf(content, mode), content: Buffer.from(content), stamp: "" };
}
