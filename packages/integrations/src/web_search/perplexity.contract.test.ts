/** Perplexity is asked in each of its four ways, and its recorded answers are read completely. */
import { describe, expect, test } from "bun:test";

import instructions from "./instructions.md" with { type: "text" };
import models from "./models.json";
import {
	bearer,
	events,
	expectContract,
	jsonHeaders,
	page,
	play,
	question,
	type Contract,
} from "./testing/recorded.ts";

const contracts: Record<string, Contract> = {
	"perplexity with a key": {
		keys: { perplexity: { key: "pplx-1", kind: "api_key" } },
		query: { recency: "month", limit: 1, numSearchResults: 7, maxTokens: 100, temperature: 0.5 },
		answers: [
			{
				body: {
					id: "p-1",
					model: models.perplexity,
					choices: [{ index: 0, message: { role: "assistant", content: "By **terminate**.[1]" } }],
					citations: [page.url, "https://other.example/"],
					search_results: [{ ...page, date: "2026-06-09", snippet: "…" }],
					related_questions: ["Do workers share memory?"],
					usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
				},
			},
		],
		requests: [
			{
				url: "https://api.perplexity.ai/chat/completions",
				method: "POST",
				headers: { ...jsonHeaders, ...bearer("pplx-1") },
				body: {
					model: "sonar-pro",
					messages: [
						{ role: "system", content: instructions.trim() },
						{ role: "user", content: question },
					],
					max_tokens: 100,
					temperature: 0.5,
					search_mode: "web",
					num_search_results: 7,
					return_related_questions: true,
					search_recency_filter: "month",
				},
			},
		],
		response: {
			provider: "perplexity",
			answer: "By **terminate**.[1]",
			sources: [{ ...page, snippet: "…", publishedDate: "2026-06-09", ageSeconds: 129_600 }],
			citations: [page, { url: "https://other.example/", title: "https://other.example/" }],
			relatedQuestions: ["Do workers share memory?"],
			usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
			model: models.perplexity,
			requestId: "p-1",
			authMode: "api_key",
		},
	},
	"perplexity without a key": {
		settings: { "providers.webSearch": "perplexity" },
		answers: [
			{
				body: events(
					{
						blocks: [
							{
								intended_usage: "ask_text",
								markdown_block: { chunks: ["By ", "calling"], chunk_starting_offset: 0 },
							},
							{
								intended_usage: "web_results",
								web_result_block: { web_results: [{ name: "Workers", url: page.url, snippet: "…" }] },
							},
						],
					},
					{
						blocks: [
							{
								intended_usage: "ask_text",
								markdown_block: { chunks: ["terminate."], chunk_starting_offset: 1 },
							},
						],
						display_model: "turbo",
						uuid: "u-1",
						final: true,
					},
				),
			},
		],
		requests: [
			{
				url: "https://www.perplexity.ai/rest/sse/perplexity_ask",
				method: "POST",
				headers: {
					accept: "text/event-stream",
					"content-type": "application/json",
					origin: "https://www.perplexity.ai",
					referer: "https://www.perplexity.ai/",
					"x-request-id": "id-1",
				},
				body: {
					query_str: question,
					params: {
						query_str: question,
						search_focus: "internet",
						mode: "copilot",
						sources: ["web"],
						attachments: [],
						frontend_uuid: "id-2",
						frontend_context_uuid: "id-3",
						version: "2.18",
						language: "en-US",
						timezone: "UTC",
						search_recency_filter: null,
						is_incognito: true,
						use_schematized_api: true,
						skip_search_enabled: false,
						always_search_override: true,
						prompt_source: "user",
						source: "default",
						send_back_text_in_streaming_api: true,
					},
				},
			},
		],
		response: {
			provider: "perplexity",
			answer: "By terminate.",
			sources: [{ ...page, snippet: "…" }],
			model: "turbo",
			requestId: "u-1",
			authMode: "anonymous",
		},
	},
};

describe("the contract of", () => {
	test.each(Object.entries(contracts))("%s", (_, contract) => expectContract(contract));

	test("perplexity with cookies, and with a login", async () => {
		const body = events({
			text: JSON.stringify([{ content: { answer: JSON.stringify({ answer: "Yes." }) } }]),
			final: true,
		});
		const cookies = await play(
			{ query: question },
			{ variables: { PERPLEXITY_COOKIES: "a=b" }, answers: [{ body }] },
		);
		expect(cookies.requests[0]?.headers).toMatchObject({ cookie: "a=b", "x-app-apiversion": "2.18" });
		expect(cookies.outcome).toMatchObject({ ok: true, response: { answer: "Yes.", authMode: "oauth" } });
		const keys = { perplexity: { key: "jwt", kind: "oauth" as const } };
		const login = await play({ query: question }, { keys, answers: [{ body }] });
		expect(login.requests[0]?.headers.cookie).toBe("__Secure-next-auth.session-token=jwt");
	});
});
