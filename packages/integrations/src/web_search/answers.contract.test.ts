/** Models that search by themselves get exactly the documented request, and their recorded answers are read completely. */
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

const prompt = instructions.trim();

const contracts: Record<string, Contract> = {
	anthropic: {
		keys: { anthropic: { key: "sk-ant-api-1" } },
		query: { maxTokens: 900, temperature: 0 },
		answers: [
			{
				body: {
					id: "msg_1",
					type: "message",
					role: "assistant",
					model: models.anthropic,
					content: [
						{
							type: "server_tool_use",
							id: "srvtoolu_1",
							name: "web_search",
							input: { query: "bun worker terminate" },
						},
						{
							type: "web_search_tool_result",
							tool_use_id: "srvtoolu_1",
							content: [
								{ type: "web_search_result", ...page, encrypted_content: "x", page_age: "3 days ago" },
							],
						},
						{ type: "text", text: "Workers end by " },
						{
							type: "text",
							text: "calling terminate()",
							citations: [
								{
									type: "web_search_result_location",
									...page,
									encrypted_index: "x",
									cited_text: "To end a worker, call terminate().",
								},
							],
						},
						{ type: "text", text: "." },
					],
					stop_reason: "end_turn",
					usage: { input_tokens: 10, output_tokens: 20, server_tool_use: { web_search_requests: 1 } },
				},
			},
		],
		requests: [
			{
				url: "https://api.anthropic.com/v1/messages",
				method: "POST",
				headers: { ...jsonHeaders, "x-api-key": "sk-ant-api-1", "anthropic-version": "2023-06-01" },
				body: {
					model: "claude-haiku-4-5",
					max_tokens: 900,
					system: prompt,
					messages: [{ role: "user", content: question }],
					tools: [{ type: "web_search_20250305", name: "web_search" }],
					temperature: 0,
				},
			},
		],
		response: {
			provider: "anthropic",
			answer: "Workers end by calling terminate().",
			sources: [{ ...page, publishedDate: "3 days ago", ageSeconds: 259_200 }],
			citations: [{ ...page, citedText: "To end a worker, call terminate()." }],
			searchQueries: ["bun worker terminate"],
			usage: { inputTokens: 10, outputTokens: 20, searchRequests: 1 },
			model: models.anthropic,
			requestId: "msg_1",
		},
	},
	"anthropic with a turn that the server has paused": {
		keys: { anthropic: { key: "sk-ant-api-1" } },
		answers: [
			{
				body: {
					content: [{ type: "text", text: "They " }],
					stop_reason: "pause_turn",
					usage: { input_tokens: 1, output_tokens: 2, server_tool_use: { web_search_requests: 1 } },
				},
			},
			{
				body: {
					content: [{ type: "text", text: "end." }],
					stop_reason: "end_turn",
					usage: { input_tokens: 3, output_tokens: 4 },
				},
			},
		],
		requests: [
			[{ role: "user", content: question }],
			[
				{ role: "user", content: question },
				{ role: "assistant", content: [{ type: "text", text: "They " }] },
			],
		].map((messages) => ({
			url: "https://api.anthropic.com/v1/messages",
			method: "POST",
			headers: { ...jsonHeaders, "x-api-key": "sk-ant-api-1", "anthropic-version": "2023-06-01" },
			body: {
				model: models.anthropic,
				max_tokens: 4096,
				system: prompt,
				messages,
				tools: [{ type: "web_search_20250305", name: "web_search" }],
			},
		})),
		response: {
			provider: "anthropic",
			answer: "They end.",
			sources: [],
			usage: { inputTokens: 4, outputTokens: 6, searchRequests: 1 },
		},
	},
	"anthropic with its own key, address and model for searches": {
		keys: { anthropic: { key: "sk-ant-oat01-login" } },
		variables: {
			ANTHROPIC_SEARCH_API_KEY: "sk-ant-search",
			ANTHROPIC_SEARCH_BASE_URL: "https://search.example/",
			ANTHROPIC_SEARCH_MODEL: "own-model",
		},
		answers: [{ body: { content: [{ type: "text", text: "Yes." }], usage: {} } }],
		requests: [
			{
				url: "https://search.example/v1/messages",
				method: "POST",
				headers: { ...jsonHeaders, "x-api-key": "sk-ant-search", "anthropic-version": "2023-06-01" },
				body: {
					model: "own-model",
					max_tokens: 4096,
					system: prompt,
					messages: [{ role: "user", content: question }],
					tools: [{ type: "web_search_20250305", name: "web_search" }],
				},
			},
		],
		response: {
			provider: "anthropic",
			answer: "Yes.",
			sources: [],
			usage: { inputTokens: 0, outputTokens: 0, searchRequests: 0 },
		},
	},
	gemini: {
		keys: { "google-gemini-cli": { key: JSON.stringify({ token: "ya29.1", projectId: "p-1" }) } },
		variables: { TAU_AI_GEMINI_CLI_VERSION: "9.9.9" },
		query: { maxTokens: 50, temperature: 0.1 },
		answers: [
			{
				body: events(
					{ response: { candidates: [{ content: { role: "model", parts: [{ text: "They " }] } }] } },
					{
						response: {
							candidates: [
								{
									content: { role: "model", parts: [{ text: "end." }] },
									finishReason: "STOP",
									groundingMetadata: {
										webSearchQueries: ["bun workers"],
										groundingChunks: [{ web: { uri: page.url, title: page.title } }],
										groundingSupports: [
											{
												segment: { startIndex: 0, endIndex: 9, text: "They end." },
												groundingChunkIndices: [0, 7],
											},
										],
									},
								},
							],
							usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
							modelVersion: models.gemini,
						},
					},
				),
			},
		],
		requests: [
			{
				url: "https://cloudcode-pa.googleapis.com/v1internal:streamGenerateContent?alt=sse",
				method: "POST",
				headers: {
					accept: "text/event-stream",
					"content-type": "application/json",
					...bearer("ya29.1"),
					"client-metadata":
						'{"ideType":"IDE_UNSPECIFIED","platform":"PLATFORM_UNSPECIFIED","pluginType":"GEMINI"}',
					"user-agent": `GeminiCLI/9.9.9/${models.gemini} (${process.platform}; ${process.arch})`,
					"x-goog-api-client": "gl-node/22.17.0",
				},
				body: {
					model: models.gemini,
					project: "p-1",
					request: {
						contents: [{ role: "user", parts: [{ text: question }] }],
						systemInstruction: { parts: [{ text: prompt }] },
						tools: [{ googleSearch: {} }],
						generationConfig: { maxOutputTokens: 50, temperature: 0.1 },
					},
				},
			},
		],
		response: {
			provider: "gemini",
			answer: "They end.",
			sources: [page],
			citations: [{ ...page, citedText: "They end." }],
			searchQueries: ["bun workers"],
			usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
			model: models.gemini,
		},
	},
	"gemini with a key": {
		keys: { google: { key: "AIza1" } },
		answers: [{ body: events({ candidates: [{ content: { parts: [{ text: "Yes." }] } }] }) }],
		requests: [
			{
				url: `https://generativelanguage.googleapis.com/v1beta/models/${models.gemini}:streamGenerateContent?alt=sse`,
				method: "POST",
				headers: {
					accept: "text/event-stream",
					"content-type": "application/json",
					"x-goog-api-key": "AIza1",
				},
				body: {
					contents: [{ role: "user", parts: [{ text: question }] }],
					systemInstruction: { parts: [{ text: prompt }] },
					tools: [{ googleSearch: {} }],
				},
			},
		],
		response: { provider: "gemini", answer: "Yes.", sources: [], model: models.gemini },
	},
	codex: {
		keys: {
			"openai-codex": { key: token({ "https://api.openai.com/auth": { chatgpt_account_id: "acc-1" } }) },
		},
		variables: { TAU_CODEX_WEB_SEARCH_MODEL: "own-model" },
		answers: [
			{
				body: events(
					{
						type: "response.output_item.done",
						item: {
							type: "web_search_call",
							id: "ws_1",
							status: "completed",
							action: {
								type: "search",
								query: "bun workers",
								sources: [{ type: "url", url: "https://read.example/" }],
							},
						},
					},
					{
						type: "response.output_item.done",
						item: {
							type: "message",
							role: "assistant",
							content: [
								{
									type: "output_text",
									text: "They end. (bun.sh)",
									annotations: [
										{
											type: "url_citation",
											url: `${page.url}?utm_source=openai`,
											title: page.title,
											start_index: 10,
											end_index: 18,
										},
									],
								},
							],
						},
					},
					{
						type: "response.completed",
						response: {
							id: "resp_1",
							model: "own-model-2026",
							usage: { input_tokens: 5, output_tokens: 6, total_tokens: 11 },
						},
					},
				),
			},
		],
		requests: [
			{
				url: "https://chatgpt.com/backend-api/codex/responses",
				method: "POST",
				headers: {
					accept: "text/event-stream",
					"content-type": "application/json",
					...bearer(token({ "https://api.openai.com/auth": { chatgpt_account_id: "acc-1" } })),
					"chatgpt-account-id": "acc-1",
					"openai-beta": "responses=experimental",
					originator: "tau",
				},
				body: {
					model: "own-model",
					instructions: prompt,
					input: [{ type: "message", role: "user", content: [{ type: "input_text", text: question }] }],
					tools: [{ type: "web_search", search_context_size: "high" }],
					tool_choice: { type: "web_search" },
					include: ["web_search_call.action.sources"],
					store: false,
					stream: true,
				},
			},
		],
		response: {
			provider: "codex",
			answer: "They end. (bun.sh)",
			sources: [page, { title: "https://read.example/", url: "https://read.example/" }],
			citations: [{ ...page, citedText: "They end." }],
			searchQueries: ["bun workers"],
			usage: { inputTokens: 5, outputTokens: 6, totalTokens: 11 },
			model: "own-model-2026",
			requestId: "resp_1",
		},
	},
	"codex with a key of the API, whose answer has links only": {
		keys: { openai: { key: "sk-1" } },
		answers: [
			{ status: 400, body: { error: { message: "The requested model is not supported." } } },
			{
				body: events(
					{
						type: "response.output_item.done",
						item: { type: "web_search_call", action: { queries: ["q1", "q2"] } },
					},
					{
						type: "response.output_item.done",
						item: {
							type: "message",
							content: [{ type: "output_text", text: `See [Workers](${page.url}), https://b.example/x.` }],
						},
					},
				),
			},
		],
		requests: models.openai.map((model) => ({
			url: "https://api.openai.com/v1/responses",
			method: "POST",
			headers: { accept: "text/event-stream", "content-type": "application/json", ...bearer("sk-1") },
			body: {
				model,
				instructions: prompt,
				input: [{ type: "message", role: "user", content: [{ type: "input_text", text: question }] }],
				tools: [{ type: "web_search", search_context_size: "high" }],
				tool_choice: "required",
				include: ["web_search_call.action.sources"],
				store: false,
				stream: true,
			},
		})),
		response: {
			provider: "codex",
			answer: `See [Workers](${page.url}), https://b.example/x.`,
			sources: [page, { title: "https://b.example/x", url: "https://b.example/x" }],
			searchQueries: ["q1", "q2"],
			usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
			model: models.openai[1] ?? "",
		},
	},
};

