/** Services that list results get exactly the documented request, and their recorded answers are read completely. */
import { describe, expect, test } from "bun:test";

import {
	bearer,
	dayOld,
	events,
	expectContract,
	jsonHeaders,
	page,
	play,
	question,
	type Contract,
} from "./testing/recorded.ts";

const contracts: Record<string, Contract> = {
	tavily: {
		keys: { tavily: { key: "tvly-1" } },
		query: { recency: "week", limit: 30 },
		answers: [
			{
				body: {
					query: question,
					answer: "They end with terminate().",
					results: [
						{ ...page, content: "worker.terminate() …", score: 0.9, published_date: dayOld.publishedDate },
					],
					response_time: 1.2,
					request_id: "r-1",
				},
			},
		],
		requests: [
			{
				url: "https://api.tavily.com/search",
				method: "POST",
				headers: { ...jsonHeaders, ...bearer("tvly-1") },
				body: {
					query: question,
					search_depth: "basic",
					max_results: 20,
					include_answer: "advanced",
					include_raw_content: false,
					time_range: "week",
				},
			},
		],
		response: {
			provider: "tavily",
			answer: "They end with terminate().",
			sources: [{ ...page, ...dayOld, snippet: "worker.terminate() …" }],
			requestId: "r-1",
			authMode: "api_key",
		},
	},
	brave: {
		keys: { brave: { key: "BSA1" } },
		query: { recency: "year" },
		answers: [
			{
				headers: { "x-request-id": "b-1" },
				body: {
					type: "search",
					web: {
						type: "search",
						results: [
							{
								title: "<strong>Workers</strong>",
								url: page.url,
								description: "How <strong>workers</strong> end &amp; why",
								age: "2 days ago",
								extra_snippets: ["More."],
							},
						],
					},
				},
			},
		],
		requests: [
			{
				url: "https://api.search.brave.com/res/v1/web/search?q=how+do+bun+workers+end&count=10&extra_snippets=true&freshness=py",
				method: "GET",
				headers: { accept: "application/json", "x-subscription-token": "BSA1" },
			},
		],
		response: {
			provider: "brave",
			sources: [
				{ ...page, snippet: "How workers end & why More.", publishedDate: "2 days ago", ageSeconds: 172_800 },
			],
			requestId: "b-1",
		},
	},
	jina: {
		keys: { jina: { key: "jina_1" } },
		query: { query: "a/b & c?", limit: 1 },
		answers: [
			{
				body: {
					code: 200,
					status: 20_000,
					data: [
						{ ...page, description: "Short.", content: "Long.", date: dayOld.publishedDate },
						{ title: "Second", url: "https://second.example/" },
					],
				},
			},
		],
		requests: [
			{
				url: "https://s.jina.ai/a%2Fb%20%26%20c%3F",
				method: "GET",
				headers: { accept: "application/json", ...bearer("jina_1") },
			},
		],
		response: { provider: "jina", sources: [{ ...page, ...dayOld, snippet: "Short." }] },
	},
	kimi: {
		variables: { KIMI_SEARCH_API_KEY: "kimi-1", KIMI_SEARCH_BASE_URL: "https://own.example/search" },
		query: { limit: 3, numSearchResults: 99 },
		answers: [
			{
				headers: { "x-request-id": "k-1" },
				body: { search_results: [{ ...page, snippet: "…", date: "2026-06-10", site_name: "Bun" }] },
			},
		],
		requests: [
			{
				url: "https://own.example/search",
				method: "POST",
				headers: { ...jsonHeaders, ...bearer("kimi-1") },
				body: { text_query: question, limit: 20, enable_page_crawling: false, timeout_seconds: 30 },
			},
		],
		response: {
			provider: "kimi",
			sources: [{ ...page, snippet: "…", publishedDate: "2026-06-10", ageSeconds: 43_200 }],
			requestId: "k-1",
		},
	},
	"kimi with a stored login": {
		keys: { "kimi-code": { key: "kc-1" } },
		answers: [{ body: { search_results: [] } }],
		requests: [
			{
				url: "https://api.kimi.com/coding/v1/search",
				method: "POST",
				headers: { ...jsonHeaders, ...bearer("kc-1") },
				body: { text_query: question, limit: 10, enable_page_crawling: false, timeout_seconds: 30 },
			},
		],
		response: { provider: "kimi", sources: [] },
	},
	exa: {
		keys: { exa: { key: "exa-1" } },
		query: { limit: 2 },
		answers: [
			{
				body: {
					requestId: "e-1",
					resolvedSearchType: "neural",
					results: [
						{
							...page,
							publishedDate: dayOld.publishedDate,
							author: "Jarred",
							summary: "They end by terminate.",
						},
						{ title: null, url: "https://b.example/", text: "Text." },
						{ title: "No address" },
					],
				},
			},
		],
		requests: [
			{
				url: "https://api.exa.ai/search",
				method: "POST",
				headers: { ...jsonHeaders, "x-api-key": "exa-1" },
				body: { query: question, numResults: 2, type: "auto", contents: { summary: { query: question } } },
			},
		],
		response: {
			provider: "exa",
			answer: "**Workers**: They end by terminate.",
			sources: [
				{ ...page, ...dayOld, snippet: "They end by terminate.", author: "Jarred" },
				{ title: "https://b.example/", url: "https://b.example/", snippet: "Text." },
			],
			requestId: "e-1",
		},
	},
	"exa without a key": {
		settings: { "providers.webSearch": "exa" },
		answers: [
			{
				body: `event: message\n${events({
					jsonrpc: "2.0",
					id: "id-1",
					result: {
						content: [
							{
								type: "text",
								text: `Title: Workers\nAuthor: Jarred\nPublished Date: ${dayOld.publishedDate}\nURL: ${page.url}\nText: One\n\ntwo\n\nTitle: B\nURL: https://b.example/\nText: Three`,
							},
						],
					},
				})}`,
			},
		],
		requests: [
			{
				url: "https://mcp.exa.ai/mcp?tools=web_search_exa",
				method: "POST",
				headers: {
					accept: "application/json, text/event-stream",
					"content-type": "application/json",
					"x-exa-source": "tau",
				},
				body: {
					jsonrpc: "2.0",
					id: "id-1",
					method: "tools/call",
					params: { name: "web_search_exa", arguments: { query: question } },
				},
			},
		],
		response: {
			provider: "exa",
			sources: [
				{ ...page, ...dayOld, snippet: "One\n\ntwo", author: "Jarred" },
				{ title: "B", url: "https://b.example/", snippet: "Three" },
			],
			authMode: "anonymous",
		},
	},
	parallel: {
		keys: { parallel: { key: "par-1" } },
		answers: [
			{
				body: {
					search_id: "s-1",
					results: [{ ...page, publish_date: "2026-06-10", excerpts: ["One.", "Two."] }],
				},
			},
		],
		requests: [
			{
				url: "https://api.parallel.ai/v1/search",
				method: "POST",
				headers: { ...jsonHeaders, "x-api-key": "par-1" },
				body: {
					objective: question,
					search_queries: [question],
					mode: "fast",
					advanced_settings: { excerpt_settings: { max_chars_per_result: 10_000 } },
				},
			},
		],
		response: {
			provider: "parallel",
			sources: [{ ...page, snippet: "One.\n\nTwo.", publishedDate: "2026-06-10", ageSeconds: 43_200 }],
			requestId: "s-1",
		},
	},
	kagi: {
		keys: { kagi: { key: "kagi-1" } },
		query: { recency: "week", limit: 50 },
		answers: [
			{
				body: {
					meta: { trace: "t-1", node: "us", ms: 12 },
					data: {
						search: [{ ...page, snippet: "…", time: dayOld.publishedDate }],
						video: [{ title: "A talk", url: "https://v.example/" }],
						news: [{ title: "Released", url: "https://n.example/" }],
						infobox: [{ title: "Bun", url: "https://i.example/" }],
						adjacent_question: [{ props: { question: "And threads?" } }],
						related_search: [{ props: { question: "bun threads" } }],
						direct_answer: [{ title: "terminate", snippet: "Call terminate()." }],
					},
				},
			},
		],
		requests: [
			{
				url: "https://kagi.com/api/v1/search",
				method: "POST",
				headers: { ...jsonHeaders, ...bearer("kagi-1") },
				body: { query: question, workflow: "search", limit: 40, filters: { after: "2026-06-03" } },
			},
		],
		response: {
			provider: "kagi",
			answer: "Call terminate().",
			sources: [
				{ ...page, ...dayOld, snippet: "…" },
				{ title: "[Video] A talk", url: "https://v.example/" },
				{ title: "[News] Released", url: "https://n.example/" },
				{ title: "[Infobox] Bun", url: "https://i.example/" },
			],
			relatedQuestions: ["And threads?", "bun threads"],
			requestId: "t-1",
		},
	},
	synthetic: {
		keys: { synthetic: { key: "syn-1" } },
		query: { limit: 1, recency: "day", maxTokens: 5, temperature: 1 },
		answers: [
			{
				body: {
					results: [
						{ ...page, text: "…", published: dayOld.publishedDate },
						{ ...page, url: "https://b.example/" },
					],
				},
			},
		],
		requests: [
			{
				url: "https://api.synthetic.new/v2/search",
				method: "POST",
				headers: { ...jsonHeaders, ...bearer("syn-1") },
				body: { query: question },
			},
		],
		response: { provider: "synthetic", sources: [{ ...page, ...dayOld, snippet: "…" }] },
	},
	searxng: {
		settings: {
			"searxng.endpoint": "https://sx.example/base/",
			"searxng.categories": "it,science",
			"searxng.language": "de-CH",
			"searxng.token": "unused",
			"searxng.basicUsername": "me",
		},
		variables: { SEARXNG_BASIC_PASSWORD: "pass:word" },
		query: { recency: "week", limit: 1 },
		answers: [
			{
				body: {
					query: question,
					results: [
						{ ...page, content: "…", publishedDate: dayOld.publishedDate, engine: "bing" },
						{ title: "B", url: "https://b.example/" },
					],
					suggestions: ["bun worker threads"],
				},
			},
		],
		requests: [
			{
				url: "https://sx.example/base/search?format=json&q=how+do+bun+workers+end&categories=it%2Cscience&language=de-CH&time_range=month",
				method: "GET",
				headers: { accept: "application/json", authorization: `Basic ${btoa("me:pass:word")}` },
			},
		],
		response: {
			provider: "searxng",
			sources: [{ ...page, ...dayOld, snippet: "…" }],
			relatedQuestions: ["bun worker threads"],
		},
	},
	"searxng with a token": {
		variables: { SEARXNG_ENDPOINT: "https://sx.example", SEARXNG_TOKEN: "sx-1" },
		answers: [{ body: { results: [] } }],
		requests: [
			{
				url: "https://sx.example/search?format=json&q=how+do+bun+workers+end",
				method: "GET",
				headers: { accept: "application/json", ...bearer("sx-1") },
			},
		],
		response: { provider: "searxng", sources: [] },
	},
};

describe("the contract of", () => {
	test.each(Object.entries(contracts))("%s", (_, contract) => expectContract(contract));

	test.each([
		["web_search_prime", "query"],
		["webSearchPrime", "search_query"],
	])("z.ai: a handshake, then the tool that it has: %s with %s", async (name, argument) => {
		const call = (result: unknown) => ({
			headers: { "mcp-session-id": "m-1" },
			body: { jsonrpc: "2.0", id: "x", result },
		});
		const results = [
			{ title: page.title, link: page.url, content: "…", media: "Bun", publish_date: dayOld.publishedDate },
		];
		const properties = { [argument]: { type: "string" }, count: { type: "number" } };
		const found = { content: [{ type: "text", text: JSON.stringify(results) }] };
		const { requests, outcome } = await play(
			{ query: question },
			{
				keys: { zai: { key: "zai-1" } },
				answers: [
					call({ protocolVersion: "2025-03-26" }),
					{ status: 202, body: "" },
					call({ tools: [{ name: "other" }, { name, inputSchema: { type: "object", properties } }] }),
					{ ...call({}), body: events(call(found).body) },
				],
			},
		);
		expect(requests.map(({ body }) => (body as { method: string }).method)).toEqual([
			"initialize",
			"notifications/initialized",
			"tools/list",
			"tools/call",
		]);
		expect(requests[3]).toEqual({
			url: "https://api.z.ai/api/mcp/web_search_prime/mcp",
			method: "POST",
			headers: {
				accept: "application/json, text/event-stream",
				"content-type": "application/json",
				...bearer("zai-1"),
				"mcp-session-id": "m-1",
			},
			body: {
				jsonrpc: "2.0",
				id: "id-3",
				method: "tools/call",
				params: { name, arguments: { [argument]: question, count: 10 } },
			},
		});
		expect(outcome).toEqual({
			ok: true,
			response: { provider: "zai", sources: [{ ...page, ...dayOld, snippet: "…", author: "Bun" }] },
		});
	});
});
