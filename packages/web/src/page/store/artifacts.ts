/** What the model has made and the user looks at: a document, with every version of it that the conversation has. */
import { signal } from "@preact/signals";

import { limits } from "../limits.ts";
import type { Item } from "../transcript/items.ts";
import { panel } from "./overlay.ts";

export const artifactTypes = {
	html: "html",
	htm: "html",
	svg: "svg",
	csv: "csv",
	tsv: "csv",
	md: "markdown",
	markdown: "markdown",
} as const;
export type ArtifactType = (typeof artifactTypes)[keyof typeof artifactTypes];

export interface Artifact {
	readonly title: string;
	readonly type: ArtifactType;
	/** Oldest first. */
	readonly versions: readonly string[];
	readonly at: number;
	/** Older versions that are not among them. */
	readonly left: number;
}

export const artifact = signal<Artifact | undefined>(undefined);

/** By the language of a block, or the ending of a file; undefined for what is only text. */
export function artifactTypeOf(name: string): ArtifactType | undefined {
	const ending = name.toLowerCase().split(".").at(-1) ?? "";
	return Object.hasOwn(artifactTypes, ending)
		? artifactTypes[ending as keyof typeof artifactTypes]
		: undefined;
}

export function openArtifact(title: string, type: ArtifactType, versions: readonly string[]): void {
	const kept = versions.slice(-limits.artifactVersions);
	artifact.value = { title, type, versions: kept, at: kept.length - 1, left: versions.length - kept.length };
	panel.value = "artifact";
}

/** What a call has written, if that can be shown: the file and its text. */
export function writtenBy(item: Item): { path: string; text: string; type: ArtifactType } | undefined {
	if (item.kind !== "call" || item.phase !== "done") return undefined;
	const { path, file_path: other, content } = item.args;
	const name = typeof path === "string" ? path : other;
	if (typeof name !== "string" || typeof content !== "string") return undefined;
	const type = artifactTypeOf(name);
	return type && { path: name, text: content, type };
}

/** Every version of a file that the conversation has, oldest first. */
export function versionsOf(items: readonly Item[], path: string): string[] {
	return items.flatMap((item) => {
		const written = writtenBy(item);
		return written?.path === path ? [written.text] : [];
	});
}
