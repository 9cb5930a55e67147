/** Sends one request and hands out the bytes of the answer; the only place that talks HTTP to a model. */
import { classify, failure } from "../failure.ts";
import { limits } from "../limits.ts";
import type { Failure } from "../types.ts";
import { Watchdog, type Silence } from "./watchdog.ts";

export interface HttpRequest {
	url: string;
	headers: Record<string, string>;
	body: string;
	silence: Silence;
	signal: AbortSignal;
}

/**
 * Calls `take` with every chunk of a successful answer. Resolves with the failure that ended it, if any; an abort
 * by the caller's signal is not a failure of the server and resolves with nothing.
 */
export async function post(
	request: HttpRequest,
	take: (chunk: Uint8Array) => Promise<boolean> | boolean,
): Promise<Failure | undefined> {
	using watchdog = new Watchdog(request.silence);
	const signal = AbortSignal.any([request.signal, watchdog.signal]);
	try {
		const response = await fetch(request.url, {
			method: "POST",
			headers: { "content-type": "application/json", ...request.headers },
			body: request.body,
			signal,
			// Bun's own five-minute limit would cut long thinking short; the watchdog decides instead.
			timeout: false,
		} satisfies BunFetchRequestInit);
		if (!response.ok) return await refused(response);
		await pump(response, watchdog, take);
		return undefined;
	} catch (error) {
		if (request.signal.aborted) return undefined;
		if (watchdog.silentMs !== undefined) {
			const seconds = Math.round(watchdog.silentMs / 100) / 10;
			return failure("timeout", `No answer from ${hostOf(request.url)} for ${seconds} s`);
		}
		return failure("network", networkReason(error, request.url));
	}
}

async function pump(
	response: Response,
	watchdog: Watchdog,
	take: (chunk: Uint8Array) => Promise<boolean> | boolean,
): Promise<void> {
	if (!response.body) return;
	for await (const chunk of response.body) {
		watchdog.alive();
		if (!(await take(chunk))) return;
	}
}

async function refused(response: Response): Promise<Failure> {
	const body = await readBounded(response);
	return classify({ status: response.status, headers: response.headers, body });
}

async function readBounded(response: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > limits.errorBodyBytes) break;
	}
	return text;
}

function networkReason(error: unknown, url: string): string {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	const host = hostOf(url);
	switch (code) {
		case "ConnectionRefused":
		case "ECONNREFUSED":
			return `Connection refused by ${host}: is the server running?`;
		case "ENOTFOUND":
		case "FailedToOpenSocket":
			return `Cannot reach ${host}: check the address and the network`;
		case "ECONNRESET":
		case "ConnectionClosed":
			return `${host} closed the connection before the answer was complete`;
		default:
			return `Request to ${host} failed: ${error instanceof Error ? error.message : String(error)}`;
	}
}

function hostOf(url: string): string {
	return URL.canParse(url) ? new URL(url).host : url;
}
