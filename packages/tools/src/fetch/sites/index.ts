/** Reads pages of well-known sites through their own interfaces; whatever fails is left to the plain reader. */
import { htmlToMarkdown } from "@tau/sys";
import { log } from "@tau/utils";

import { parseJson } from "../../json/read.ts";
import type { FetchPageOptions } from "../fetch-page.ts";
import { limits } from "../limits.ts";
import type { FetchedPage, PageProblem } from "../page.ts";
import { decodePage, renderPage } from "../render-page.ts";
import { applications } from "./applications.ts";
import { discussions } from "./discussions.ts";
import { gistSite, githubSite } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { papers } from "./papers.ts";
import { references } from "./reference.ts";
import { registries } from "./registries.ts";
import { SiteFailure, type SiteIo, type SitePage, type SiteReader, type SiteRequestOptions } from "./site.ts";
import { videos } from "./videos.ts";

export const siteReaders: readonly SiteReader[] = [
	gistSite,
	githubSite,
	gitlab,
	...registries,
	...applications,
	...discussions,
	...references,
	...papers,
	...videos,
];

/** How a request is sent: within the rules of every fetch, at most so much of it. */
export interface SiteMeans extends Pick<SiteIo, "githubToken" | "variable"> {
	readonly signal: AbortSignal;
	fetch(
		address: string,
		options: Pick<FetchPageOptions, "headers" | "ownHeaders" | "body">,
	): Promise<FetchedPage | PageProblem>;
}

/** Undefined if no reader knows the page, or its site does not answer as expected. Rejects only with the signal's reason. */
export async function readSite(address: string, means: SiteMeans): Promise<SitePage | undefined> {
	const url = URL.parse(address);
	if (!url || url.protocol !== "https:" || url.port !== "" || url.username !== "") return undefined;
	const reader = siteReaders.find(({ hosts }) => hosts.some((host) => isHost(url.hostname, host)));
	if (!reader) return undefined;
	try {
		const parts = url.pathname.split("/").filter((part) => part !== "");
		const page = await reader.read({ url, parts }, siteIo(url, means));
		return page && isComplete(page) ? page : undefined;
	} catch (error) {
		means.signal.throwIfAborted();
		// Also a parser that met something unexpected: the page itself is still there.
		log.debug("a site was not read through its own interface", { site: reader.name, reason: String(error) });
		return undefined;
	}
}

/** An answer without a name is not about the page, whatever else is in it. */
function isComplete({ title, text }: SitePage): boolean {
	return text.trim() !== "" && /^[^\s(]/.test(title.trim());
}

function isHost(hostname: string, host: string): boolean {
	return host.startsWith(".") ? hostname.endsWith(host) : hostname === host;
}

function siteIo(url: URL, { fetch, signal, ...rest }: SiteMeans): SiteIo {
	let left: number = limits.siteRequests;
	const get = async (address: string, options: SiteRequestOptions = {}): Promise<FetchedPage> => {
		if (left-- <= 0) throw new SiteFailure("too many requests");
		const { accept, headers, ownHeaders, body } = options;
		const page = await fetch(address, {
			headers: { Accept: accept ?? "application/json", ...headers },
			...(ownHeaders ? { ownHeaders } : {}),
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		if (!page.ok) throw new SiteFailure(page.message, page.status);
		return page;
	};
	const text = async (address: string, options?: SiteRequestOptions): Promise<string> => {
		const { bytes, charset } = await get(address, options);
		return decodePage(bytes, charset);
	};
	const convert = async (html: string, readability: boolean): Promise<string> =>
		html === "" ? "" : (await htmlToMarkdown(html, { url: url.href, readability }, signal)).markdown;
	return {
		...rest,
		text,
		async json(address, options) {
			const page = await get(address, options);
			// A part of an answer is no answer.
			const json = page.truncated ? undefined : parseJson(decodePage(page.bytes, page.charset));
			if (json === undefined) throw new SiteFailure("the answer is not JSON");
			return json;
		},
		async page(address) {
			const page = await renderPage(await get(address, { accept: "text/html, application/pdf" }), signal);
			if (!page.ok || page.kind !== "text") throw new SiteFailure("the page is not text");
			return { title: page.title, text: page.text };
		},
		markdown: (html) => convert(html, false),
		article: (html) => convert(html, true),
	};
}
