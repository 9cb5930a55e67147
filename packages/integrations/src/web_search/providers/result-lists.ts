/** The services that answer a query with a list of results: a request and a parser each. */
import { registerSecret } from "@tau/utils";

import { at, firstText, listAt, parseJson, textAt, textsAt } from "@tau/tools/json";
import { SearchProviderError } from "../types.ts";
import { countOf, type Found, type FoundSource, type Search, type SearchIo } from "../service.ts";

const bearer = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` });

/** The members of a list as sources, by the names that the service gives to its fields. */
function sourcesAt(
	json: unknown,
	path: string,
	fields: { title?: string; url?: string; snippet?: readonly string[]; date?: readonly string[] } = {},
): FoundSource[] {
	const { title = "title", url = "url", snippet = ["snippet"], date = ["date"] } = fields;
	return listAt(json, path).map((each) => ({
		title: textAt(each, title),
		url: textAt(each, url),
		snippet: firstText(each, ...snippet),
		date: firstText(each, ...date),
	}));
}

export const tavily: Search = async (query, io) => {
	const { key } = await io.access("tavily");
	const { text } = await io.send({
		url: "https://api.tavily.com/search",
		headers: bearer(key),
		body: {
			query: query.query,
			search_depth: "basic",
			max_results: countOf(query, { least: 5, most: 20, usual: 5 }),
			include_answer: "advanced",
			include_raw_content: false,
			// The topic stays general: recent is not the same as news.
			...(query.recency ? { time_range: query.recency } : {}),
		},
	});
	const json = parseJson(text);
	return {
		answer: textAt(json, "answer"),
		sources: sourcesAt(json, "results", { snippet: ["content"], date: ["published_date"] }),
		requestId: textAt(json, "request_id"),
		authMode: "api_key",
	};
};

const freshness = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

export const brave: Search = async (query, io) => {
	const { key } = await io.access("brave");
	const url = new URL("https://api.search.brave.com/res/v1/web/search");
	url.searchParams.set("q", query.query);
	url.searchParams.set("count", String(countOf(query, { most: 20, usual: 10 })));
	url.searchParams.set("extra_snippets", "true");
	if (query.recency) url.searchParams.set("freshness", freshness[query.recency]);
	const { text, headers } = await io.send({ url: url.href, headers: { "X-Subscription-Token": key } });
	const sources = listAt(parseJson(text), "web.results").map((each) => ({
		title: plain(textAt(each, "title")),
		url: textAt(each, "url"),
		snippet: plain([textAt(each, "description"), ...textsAt(each, "extra_snippets")].join(" ")),
		date: firstText(each, "age", "page_age"),
	}));
	return { sources, requestId: headers.get("x-request-id") ?? "" };
};

/** Brave marks the words of the query. */
function plain(html: string): string {
	return html
		.replace(/<\/?strong>/g, "")
		.replace(/&(amp|lt|gt|quot|#x27|#39);/g, (entity) => entities[entity] ?? "");
}

const entities: Readonly<Record<string, string>> = {
	"&amp;": "&",
	"&lt;": "<",
	"&gt;": ">",
	"&quot;": '"',
	"&#x27;": "'",
	"&#39;": "'",
};

export const jina: Search = async ({ query }, io) => {
	const { key } = await io.access("jina");
	const { text } = await io.send({
		url: `https://s.jina.ai/${encodeURIComponent(query)}`,
		headers: bearer(key),
	});
	return { sources: sourcesAt(parseJson(text), "data", { snippet: ["description", "content"] }) };
};

export const kimi: Search = async (query, { keys, access, send }) => {
	const own = keys.variable("MOONSHOT_SEARCH_API_KEY") ?? keys.variable("KIMI_SEARCH_API_KEY");
	if (own !== undefined) registerSecret(own);
	const key = own ?? (await access("kimi-code", "moonshot")).key;
	const { text, headers } = await send({
		url: kimiAddress(keys),
		headers: bearer(key),
		body: {
			text_query: query.query,
			limit: countOf(query, { most: 20, usual: 10 }),
			enable_page_crawling: false,
			timeout_seconds: 30,
		},
	});
	return {
		sources: sourcesAt(parseJson(text), "search_results", { snippet: ["snippet", "content"] }),
		requestId: headers.get("x-request-id") ?? headers.get("x-msh-request-id") ?? "",
	};
};

function kimiAddress(keys: SearchIo["keys"]): string {
	return (
		keys.variable("MOONSHOT_SEARCH_BASE_URL") ??
		keys.variable("KIMI_SEARCH_BASE_URL") ??
		"https://api.kimi.com/coding/v1/search"
	);
}

