/** Looks for the Markdown that documentation sites have beside their pages: it is shorter than the page, and complete. */
import { fetchPage, type FetchPageOptions } from "./fetch-page.ts";
import { limits } from "./limits.ts";
import type { FetchedPage } from "./page.ts";

const docsHost =
	/^(?:docs?|documentation|developers?|dev|help|learn|guides?|manual|handbook|reference|api|wiki)\./;
const docsPath =
	/\/(?:docs?|documentation|guides?|reference|manual|handbook|tutorials?|learn|api-reference|api-docs)(?:\/|$)/;

/**
 * The address of the Markdown of a page: `/docs/a` may have `/docs/a.md`, and the start of a documentation `llms.txt`.
 * Other pages have none, and no request is made for one.
 */
export function markdownAddress(address: string): string | undefined {
	const url = URL.parse(address);
	if (!url || url.search !== "" || !/^https?:$/.test(url.protocol)) return undefined;
	const path = url.pathname.replace(/\/+$/, "");
	const isDocs = docsHost.test(url.hostname) || docsPath.test(`${path}/`);
	if (!isDocs) return undefined;
	if (path === "" || /^\/(?:docs?|documentation)$/.test(path)) return `${url.origin}${path}/llms.txt`;
	const name = path.slice(path.lastIndexOf("/") + 1);
	if (/\.html?$/i.test(name)) return `${url.origin}${path.replace(/\.html?$/i, ".md")}`;
	// A version, such as 1.2, is not the end of a file's name.
	return /\.[a-z]\w{0,4}$/i.test(name) ? undefined : `${url.origin}${path}.md`;
}

/** Undefined if there is none. Rejects only with the reason of the signal. */
export async function markdownForm(
	address: string,
	options: FetchPageOptions,
): Promise<FetchedPage | undefined> {
	const target = markdownAddress(address);
	if (target === undefined) return undefined;
	const page = await fetchPage(target, {
		...options,
		headers: { Accept: "text/markdown, text/plain;q=0.9" },
	});
	return page.ok && isMarkdown(page, target) ? page : undefined;
}

/** Many servers answer every address with their start page, or with a few words. */
function isMarkdown({ url, contentType, bytes, truncated }: FetchedPage, target: string): boolean {
	if (truncated || bytes.length < limits.markdownBytes) return false;
	if (URL.parse(url)?.origin !== URL.parse(target)?.origin) return false;
	if (!/^text\/(?:markdown|plain|x-markdown)$/.test(contentType)) return false;
	const start = Buffer.from(bytes.subarray(0, limits.probeBytes)).toString("latin1");
	return !/^\s*</.test(start) && /^(?:#{1,6} |---|> |[-*] |\[)/m.test(start);
}
