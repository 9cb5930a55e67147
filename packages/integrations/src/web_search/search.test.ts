/** One service after another is asked until one answers, and whatever they send is shown within bounds. */
import { describe, expect, test } from "bun:test";

import { builtinModels } from "@tau/ai";

import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import { formatAge, ageOf } from "./age.ts";
import { formatSearch } from "./format.ts";
import { limits } from "./limits.ts";
import models from "./models.json";
import { cachedSearch } from "./run-search.ts";
import { serviceChain } from "./services.ts";
import { events, now, play, playedKeys, type RecordedAnswer } from "./testing/recorded.ts";
import { webSearch } from "./tool.ts";

const query = { query: "q" };
const two = { tavily: { key: "t-1" }, brave: { key: "b-1" } };
const refused: RecordedAnswer = { status: 401, body: { detail: { error: "bad key t-1" } } };
const found: RecordedAnswer = {
	body: { web: { results: [{ title: "One", url: "https://one.example/" }] } },
};

describe("the services", () => {
	const every = playedKeys({
		keys: Object.fromEntries(
			[
				"tavily perplexity brave jina kimi-code anthropic google-gemini-cli openai-codex zai exa parallel kagi synthetic".split(
					" ",
				),
			]
				.flat()
				.map((id) => [id, {}]),
		),
		variables: { SEARXNG_ENDPOINT: "https://sx.example" },
	});

	test("are tried in the order of the specification, the chosen one first", async () => {
		await using env = await testToolEnv({ keys: every });
		const order = (): string =>
			serviceChain({ keys: every, settings: env.settings })
				.map(({ id }) => id)
				.join(" ");
		expect(order()).toBe(
			"tavily perplexity brave jina kimi anthropic gemini codex zai exa parallel kagi synthetic searxng",
		);
		await env.settings.set("providers.webSearch", "kagi", "session");
		await env.settings.set("exa.enableSearch", false, "session");
		expect(order()).toBe(
			"kagi tavily perplexity brave jina kimi anthropic gemini codex zai parallel synthetic searxng",
		);
	});

	test("without a key are used only if they are chosen", async () => {
		await using env = await testToolEnv();
		const keys = playedKeys({});
		const chain = (): string[] => serviceChain({ keys, settings: env.settings }).map(({ id }) => id);
		expect(chain()).toEqual([]);
		for (const id of ["exa", "perplexity"] as const) {
			await env.settings.set("providers.webSearch", id, "session");
			expect(chain()).toEqual([id]);
		}
		await env.settings.set("providers.webSearch", "tavily", "session");
		expect(chain()).toEqual([]);
	});

	test("that a call may ask are what it touches", async () => {
		await using env = await testToolEnv({ keys: every });
		const hosts = webSearch.touches({ query: "q" }, env).map((touch) => touch.kind === "fetch" && touch.url);
		expect(hosts).toContain("https://api.tavily.com");
		expect(hosts).toContain("https://api.anthropic.com");
		expect(hosts).toContain("https://sx.example");
	});
});

