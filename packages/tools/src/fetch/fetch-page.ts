/** Fetches one page: follows redirects by hand, judges every hop, and stops at the bounds. */
import { isTimeout, oneLine, withTimeout } from "@tau/utils";

import { readBody, type Body } from "./body.ts";
import { judge, type AllowPrivate, type Judged, type ResolveName } from "./judge.ts";
import { limits } from "./limits.ts";
import { pageProblem, type FetchedPage, type PageProblem } from "./page.ts";

export interface FetchPageOptions {
	signal: AbortSignal;
	timeoutMs: number;
	/** The limit of the decompressed body. */
	maxBytes: number;
	/** Whether this machine and its network may be fetched from too. */
	allowPrivate: AllowPrivate;
	/** Replaces the system's resolver. */
	resolveName?: ResolveName;
	/** More headers, or others than the usual ones. */
	headers?: Readonly<Record<string, string>>;
	/** Headers for the server of the address alone, such as a token; a redirect to another never gets them. */
	ownHeaders?: Readonly<Record<string, string>>;
	/** Sent by POST as JSON; a redirect is an error then. */
	body?: string;
}

/** Some servers refuse what has no name of this form. */
const userAgent = "Mozilla/5.0 (compatible; Tau)";
/** Documentation sites give Markdown to those who prefer it. */
const accept =
	"text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.9, application/pdf;q=0.9, image/*;q=0.8, */*;q=0.5";
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Never rejects but with the reason of the signal. */
export async function fetchPage(
	address: string,
	options: FetchPageOptions,
): Promise<FetchedPage | PageProblem> {
	using deadline = withTimeout(options.signal, options.timeoutMs, "the page timed out");
	try {
		return await follow(address, { ...options, signal: deadline.signal });
	} catch (error) {
		options.signal.throwIfAborted();
		if (isTimeout(error)) {
			return pageProblem("timeout", `${address} timed out after ${options.timeoutMs / 1000} s.`);
		}
		const { code, message } = error as NodeJS.ErrnoException;
		return pageProblem("network", `Cannot reach ${address}: ${oneLine(code ?? message, limits.errorChars)}.`);
	}
}

async function follow(start: string, options: FetchPageOptions): Promise<FetchedPage | PageProblem> {
	let next: string | URL = start;
	let isAtHome = true;
	const home = URL.parse(start)?.origin;
	for (let hop = 0; hop <= limits.redirects; hop++) {
		const judged = await judge(next, options);
		if (!judged.ok)
			return hop === 0 ? judged : { ...judged, message: `${start} redirects: ${judged.message}` };
		// What has been elsewhere does not get the token back, whatever it was redirected to.
		isAtHome &&= judged.url.origin === home;
		const response = await connect(judged, options, isAtHome);
		const location = response.headers.get("location");
		if (!redirects.has(response.status) || location === null) return answerOf(judged.url, response, options);
		await response.body?.cancel();
		if (options.body !== undefined)
			return pageProblem("redirects", `${start} redirects a request with a body.`);
		const target = URL.parse(location, judged.url.href);
		if (!target)
			return pageProblem("redirects", `${start} redirects to ${oneLine(location, 200)}, which is not a URL.`);
		next = target;
	}
	return pageProblem("redirects", `${start} redirects more than ${limits.redirects} times.`);
}

/** Connects to one of the checked addresses; tries the next one when there is no answer. */
async function connect(
	{ url, addresses }: Judged,
	{ signal, headers, ownHeaders, body }: FetchPageOptions,
	isAtHome: boolean,
): Promise<Response> {
	let failure: unknown;
	for (const address of addresses) {
		const target = new URL(url);
		target.hostname = address.includes(":") ? `[${address}]` : address;
		try {
			return await fetch(target, {
				redirect: "manual",
				signal,
				// Unpacked by `readBody`, which stops in time.
				decompress: false,
				// A connection that was made for one name must not serve another one at the same address.
				keepalive: false,
				...(body === undefined ? {} : { method: "POST", body }),
				headers: {
					"User-Agent": userAgent,
					Accept: accept,
					"Accept-Encoding": "gzip, deflate",
					...headers,
					...(isAtHome ? ownHeaders : {}),
					...(body === undefined ? {} : { "Content-Type": "application/json" }),
					Host: url.host,
				},
				// The certificate has to be the one of the name.
				tls: { serverName: url.hostname.replace(/^\[|\]$/g, "") },
			});
		} catch (error) {
			signal.throwIfAborted();
			failure = error;
		}
	}
	throw failure;
}

async function answerOf(
	{ href }: URL,
	response: Response,
	{ maxBytes, signal }: FetchPageOptions,
): Promise<FetchedPage | PageProblem> {
	const body = await readBody(response, maxBytes, signal);
	if (!body.ok) return body;
	const { contentType, charset } = typeOf(response.headers.get("content-type") ?? "");
	if (!response.ok) return refused(href, response, contentType, body);
	const { bytes, truncated } = body;
	return {
		ok: true,
		url: href,
		contentType,
		...(charset === undefined ? {} : { charset }),
		bytes,
		truncated,
	};
}

function typeOf(header: string): { contentType: string; charset?: string } {
	const [type = "", ...parameters] = header.split(";");
	const charset = /^\s*charset\s*=\s*"?([^"\s]+)/i;
	const match = parameters
		.map((parameter) => charset.exec(parameter)?.[1])
		.find((name) => name !== undefined);
	return { contentType: type.trim().toLowerCase(), ...(match === undefined ? {} : { charset: match }) };
}

/** The server's error text may help, unless it is an HTML page for humans. */
function refused(href: string, { status, statusText }: Response, type: string, { bytes }: Body): PageProblem {
	const message = /json|text\/plain/.test(type)
		? oneLine(new TextDecoder().decode(bytes), limits.errorChars)
		: "";
	const label = [`${href} returned ${status}`, statusText].filter((word) => word !== "").join(" ");
	return pageProblem(
		status === 404 || status === 410 ? "not-found" : "status",
		message === "" ? `${label}.` : `${label}: ${message}`,
		status,
	);
}
