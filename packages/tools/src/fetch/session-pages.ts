/** Caches the pages that a session has read for some minutes: paging through one does not fetch it again. */
import { delay, isTimeout, onDispose, withTimeout } from "@tau/utils";

import { keysOfServices, type ToolEnv } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";
import { fetchPage, type FetchPageOptions } from "./fetch-page.ts";
import { githubToken } from "./github-token.ts";
import { limits } from "./limits.ts";
import { markdownForm } from "./markdown-form.ts";
import { pageProblem, type FetchedPage, type PageProblem } from "./page.ts";
import { renderPage, type RenderedPage } from "./render-page.ts";

export class PageCache {
	/** The oldest first. */
	readonly #pages = new Map<string, { page: RenderedPage; at: number }>();
	readonly #now: () => number;
	#chars = 0;

	constructor(now: () => number = () => performance.now()) {
		this.#now = now;
	}

	get(url: string): RenderedPage | undefined {
		const kept = this.#pages.get(url);
		if (!kept || this.#now() - kept.at <= limits.cacheMs) return kept?.page;
		this.#drop(url);
		return undefined;
	}

	set(url: string, page: RenderedPage): void {
		this.#drop(url);
		if (sizeOf(page) > limits.cacheChars) return;
		this.#pages.set(url, { page, at: this.#now() });
		this.#chars += sizeOf(page);
		for (const oldest of this.#pages.keys()) {
			if (this.#chars <= limits.cacheChars && this.#pages.size <= limits.cachePages) return;
			this.#drop(oldest);
		}
	}

	#drop(url: string): void {
		const kept = this.#pages.get(url);
		if (kept) this.#chars -= sizeOf(kept.page);
		this.#pages.delete(url);
	}
}

function sizeOf(page: RenderedPage): number {
	return page.kind === "text" ? page.text.length : page.bytes.length;
}

const serviceKey: ServiceKey<PageCache> = { name: "web pages", create: () => new PageCache() };

/** A page as the settings of the session allow it; `signal` is the call's. */
export async function readPage(
	url: string,
	env: ToolEnv,
	signal: AbortSignal,
): Promise<RenderedPage | PageProblem> {
	const { settings, services } = env;
	if (!settings.get("fetch.enabled")) {
		return pageProblem("unsupported", "Fetching from the web is disabled (setting fetch.enabled).");
	}
	const cache = services.get(serviceKey, env);
	const renderedPage = cache.get(url);
	if (renderedPage) return renderedPage;
	const options: FetchPageOptions = {
		signal,
		timeoutMs: settings.get("fetch.timeoutSeconds") * 1000,
		maxBytes: settings.get("fetch.maxMegabytes") * 1024 * 1024,
		allowPrivate: settings.get("fetch.allowPrivate"),
	};
	const known = settings.get("fetch.siteReaders") ? await knownPage(url, env, options) : undefined;
	const page = known ?? (await plainPage(url, options));
	if (!page.ok) return page;
	const rendered = "kind" in page ? page : await renderPage(page, signal);
	if (rendered.ok) cache.set(url, rendered);
	return rendered;
}

/** Both forms are asked for at once; the Markdown is preferred, unless it comes much later than the page. */
async function plainPage(url: string, options: FetchPageOptions): Promise<FetchedPage | PageProblem> {
	const unneeded = new AbortController();
	using _stop = onDispose(() => unneeded.abort());
	const signal = AbortSignal.any([options.signal, unneeded.signal]);
	const page = fetchPage(url, { ...options, signal });
	const late = page.then(() => delay(limits.markdownMs, signal));
	// Both are awaited below, unless they are not needed any more.
	for (const each of [page, late]) each.catch(() => {});
	const markdown = await Promise.race([markdownForm(url, { ...options, signal }), late]);
	return markdown ?? (await page);
}

/** A page of a site that has a reader of its own. */
async function knownPage(
	url: string,
	env: ToolEnv,
	options: FetchPageOptions,
): Promise<RenderedPage | undefined> {
	const { readSite } = await import("./sites/index.ts");
	const timeoutMs = Math.min(options.timeoutMs, limits.siteMs);
	const maxBytes = Math.min(options.maxBytes, limits.siteBytes);
	using deadline = withTimeout(options.signal, timeoutMs, "the site timed out");
	const { signal } = deadline;
	try {
		const page = await readSite(url, {
			signal,
			fetch: (address, more) => fetchPage(address, { ...options, timeoutMs, maxBytes, signal, ...more }),
			githubToken: (mayAsk) => githubToken(env, mayAsk, signal),
			variable: (name) => env.services.provided(keysOfServices)?.variable(name),
		});
		if (!page) return undefined;
		const { title, text } = page;
		return { ok: true, kind: "text", url, title, contentType: "text/markdown", text, truncated: false };
	} catch (error) {
		options.signal.throwIfAborted();
		if (isTimeout(error)) return undefined;
		throw error;
	}
}