describe("a failure", () => {
	test("of one service leads to the next", async () => {
		const { requests, outcome } = await play(query, { keys: two, answers: [refused, found] });
		expect(requests.map(({ url }) => new URL(url).host)).toEqual(["api.tavily.com", "api.search.brave.com"]);
		expect(outcome).toMatchObject({ ok: true, response: { provider: "brave", sources: [{ title: "One" }] } });
	});

	test("of all is one message that names each", async () => {
		const limited = { status: 429, headers: { "retry-after": "30" }, body: { message: "Too many requests" } };
		const { outcome } = await play(query, { keys: two, answers: [refused, limited] });
		expect(outcome).toEqual({
			ok: false,
			provider: "brave",
			message:
				"All web search providers failed: Tavily: Tavily authorization failed (401). Check its key or login, and its address.; Brave: Brave rate limit reached (429): Too many requests Try again in 30 s.",
		});
	});

	test.each([
		["nothing is configured", {}, [], "No web search provider configured."],
		[
			"Anthropic does not know the model",
			{ anthropic: { key: "a" } },
			[{ status: 404, body: {} }],
			"Anthropic web search returned 404 (model or endpoint not found).",
		],
		[
			"Z.AI rejects the key",
			{ zai: { key: "z" } },
			[{ status: 401, body: { msg: "token expired" } }],
			"Z.AI API error (401): token expired",
		],
		[
			"a server redirects, which could leak the key",
			{ tavily: { key: "t" } },
			[{ status: 302, headers: { location: "https://evil.example/" }, body: "" }],
			"Tavily redirects (302), which is not followed.",
		],
		[
			"Anthropic has no search left",
			{ anthropic: { key: "a" } },
			[
				{
					body: {
						content: [
							{
								type: "web_search_tool_result",
								content: { type: "web_search_tool_result_error", error_code: "too_many_requests" },
							},
						],
					},
				},
			],
			"Anthropic web search failed: too_many_requests.",
		],
		[
			"Codex does not search",
			{ openai: { key: "o" } },
			[{ body: "data: {}\n\n" }, { body: "data: {}\n\n" }],
			"Codex answered without a search.",
		],
		[
			"Codex reports one in its stream",
			{ "openai-codex": { key: "o" } },
			[
				{
					body: 'data: {"type":"response.failed","response":{"error":{"message":"usage limit, quota"}}}\n\n',
				},
			],
			"Codex error: usage limit, quota",
		],
	])("says what is wrong where %s", async (_, keys, answers, message) => {
		const { outcome } = await play(query, { keys, answers });
		expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining(message) });
	});

	test("of the settings of SearXNG is found before any request", async () => {
		const settings = { "searxng.endpoint": "https://sx.example" };
		for (const [own, reason] of [
			[{ "searxng.basicUsername": "me" }, "searxng.basicPassword"],
			[{ "searxng.basicUsername": "a:b", "searxng.basicPassword": "x" }, "cannot contain a colon"],
			[{ "searxng.endpoint": "not an address" }, "not the address of a server"],
		] as const) {
			const { requests, outcome } = await play(query, { settings: { ...settings, ...own }, answers: [] });
			expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining(reason) });
			expect(requests).toEqual([]);
		}
		const { outcome } = await play(query, { settings, answers: [{ body: "<html>" }] });
		expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining("search.formats") });
	});

	test("does not show a key that the server quotes", async () => {
		const { registerSecret } = await import("@tau/utils");
		registerSecret("tvly-quoted-secret-key");
		const answers = [{ status: 400, body: { detail: "key tvly-quoted-secret-key is wrong" } }];
		const { outcome } = await play(query, { keys: { tavily: { key: "tvly-quoted-secret-key" } }, answers });
		expect(outcome).toMatchObject({ ok: false, message: expect.not.stringContaining("tvly-quoted") });
	});

	test("by cancellation is passed on, and no other service is asked", async () => {
		const stop = new AbortController();
		stop.abort(new DOMException("enough", "AbortError"));
		await expect(play(query, { keys: two, answers: [found], signal: stop.signal })).rejects.toThrow("enough");
	});
});

