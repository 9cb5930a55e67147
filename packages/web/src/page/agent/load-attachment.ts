/** Turns files of the user into attachments of a prompt. */
import type { Attachment } from "@tau/agent";

import { base64 } from "../parts/base64.ts";
import { isPicture, smallImage } from "../parts/small-image.ts";

export interface LoadOptions {
	/** The text of a document that is no text itself, such as a PDF: usually asked of a server. */
	readonly extract?: (file: File) => Promise<string>;
	/** A picture of a document, such as its first page: a PNG file in Base64. */
	readonly preview?: (file: File) => Promise<string | undefined>;
}

/** Rejects if the file cannot be read, or no text can be found in it: a model would never see it. */
export async function loadAttachment(
	file: File,
	{ extract, preview }: LoadOptions = {},
): Promise<Attachment> {
	const facts = { id: crypto.randomUUID(), fileName: file.name || "image", size: file.size };
	if (isPicture(file)) {
		const { data, mimeType } = await smallImage(file);
		return { ...facts, type: "image", mimeType, content: data, preview: data };
	}
	const extractedText = extract && !isText(file) ? await extract(file) : await plainText(file);
	const picture = await preview?.(file);
	return {
		...facts,
		type: "document",
		mimeType: file.type || "application/octet-stream",
		content: await base64(file),
		extractedText: `[${facts.fileName}]\n${extractedText}`,
		...(picture === undefined ? {} : { preview: picture }),
	};
}

function isText({ type }: File): boolean {
	return type.startsWith("text/") || /\b(?:json|xml|yaml|javascript)$/.test(type);
}

async function plainText(file: File): Promise<string> {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
	} catch {
		throw new Error(`${file.name} is no text, and this page cannot extract any from it.`);
	}
}
