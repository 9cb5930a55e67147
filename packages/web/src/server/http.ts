/** Reads the bodies of requests within bounds, and writes answers with the headers that every answer has. */
import { isRecord } from "@tau/utils";

import { limits } from "./limits.ts";

/** What failed, in words for the user, with the status of HTTP for it. */
export class HttpError extends Error {
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

/** An answer is for our page alone: it is never framed, embedded, guessed at or stored elsewhere. */
const everywhere: Readonly<Record<string, string>> = {
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
};

const nothingRuns = "default-src 'none'; frame-ancestors 'none'; sandbox";

export function answer(
	body: Uint8Array<ArrayBuffer> | string | null,
	init: { status?: number; headers: Record<string, string> },
): Response {
	return new Response(body, { status: init.status ?? 200, headers: { ...everywhere, ...init.headers } });
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
	return answer(JSON.stringify(value), {
		status,
		headers: {
			"content-type": "application/json",
			"content-security-policy": nothingRuns,
			"cache-control": "no-store",
			...headers,
		},
	});
}

export function empty(headers: Record<string, string> = {}): Response {
	return answer(null, { status: 204, headers: { "cache-control": "no-store", ...headers } });
}

export function failure(status: number, reason: string): Response {
	return json({ error: reason }, status);
}

/** Throws an `HttpError` unless the body is a JSON object. The type is asked for because no form of a foreign page can set it. */
export async function readJson(request: Request): Promise<Record<string, unknown>> {
	if (!/^application\/json\b/i.test(request.headers.get("content-type") ?? ""))
		throw new HttpError(415, "The body has to be application/json.");
	const text = new TextDecoder().decode(await readBytes(request, limits.jsonBytes));
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw new HttpError(400, "The body is not JSON.");
	}
	if (!isRecord(value)) throw new HttpError(400, "The body is not a JSON object.");
	return value;
}

/** Stops reading at the bound. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array> {
	const tooLarge = (): HttpError => new HttpError(413, `The body is larger than ${most} bytes.`);
	if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge();
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of request.body ?? []) {
		size += chunk.length;
		if (size > most) throw tooLarge();
		chunks.push(chunk);
	}
	return Buffer.concat(chunks, size);
}

/** Throws an `HttpError` unless it is a text of at most that length. */
export function textIn(value: Record<string, unknown>, name: string, most: number): string {
	const text = value[name];
	if (typeof text !== "string" || text.length > most)
		throw new HttpError(400, `"${name}" has to be a text of at most ${most} characters.`);
	return text;
}