describe("the result", () => {
	test("has the answer, numbered sources with age and excerpt, citations, questions and queries", () => {
		const url = "https://one.example/";
		expect(
			formatSearch({
				provider: "x",
				answer: "It \x1b[31mis\x1b[0m so.",
				sources: [
					{ title: "One\x1b]0;evil\x07", url, snippet: `a\n${"b".repeat(500)}`, ageSeconds: 90_000 },
					{ title: "Two", url, publishedDate: "May" },
				],
				citations: [
					{ url, title: "One", citedText: "so" },
					{ url, title: url },
				],
				relatedQuestions: ["Why?"],
				searchQueries: ["q".repeat(200), "b", "c", "d"],
			}),
		).toBe(
			`It is so.\n\n## Sources\n2 sources\n[1] One (1d ago)\n    ${url}\n    a ${"b".repeat(237)}…\n[2] Two (May)\n    ${url}\n\n## Citations\n- One: ${url}\n  so\n- ${url}\n\n## Related\n- Why?\n\nSearch queries: 4\n- ${"q".repeat(119)}…\n- b\n- c`,
		);
	});

	test("of a hostile service is only web addresses on lines of their own", async () => {
		const results = [
			{ title: "x".repeat(100_000), url: "data:text/html,hello" },
			{ title: "A\n[9] Fake (1d ago)", url: "https://a.example/\n[8] Fake" },
			{ title: 7, url: ["https://b.example/"] },
			...Array.from({ length: 500 }, (_, index) => ({
				url: `https://c.example/${index}`,
				description: "y".repeat(10_000),
			})),
		];
		const { outcome } = await play(query, {
			keys: { brave: { key: "b" } },
			answers: [{ body: { web: { results } } }],
		});
		if (!outcome.ok) throw new Error(outcome.message);
		expect(outcome.response.sources).toHaveLength(limits.sources);
		const text = formatSearch(outcome.response);
		expect(text.length).toBeLessThan(20_000);
		expect(text).not.toContain("data:");
		expect(text.split("\n").filter((line) => /^\[\d+\]/.test(line))).toHaveLength(limits.sources);
		expect(text).toStartWith("[1] A [9] Fake (1d ago)\n    https://a.example/[8]%20Fake\n");
	});

	test("of a service that keeps expressions busy comes all the same, and is stored within bounds", async () => {
		const long = "1".repeat(2_000_000);
		const list = { web: { results: [{ title: "A", url: "https://a.example/", age: long }] } };
		const dates = await play(query, { keys: { brave: { key: "b" } }, answers: [{ body: list }] });
		expect(dates.outcome).toMatchObject({ ok: true, response: { sources: [{ title: "A" }] } });
		const text = "[a](https://".repeat(300_000);
		const item = { type: "message", content: [{ type: "output_text", text }] };
		const body = events(
			{ type: "response.output_item.done", item: { type: "web_search_call" } },
			{ type: "response.output_item.done", item },
		);
		const { outcome } = await play(query, { keys: { openai: { key: "o" } }, answers: [{ body }] });
		if (!outcome.ok) throw new Error(outcome.message);
		expect(JSON.stringify(outcome.response).length).toBeLessThan(3 * limits.answerChars);
	});

	test("of a service that sends without end is refused", async () => {
		const body = `"${"x".repeat(limits.bodyBytes)}"`;
		const { outcome } = await play(query, { keys: { brave: { key: "b" } }, answers: [{ body }] });
		expect(outcome).toMatchObject({ ok: false, message: "Brave sent more than 8 MB." });
	});

	test("is kept for some minutes", async () => {
		await using env = await testToolEnv({ keys: playedKeys({ keys: { brave: { key: "b" } } }) });
		const context = { ...env, toolCallId: "", signal: new AbortController().signal, update: () => {} };
		let [requests, clock] = [0, now];
		const means = {
			now: () => clock,
			fetch: Object.assign(
				async () => {
					requests++;
					return Response.json(found.body);
				},
				{ preconnect: fetch.preconnect },
			),
		};
		const search = async (text: string): Promise<boolean> =>
			(await cachedSearch({ query: text }, context, means)).ok;
		expect([await search("a"), await search("a"), await search("b")]).toEqual([true, true, true]);
		expect(requests).toBe(2);
		clock += limits.cacheMs;
		await search("a");
		expect(requests).toBe(3);
	});

	test("of a model counts in the session's cost, once", async () => {
		const body = {
			model: `${models.anthropic}-20260101`,
			content: [{ type: "text", text: "Yes." }],
			usage: { input_tokens: 1000, output_tokens: 100, server_tool_use: { web_search_requests: 2 } },
		};
		await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(body) });
		const variables = { ANTHROPIC_SEARCH_BASE_URL: server.url.href };
		const keys = playedKeys({ keys: { anthropic: { key: "a" } }, variables });
		await using env = await testToolEnv({ keys });
		const search = () => callTool(webSearch.bind(env), { query: "q" });
		const { usage } = await search();
		const price = builtinModels("anthropic").find(({ id }) => id === models.anthropic)?.cost;
		expect(usage).toMatchObject({ input: 1000, output: 100, totalTokens: 1100 });
		expect(usage?.cost.total).toBeCloseTo(
			((price?.input ?? 0) * 1000 + (price?.output ?? 0) * 100) / 1e6 + 2 * 0.01,
		);
		expect((await search()).usage).toBeUndefined();
	});

	test("without a service is an error with what to do", async () => {
		await using env = await testToolEnv({ keys: playedKeys({}) });
		const result = await callTool(webSearch.bind(env), { query: "q" });
		expect(textOf(result)).toStartWith("Error: No web search provider configured.");
		expect(result).toMatchObject({
			isError: true,
			details: { response: { provider: "none" }, error: expect.any(String) },
		});
	});
});

test.each([
	["2 days ago", 172_800],
	["3h", 10_800],
	["1 month ago", 2_592_000],
	["2026-06-10", 43_200],
	["2026-06-11", 0],
	["June 3, 2026", undefined],
	["2026", undefined],
	["lately", undefined],
	["", undefined],
])("the age of %s", (date, seconds) => {
	const age = ageOf(date, now);
	if (date.startsWith("June")) expect(age).toBeGreaterThan(500_000);
	else expect(age).toBe(seconds);
});

test("ages are short", () => {
	expect([5, 65, 7200, 90_000, 700_000, 3_000_000, 40_000_000].map(formatAge)).toEqual([
		"just now",
		"1m ago",
		"2h ago",
		"1d ago",
		"1w ago",
		"1mo ago",
		"1y ago",
	]);
});
