/** Reads the body of a response, decompresses it, and stops when it becomes too long. */
import { abortable } from "@tau/utils";

import { pageProblem, type PageProblem } from "./page.ts";

export interface Body {
	ok: true;
	bytes: Uint8Array;
	/** There was more. */
	truncated: boolean;
}

export async function readBody(
	response: Response,
	maxBytes: number,
	signal: AbortSignal,
): Promise<Body | PageProblem> {
	const encoding = (response.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
	if (!response.body || response.status === 204)
		return { ok: true, bytes: new Uint8Array(), truncated: false };
	const stream = unpacked(response.body, encoding);
	if (!stream) {
		await response.body.cancel();
		return pageProblem("unsupported", `The server encodes the page as ${encoding}, which is not supported.`);
	}
	const reader = stream.getReader();
	const parts: Uint8Array[] = [];
	let length = 0;
	try {
		for (;;) {
			const { done, value } = await abortable(reader.read(), signal);
			if (done) return { ok: true, bytes: Buffer.concat(parts), truncated: false };
			parts.push(value.subarray(0, maxBytes - length));
			length += value.length;
			if (length > maxBytes) return { ok: true, bytes: Buffer.concat(parts), truncated: true };
		}
	} finally {
		// A reader that has enough, or was cancelled, notifies the server; a failure of that notice changes nothing.
		await reader.cancel().catch(() => {});
	}
}

function unpacked(
	body: ReadableStream<Uint8Array<ArrayBuffer>>,
	encoding: string,
): ReadableStream<Uint8Array> | undefined {
	if (encoding === "identity" || encoding === "") return body;
	if (encoding === "gzip" || encoding === "x-gzip") return body.pipeThrough(new DecompressionStream("gzip"));
	return encoding === "deflate" ? body.pipeThrough(new DecompressionStream("deflate")) : undefined;
}