export const parallel: Search = async (query, io) => {
	const { key } = await io.access("parallel");
	const { text } = await io.send({
		url: "https://api.parallel.ai/v1/search",
		headers: { "x-api-key": key },
		body: {
			objective: query.query,
			search_queries: [query.query],
			mode: "fast",
			advanced_settings: { excerpt_settings: { max_chars_per_result: 10_000 } },
		},
	});
	const json = parseJson(text);
	const sources = listAt(json, "results").map((each) => ({
		title: textAt(each, "title"),
		url: textAt(each, "url"),
		snippet: textsAt(each, "excerpts").join("\n\n"),
		date: textAt(each, "publish_date"),
	}));
	return {
		sources: sources.slice(0, countOf(query, { most: 40, usual: 10 })),
		requestId: textAt(json, "search_id"),
	};
};

const days = { day: 1, week: 7, month: 30, year: 365 } as const;

/** As in Kagi's OpenAPI description (`kagisearch/kagi-openapi-python`); its help pages show `Bot` and GET, which are version 0's. */
export const kagi: Search = async (query, io) => {
	const { key } = await io.access("kagi");
	const since = (recency: keyof typeof days): string =>
		new Date(io.now() - days[recency] * 86_400_000).toISOString().slice(0, 10);
	const { text } = await io.send({
		url: "https://kagi.com/api/v1/search",
		headers: bearer(key),
		body: {
			query: query.query,
			workflow: "search",
			limit: countOf(query, { most: 40, usual: 10 }),
			...(query.recency ? { filters: { after: since(query.recency) } } : {}),
		},
	});
	const json = parseJson(text);
	const tagged = (path: string, tag: string): FoundSource[] =>
		sourcesAt(json, path, { date: ["time", "published"] }).map((each) => ({
			...each,
			title: `[${tag}] ${each.title}`,
		}));
	const questions = [...listAt(json, "data.adjacent_question"), ...listAt(json, "data.related_search")];
	return {
		answer: firstText(json, "data.direct_answer.0.snippet", "data.direct_answer.0.title"),
		sources: [
			...sourcesAt(json, "data.search", { date: ["time", "published"] }),
			...tagged("data.video", "Video"),
			...tagged("data.news", "News"),
			...tagged("data.infobox", "Infobox"),
		],
		relatedQuestions: questions.map((each) => textAt(each, "props.question")),
		requestId: textAt(json, "meta.trace"),
	};
};

export const synthetic: Search = async ({ query }, io) => {
	const { key } = await io.access("synthetic");
	const { text } = await io.send({
		url: "https://api.synthetic.new/v2/search",
		headers: bearer(key),
		body: { query },
	});
	return { sources: sourcesAt(parseJson(text), "results", { snippet: ["text"], date: ["published"] }) };
};

/** It has no weeks. */
const ranges = { day: "day", week: "month", month: "month", year: "year" } as const;

export const searxng: Search = async (query, io): Promise<Found> => {
	const { settings, keys } = io;
	const headers = searxngHeaders(io);
	const endpoint = settings.get("searxng.endpoint") ?? keys.variable("SEARXNG_ENDPOINT") ?? "";
	const url = URL.parse(`${endpoint.replace(/\/+$/, "")}/search`);
	if (!url || !/^https?:$/.test(url.protocol))
		throw new SearchProviderError(io.id, "searxng.endpoint is not the address of a server.");
	url.searchParams.set("format", "json");
	url.searchParams.set("q", query.query);
	const [categories, language] = [settings.get("searxng.categories"), settings.get("searxng.language")];
	if (categories) url.searchParams.set("categories", categories);
	if (language) url.searchParams.set("language", language);
	if (query.recency) url.searchParams.set("time_range", ranges[query.recency]);
	const { text } = await io.send({ url: url.href, headers });
	const json = parseJson(text);
	if (at(json, "results") === undefined)
		throw new SearchProviderError(
			io.id,
			"SearXNG did not answer with JSON. Add json to search.formats in the settings.yml of the server.",
		);
	const sources = sourcesAt(json, "results", { snippet: ["content"], date: ["publishedDate"] });
	return {
		sources: sources.slice(0, countOf(query, { most: 20, usual: 10 })),
		relatedQuestions: textsAt(json, "suggestions"),
	};
};

/** Basic authentication before a token; an incomplete or impossible one is an error before any request (RFC 7617). */
function searxngHeaders({ id, settings, keys }: SearchIo): Record<string, string> {
	const user = settings.get("searxng.basicUsername") ?? keys.variable("SEARXNG_BASIC_USERNAME");
	const password = settings.get("searxng.basicPassword") ?? keys.variable("SEARXNG_BASIC_PASSWORD");
	if (user !== undefined || password !== undefined) {
		const wrong = (reason: string): SearchProviderError => new SearchProviderError(id, `SearXNG: ${reason}`);
		if (user === undefined || password === undefined)
			throw wrong("Basic authentication needs searxng.basicUsername and searxng.basicPassword.");
		if (user.includes(":")) throw wrong("searxng.basicUsername cannot contain a colon.");
		if (/\p{Cc}/u.test(user + password))
			throw wrong("the user name and password cannot contain control characters.");
		registerSecret(password);
		return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
	}
	const token = settings.get("searxng.token") ?? keys.variable("SEARXNG_TOKEN");
	if (token !== undefined) registerSecret(token);
	return token === undefined ? {} : bearer(token);
}
