/** Sends the requests of search services: within bounds, to the address alone, with errors that name the service. */
import { connectionTo, eventParser, retryAfterMs, statedWaitMs } from "@tau/ai";
import { isTimeout, maskKnownSecrets, oneLine, withTimeout } from "@tau/utils";

import { readBody } from "@tau/tools/fetch";
import { at, firstText, parseJson } from "@tau/tools/json";
import { limits } from "./limits.ts";
import { SearchProviderError } from "./types.ts";

export interface SearchRequest {
	url: string;
	headers?: Readonly<Record<string, string>>;
	/** Sent as JSON by POST; without it the request is a GET. */
	body?: unknown;
	/** True for a model that searches and writes, which takes longer. */
	isAnswer?: boolean;
}

export interface SearchAnswer {
	headers: Headers;
	text: string;
}

export interface Sender {
	readonly id: string;
	readonly label: string;
	readonly signal: AbortSignal;
}

/** Throws a `SearchProviderError` for everything but an answer, and the reason of the signal. */
export async function send(
	request: SearchRequest,
	{ id, label, signal }: Sender,
	fetchFrom: typeof fetch = fetch,
): Promise<SearchAnswer> {
	const timeoutMs = request.isAnswer ? limits.answerMs : limits.listMs;
	using deadline = withTimeout(signal, timeoutMs, `${label} timed out`);
	try {
		const response = await requestFrom(request, { id, label, signal: deadline.signal }, fetchFrom);
		const body = await readBody(response, limits.bodyBytes, deadline.signal);
		if (!body.ok) throw new SearchProviderError(id, body.message, response.status);
		const text = new TextDecoder().decode(body.bytes);
		if (!response.ok) throw refusal(id, label, response, text);
		if (body.truncated)
			throw new SearchProviderError(
				id,
				`${label} sent more than ${limits.bodyBytes / 1024 / 1024} MB.`,
				response.status,
			);
		return { headers: response.headers, text };
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof SearchProviderError) throw error;
		if (isTimeout(error))
			throw new SearchProviderError(id, `${label} did not answer within ${timeoutMs / 1000} s.`, 504);
		const { code, message } = error as NodeJS.ErrnoException;
		throw new SearchProviderError(
			id,
			`Cannot reach ${label}: ${oneLine(maskKnownSecrets(code ?? message), limits.errorChars)}.`,
		);
	}
}

async function requestFrom(
	{ url, headers = {}, body }: SearchRequest,
	{ id, signal }: Sender,
	fetchFrom: typeof fetch,
): Promise<Response> {
	const connection = await connectionTo(url);
	if ("problem" in connection) throw new SearchProviderError(id, connection.problem);
	const json = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
	const type = body === undefined ? {} : { "Content-Type": "application/json" };
	return fetchFrom(url, {
		...json,
		headers: { Accept: "application/json", ...type, "Accept-Encoding": "gzip, deflate", ...headers },
		signal,
		// Following a redirect would hand the key to any server that is named.
		redirect: "manual",
		// Unpacked by `readBody`, which stops in time.
		decompress: false,
		...connection.init,
	} satisfies BunFetchRequestInit);
}

function refusal(
	id: string,
	label: string,
	{ status, headers }: Response,
	text: string,
): SearchProviderError {
	const json = parseJson(text);
	const stated = firstText(json, "error.message", "detail.error", "detail", "error", "message", "msg");
	const reason = oneLine(maskKnownSecrets(stated || text.trim()), limits.errorChars);
	const waitMs = waitOf(headers, json);
	if (status === 429) {
		const again = waitMs === undefined ? "" : ` Try again in ${Math.ceil(waitMs / 1000)} s.`;
		return new SearchProviderError(
			id,
			`${label} rate limit reached (429)${reason === "" ? "." : `: ${reason}`}${again}`,
			status,
			waitMs,
		);
	}
	if (status >= 300 && status < 400)
		return new SearchProviderError(id, `${label} redirects (${status}), which is not followed.`, status);
	return new SearchProviderError(
		id,
		`${label} API error (${status})${reason === "" ? "" : `: ${reason}`}`,
		status,
		waitMs,
	);
}

function waitOf(headers: Headers, json: unknown): number | undefined {
	const error = at(json, "error");
	const isObject = typeof error === "object" && error !== null && !Array.isArray(error);
	return retryAfterMs(headers) ?? (isObject ? statedWaitMs({ ...error }) : undefined);
}

/** The JSON of every server-sent event; what is not JSON is left out. */
export function eventsOf(text: string): unknown[] {
	const parser = eventParser("sse");
	const { events } = parser.push(new TextEncoder().encode(text));
	return [...events, ...parser.rest()].flatMap(({ data }) => {
		const json = parseJson(data);
		return json === undefined ? [] : [json];
	});
}