/** A JWT whose signature nobody checks. */
function token(claims: unknown): string {
	return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
}

describe("the contract of", () => {
	test.each(Object.entries(contracts))("%s", (_, contract) => expectContract(contract));

	test("antigravity: both addresses, each with retries that wait as the server says", async () => {
		const busy = { status: 503, body: { error: { message: "busy" } } };
		const limited = {
			status: 429,
			headers: { "retry-after": "7" },
			body: { error: { message: "slow down" } },
		};
		const { requests, outcome, waits } = await play(
			{ query: question },
			{
				keys: { "google-antigravity": { key: JSON.stringify({ token: "t-1", projectId: "p-1" }) } },
				answers: [
					busy,
					limited,
					busy,
					busy,
					{ body: events({ response: { candidates: [{ content: { parts: [{ text: "Yes." }] } }] } }) },
				],
			},
		);
		expect(waits).toEqual([1000, 7000, 4000]);
		expect(requests.map(({ url }) => new URL(url).host)).toEqual([
			...Array<string>(4).fill("daily-cloudcode-pa.sandbox.googleapis.com"),
			"cloudcode-pa.googleapis.com",
		]);
		expect(requests[0]?.body).toMatchObject({
			userAgent: "antigravity",
			requestType: "agent",
			project: "p-1",
		});
		expect(outcome).toMatchObject({ ok: true, response: { answer: "Yes." } });
	});

	test("anthropic with a login", async () => {
		const { requests } = await play(
			{ query: question },
			{
				keys: { anthropic: { key: "sk-ant-oat01-1" } },
				answers: [{ body: { content: [{ type: "text", text: "Yes." }] } }],
			},
		);
		expect(requests[0]?.headers).toMatchObject({
			...bearer("sk-ant-oat01-1"),
			"anthropic-beta": "oauth-2025-04-20",
		});
		expect(requests[0]?.headers).not.toHaveProperty("x-api-key");
	});
});
