/** Images in a prompt: pasted from the clipboard or named by a path that was dropped. */
import { statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";

import type { ImageContent } from "@tau/ai";
import type { Marker } from "@tau/tui";
import { expandHome } from "@tau/utils";

import { imageEndings, promptImage } from "@tau/session-commands/shared/attachments";
import { limits } from "./limits.ts";

/** The image that a marker in the editor refers to until it is sent. */
interface ImageDraft {
	kind: "image";
	load(): Promise<ImageContent | string>;
}

export class Images {
	readonly #cwd: string;
	#count = 0;

	constructor(cwd: string) {
		this.#cwd = cwd;
	}

	/** A marker for the image in the clipboard, or the reason why there is none. */
	async fromClipboard(): Promise<Marker | string> {
		const { readClipboardImage } = await import("./clipboard-on-demand.ts");
		const read = await readClipboardImage();
		if (!read.ok) return read.message;
		return this.#marker(`image ${++this.#count}`, async () => promptImage(read.bytes));
	}

	/** A marker when the text is the path of an image, as terminals paste a file that is dropped on them. */
	fromPastedPath(text: string): Marker | undefined {
		const path = pathIn(text);
		if (path === undefined || !imageEndings.has(extname(path).toLowerCase())) return undefined;
		const file = resolve(this.#cwd, expandHome(path));
		const info = statSync(file, { throwIfNoEntry: false });
		if (!info?.isFile() || info.size > limits.imageBytes) return undefined;
		return this.#marker(basename(file), async () => promptImage(await Bun.file(file).bytes()));
	}

	/** An image that came back from a queue. */
	fromMessage(image: ImageContent): Marker {
		return this.#marker(`image ${++this.#count}`, async () => image);
	}

	#marker(label: string, load: ImageDraft["load"]): Marker {
		const data: ImageDraft = { kind: "image", load };
		return { label, expansion: `[${label}]`, data };
	}
}

/** The images that a text refers to, and the problems of those that cannot be sent. */
export async function imagesIn(
	markers: readonly Marker[],
): Promise<{ images: ImageContent[]; problems: string[] }> {
	const images: ImageContent[] = [];
	const problems: string[] = [];
	for (const { label, data } of markers) {
		if (!isImageDraft(data)) continue;
		const loaded = await data.load().catch((error: unknown) => String(error));
		if (typeof loaded === "string") problems.push(`${label}: ${loaded}`);
		else images.push(loaded);
	}
	return { images, problems };
}

function isImageDraft(data: unknown): data is ImageDraft {
	return typeof data === "object" && data !== null && "kind" in data && data.kind === "image";
}

/** One path alone: in quotes, with escaped blanks, as a file URL, or plain. */
function pathIn(text: string): string | undefined {
	const line = text.trim();
	if (line === "" || line.includes("\n")) return undefined;
	if (line.startsWith("file://")) return fileUrlPath(line);
	const quoted = /^(['"])(.*)\1$/.exec(line)?.[2];
	return quoted ?? line.replaceAll(/\\(.)/g, "$1");
}

function fileUrlPath(url: string): string | undefined {
	try {
		return decodeURIComponent(new URL(url).pathname);
	} catch {
		// Not a URL after all: it is text.
		return undefined;
	}
}
