/** Sends one request and hands out the bytes of the answer; the only place that talks HTTP to a model. */
import { classify, failure } from "../failure.ts";
import { limits } from "../limits.ts";
import type { Failure } from "../types.ts";
import { Watchdog, type Silence } from "./watchdog.ts";

export interface HttpRequest {
	url: string;
	headers: Headers;
	body: string;
	silence: Silence;
	signal: AbortSignal;
	/** Told of every answer before its body is read. */
	onHead?(status: number, headers: Headers): void;
}

/** What the taker of a chunk knows after it: whether more is to come, all was said, or it makes no sense. */
type Verdict = "more" | "complete" | "broken";
type Take = (chunk: Uint8Array) => Verdict;

/**
 * Calls `take` with every chunk of a successful answer until it is complete. Resolves with the failure that ended
 * it, if any; an abort by the caller's signal is not a failure of the server and resolves with nothing.
 */
export async function post(request: HttpRequest, take: Take): Promise<Failure | undefined> {
	using watchdog = new Watchdog(request.silence);
	const signal = AbortSignal.any([request.signal, watchdog.signal]);
	try {
		const response = await fetch(request.url, {
			method: "POST",
			headers: request.headers,
			body: request.body,
			signal,
			// To follow would hand the key to whoever the server names.
			redirect: "manual",
			// Bun's own five-minute limit would cut long thinking short; the watchdog decides instead.
			timeout: false,
		} satisfies BunFetchRequestInit);
		request.onHead?.(response.status, response.headers);
		const location = response.headers.get("location");
		if (response.status >= 300 && response.status < 400 && location !== null) {
			const message = `${hostOf(request.url)} redirects to ${location}: use that address as the base URL`;
			return failure("invalid_request", message, { status: response.status });
		}
		if (!response.ok || !mayStream(response)) return await refused(response);
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

/** Gateways report errors, and web servers that are no model greet, with a document and status 200. */
function mayStream(response: Response): boolean {
	return !/\b(?:json|html)\b/i.test(response.headers.get("content-type") ?? "");
}

async function pump(response: Response, watchdog: Watchdog, take: Take): Promise<void> {
	let verdict: Verdict = "more";
	for await (const chunk of response.body ?? []) {
		if (verdict === "complete") continue;
		watchdog.alive();
		verdict = take(chunk);
		if (verdict === "broken") return;
		if (verdict === "complete") watchdog.linger(limits.lingerMs);
	}
}

async function refused(response: Response): Promise<Failure> {
	const body = await readBounded(response);
	return classify({ status: response.status, headers: response.headers, body });
}

async function readBounded(response: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	try {
		for await (const chunk of response.body ?? []) {
			text += decoder.decode(chunk, { stream: true });
			if (text.length > limits.errorBodyBytes) break;
		}
	} catch {
		// The status and the headers say more of why it failed than a body that was cut short.
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
