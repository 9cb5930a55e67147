/** The result of a web request: a page, or the reason why there is none. */

export interface FetchedPage {
	ok: true;
	/** The final address, after redirects. */
	url: string;
	/** The content type without parameters, in lower case; empty when the server sends none. */
	contentType: string;
	charset?: string;
	bytes: Uint8Array;
	/** There was more than may be read. */
	truncated: boolean;
}

export interface PageProblem {
	ok: false;
	problem:
		"bad-url" | "private" | "not-found" | "status" | "redirects" | "timeout" | "network" | "unsupported";
	message: string;
	/** Of an answer that is not a page. */
	status?: number;
}

export function pageProblem(problem: PageProblem["problem"], message: string, status?: number): PageProblem {
	return { ok: false, problem, message, ...(status === undefined ? {} : { status }) };
}
