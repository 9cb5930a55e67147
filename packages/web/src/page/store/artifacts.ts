/** What the model has made and the user looks at: a document, with every version of it that the conversation has. */
import { signal } from "@preact/signals";
import { isRecord } from "@tau/utils/portable";

import { limits } from "../limits.ts";
import { bytesOf } from "../parts/base64.ts";
import { saveFile } from "../parts/save-file.ts";
import type { CallItem, Item } from "../transcript/items.ts";
import type { OpenSession } from "./open-session.ts";
import { panel } from "./overlay.ts";
import { pictureTypeOf } from "./session-files.ts";
import { toast } from "./toasts.ts";

export const artifactTypes = {
	html: "html",
	htm: "html",
	svg: "svg",
	csv: "csv",
	tsv: "csv",
	md: "markdown",
	markdown: "markdown",
} as const;
/** What documents of the model are, and what other files of the session are shown as. */
export type ArtifactType = (typeof artifactTypes)[keyof typeof artifactTypes] | "image" | "text";

export interface Artifact {
	readonly title: string;
	readonly type: ArtifactType;
	/** Oldest first; of a picture, its address. */
	readonly versions: readonly string[];
	readonly at: number;
	/** Older versions that are not among them. */
	readonly left: number;
	/** Where to look. */
	readonly line: number | undefined;
}

export const artifact = signal<Artifact | undefined>(undefined);

/** By the language of a block, or the ending of a file; undefined for what is only text. */
export function artifactTypeOf(name: string): ArtifactType | undefined {
	const ending = name.toLowerCase().split(".").at(-1) ?? "";
	return Object.hasOwn(artifactTypes, ending)
		? artifactTypes[ending as keyof typeof artifactTypes]
		: undefined;
}

export function openArtifact(
	title: string,
	type: ArtifactType,
	versions: readonly string[],
	line?: number,
): void {
	const kept = versions.slice(-limits.artifactVersions);
	const left = versions.length - kept.length;
	artifact.value = { title, type, versions: kept, at: kept.length - 1, left, line };
	panel.value = "artifact";
}

/** Shows a file of the session's machine as it is now, after the versions that calls have written. */
export async function openFile(session: OpenSession, path: string, line?: number): Promise<void> {
	const written = versionsOf(session.items.value, path);
	const type = artifactTypeOf(path);
	const pictureType = pictureTypeOf(path);
	try {
		const data = await session.files.data(path);
		if (pictureType) return openArtifact(path, "image", [`data:${pictureType};base64,${data}`]);
		const bytes = bytesOf(data);
		const text = plainTextOf(bytes);
		if (text === undefined) return saveFile(path.split("/").at(-1) ?? path, new Blob([bytes]));
		const versions = written.at(-1) === text ? written : [...written, text];
		openArtifact(path, type ?? "text", versions, line);
	} catch (error) {
		// It may be gone since, or the user may not see files.
		if (type && written.length > 0) openArtifact(path, type, written);
		else toast(error instanceof Error ? error.message : String(error), "error");
	}
}

/** Undefined for what is no text. */
function plainTextOf(bytes: Uint8Array): string | undefined {
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
		return text.includes("\0") ? undefined : text;
	} catch {
		return undefined;
	}
}

/** Files that a call has made or changed and that can be shown. */
export function shownFilesOf(item: CallItem): string[] {
	if (item.phase !== "done") return [];
	const written = writtenBy(item);
	const { files = [] } = isRecord(item.result?.details) ? item.result.details : {};
	const changed = (Array.isArray(files) ? files : []).flatMap((file: unknown) =>
		isRecord(file) && typeof file.path === "string" ? [file.path] : [],
	);
	const paths = new Set([...(written ? [written.path] : []), ...changed]);
	return [...paths]
		.filter((path) => artifactTypeOf(path) ?? pictureTypeOf(path))
		.slice(0, limits.openedFiles);
}

/** What a call has written, if that can be shown: the file and its text. */
function writtenBy(item: Item): { path: string; text: string; type: ArtifactType } | undefined {
	if (item.kind !== "call" || item.phase !== "done") return undefined;
	const { path, file_path: other, content } = item.args;
	const name = typeof path === "string" ? path : other;
	if (typeof name !== "string" || typeof content !== "string") return undefined;
	const type = artifactTypeOf(name);
	return type && { path: name, text: content, type };
}

/** Every version of a file that the conversation has, oldest first. */
function versionsOf(items: readonly Item[], path: string): string[] {
	return items.flatMap((item) => {
		const written = writtenBy(item);
		return written?.path === path ? [written.text] : [];
	});
}
