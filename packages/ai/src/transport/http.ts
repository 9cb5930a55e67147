/** Sends one request and delivers the bytes of the answer; the only code that sends HTTP to a model. */
import { nextMacrotask } from "@tau/utils/portable";

import { classify, failure } from "../failure.ts";
import { limits } from "../limits.ts";
import type { Failure, Sender } from "../types.ts";
import { connectionTo, type Connection } from "./connection.ts";
import { hostOf, lost } from "./lost.ts";
import { Watchdog, type Silence } from "./watchdog.ts";

export interface HttpRequest {
	url: string;
	headers: Headers;
	body: string;
	silence: Silence;
	signal: AbortSignal;
	/** In place of `fetch`. */
	sender?: Sender | undefined;
	/** Called for every answer before its body is read. */
	onHead?(status: number, headers: Headers): void;
	/** Called when a chunk was handled: the next one is not read before this resolves. */
	ready?(chunk: Uint8Array): Promise<void> | undefined;
}

/**
 * The result of handling a chunk: nothing new (a comment, a ping, a part of an event), a piece of the answer after
 * which the model may think in silence or not, the end of the answer, or an invalid answer.
 */
export type Verdict = "nothing" | "thinking" | "progress" | "complete" | "broken";
export type Take = (chunk: Uint8Array) => Verdict;

/**
 * Calls `take` with every chunk of a successful answer until it is complete. Resolves with the failure that ended it,
 * if any; an abort by the caller's signal is not a failure of the server and resolves with undefined.
 */
export async function post(request: HttpRequest, take: Take): Promise<Failure | undefined> {
	const { sender } = request;
	const connection: Connection | { problem: string } = sender?.isOffline
		? { init: {} }
		: await connectionTo(request.url);
	if ("problem" in connection) return failure("invalid_request", connection.problem);
	using watchdog = new Watchdog(request.silence);
	const signal = AbortSignal.any([request.signal, watchdog.signal]);
	try {
		const init = {
			method: "POST",
			headers: request.headers,
			body: request.body,
			signal,
			// Following a redirect would hand the key to any server that is named.
			redirect: "manual",
			// Bun's own five-minute limit would cut long thinking short; the watchdog decides instead.
			timeout: false,
			...connection.init,
		} satisfies BunFetchRequestInit;
		const response = await (sender ? sender.send(request.url, init) : fetch(request.url, init));
		request.onHead?.(response.status, response.headers);
		const bad = await refused(response, request.url, connection);
		if (bad) return bad;
		const body = request.ready ? paced(response.body ?? [], request.ready) : (response.body ?? []);
		await readBody(body, signal, watchdog, request.silence, take);
		return undefined;
	} catch (error) {
		if (request.signal.aborted) return undefined;
		return lost(error, { url: request.url, ...connection }, watchdog.silentMs);
	}
}

async function* paced(
	body: AsyncIterable<Uint8Array> | Uint8Array[],
	ready: (chunk: Uint8Array) => Promise<void> | undefined,
): AsyncGenerator<Uint8Array> {
	for await (const chunk of body) {
		yield chunk;
		const wait = ready(chunk);
		if (wait) await wait;
	}
}

/**
 * Only pieces of the answer are progress: a server can keep a line open forever with comments and pings. Chunks that
 * arrive faster than they are handled come without a turn of the event loop between them, and would keep the user's keys
 * waiting: they are cut into parts. An abort between two parts ends the body.
 */
export async function readBody(
	body: AsyncIterable<Uint8Array> | Uint8Array[],
	signal: AbortSignal,
	watchdog: Watchdog,
	{ firstEventMs, idleMs }: Silence,
	take: Take,
): Promise<void> {
	let verdict: Verdict = "nothing";
	let left = limits.turnBytes;
	for await (const chunk of body) {
		for (let at = 0; at < chunk.length && verdict !== "complete";) {
			if (left <= 0) {
				await nextTurn(signal);
				left = limits.turnBytes;
			}
			const part = at === 0 && chunk.length <= left ? chunk : chunk.subarray(at, at + left);
			at += part.length;
			left -= part.length;
			verdict = take(part);
			if (verdict === "broken") return;
			if (verdict === "progress") watchdog.alive(idleMs);
			if (verdict === "thinking") watchdog.alive(Math.max(firstEventMs, idleMs));
			// Only the end of the body may still come, and not for long.
			if (verdict === "complete") watchdog.alive(limits.lingerMs);
		}
	}
}

async function nextTurn(signal: AbortSignal): Promise<void> {
	await new Promise<void>((resolve) => {
		nextMacrotask(resolve);
	});
	signal.throwIfAborted();
}

async function refused(response: Response, url: string, { proxy }: Connection): Promise<Failure | undefined> {
	const { status, headers } = response;
	const location = headers.get("location");
	if (status >= 300 && status < 400 && location !== null) {
		const message = `${hostOf(url)} redirects to ${location}. Use that address as the base URL`;
		return failure("invalid_request", message, { status });
	}
	if (response.ok) return undefined;
	const refusal = classify({ status, headers, body: await readBounded(response) });
	// Only a proxy answers with this status, and the user would search for the error at the provider.
	const isOfProxy = proxy !== undefined && status === 407;
	return isOfProxy ? { ...refusal, message: `From ${proxy}: ${refusal.message}` } : refusal;
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
		// The status and the headers are more informative than a truncated body.
	}
	return text;
}

/** Base URLs are written with and without the version; both mean the same. */
export function endpoint(baseUrl: string, path: string): string {
	const base = baseUrl.replace(/\/+$/, "");
	const version = /^\/v\d+(?=\/)/.exec(path)?.[0];
	return version && base.endsWith(version) ? base + path.slice(version.length) : base + path;
}
