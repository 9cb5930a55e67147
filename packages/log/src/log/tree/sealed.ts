/** What a compaction leaves instead of a summary that not every model can read: images, or items of a provider. */
import type { ImageContent, Model, ProviderItems } from "@tau/ai";
import { isRecord } from "@tau/utils";

/** An image of the history, with what the provider charges for it. */
export interface Frame extends ImageContent {
	tokens: number;
}

/** Stored as `preserveData.snapcompact`. */
export interface Archive {
	shape: string;
	/** Oldest first. */
	frames: Frame[];
	/** Frames that are gone, between the first and the second. */
	faded?: number;
}

/** What models get beside the text of a summary. */
export interface Sealed {
	images?: Frame[];
	/** Stored as `preserveData.openaiRemoteCompaction`, the name of omp. */
	items?: ProviderItems;
}

export function sealedIn({ preserveData }: { preserveData?: unknown }): Sealed {
	const archive = readArchive(preserveData);
	const items = readItems(preserveData);
	return { ...(archive ? { images: archive.frames } : {}), ...(items ? { items } : {}) };
}

/** Whether the model has to do without a part of what a compaction left. */
export function isSealedFor(
	{ images, items }: Sealed,
	{ input, provider }: Pick<Model, "input" | "provider">,
): boolean {
	return (
		// The files of images may be gone.
		(images !== undefined && (images.length === 0 || !input.includes("image"))) ||
		(items !== undefined && items.provider !== provider)
	);
}

/** A file may hold anything here. */
export function readArchive(preserveData: unknown): Archive | undefined {
	const archive = isRecord(preserveData) ? preserveData.snapcompact : undefined;
	if (!isRecord(archive) || !Array.isArray(archive.frames) || archive.frames.length === 0) return undefined;
	const frames = archive.frames.filter(isFrame);
	const { shape, faded } = archive;
	return {
		shape: typeof shape === "string" ? shape : "",
		frames,
		...(typeof faded === "number" ? { faded } : {}),
	};
}

function readItems(preserveData: unknown): ProviderItems | undefined {
	const value = isRecord(preserveData) ? preserveData.openaiRemoteCompaction : undefined;
	if (!isRecord(value) || typeof value.provider !== "string" || !Array.isArray(value.replacementHistory))
		return undefined;
	return { provider: value.provider, items: value.replacementHistory.filter(isRecord) };
}

function isFrame(value: unknown): value is Frame {
	return (
		isRecord(value) &&
		value.type === "image" &&
		typeof value.data === "string" &&
		typeof value.mimeType === "string" &&
		typeof value.tokens === "number"
	);
}
