/** Reads a file through operations of an extension, over SSH for instance. */
import { stripControls } from "@tau/utils";

import { DEFAULT_MAX_BYTES, formatSize, truncateHead } from "../support/truncate.ts";
import { absolute, numberOf, said, type Elsewhere } from "./elsewhere.ts";

export interface ReadOperations {
	readFile(absolutePath: string): Promise<Uint8Array>;
	/** Throws when it cannot be read. */
	access(absolutePath: string): Promise<void>;
	/** Nothing for what is no picture. */
	detectImageMimeType?(absolutePath: string): Promise<string | null | undefined>;
}

export const readElsewhere: Elsewhere<ReadOperations> = async (params, { cwd, signal }, operations) => {
	const path = absolute(cwd, params.path);
	await operations.access(path);
	signal.throwIfAborted();
	const mimeType = await operations.detectImageMimeType?.(path);
	const bytes = Buffer.from(await operations.readFile(path));
	signal.throwIfAborted();
	if (mimeType) {
		const note = { type: "text" as const, text: `Read image file [${mimeType}]` };
		return {
			content: [note, { type: "image", data: bytes.toString("base64"), mimeType }],
			details: undefined,
		};
	}
	const lines = bytes.toString("utf8").split("\n");
	const first = Math.max(1, numberOf(params.offset, 1));
	if (first > lines.length) throw new Error(`Offset ${first} is past the end: ${lines.length} lines.`);
	const limit = numberOf(params.limit, Number.POSITIVE_INFINITY);
	const asked = lines.slice(first - 1, first - 1 + limit);
	const cut = truncateHead(asked.join("\n"));
	if (cut.firstLineExceedsLimit)
		return said(`[Line ${first} is longer than ${formatSize(DEFAULT_MAX_BYTES)}.]`, { truncation: cut });
	const last = first + cut.outputLines - 1;
	const more =
		last < lines.length
			? `\n\n[Lines ${first}-${last} of ${lines.length}. Continue with offset=${last + 1}.]`
			: "";
	return said(stripControls(cut.content) + more, cut.truncated ? { truncation: cut } : undefined);
};
