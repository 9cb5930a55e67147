/** Perplexity: with cookies, a login, a key of its API, or as a visitor of its page. */
import { registerSecret } from "@tau/utils";

import { at, firstText, listAt, numberAt, parseJson, textAt, textsAt } from "@tau/tools/json";
import { eventsOf } from "../http.ts";
import instructions from "../instructions.md" with { type: "text" };
import models from "../models.json";
import type { Found, FoundSource, Search, SearchIo } from "../service.ts";
import { SearchProviderError, type SearchQuery } from "../types.ts";

const usual = { maxTokens: 8192, temperature: 0.2, numSearchResults: 20 } as const;

export const perplexity: Search = async (query, io) => {
	const cookies = io.keys.variable("PERPLEXITY_COOKIES");
	if (cookies !== undefined) {
		registerSecret(cookies);
		return ask(query, { authMode: "oauth", cookie: cookies }, io);
	}
	const access = io.keys.has("perplexity") ? await io.access("perplexity") : undefined;
	if (access?.kind === "oauth") {
		const cookie = `__Secure-next-auth.session-token=${access.key}`;
		return ask(query, { authMode: "oauth", cookie }, io);
	}
	return access ? askApi(query, access.key, io) : ask(query, { authMode: "anonymous" }, io);
};

async function askApi(query: SearchQuery, key: string, io: SearchIo): Promise<Found> {
	const { text } = await io.send({
		url: "https://api.perplexity.ai/chat/completions",
		headers: { Authorization: `Bearer ${key}` },
		isAnswer: true,
		body: {
			model: models.perplexity,
			messages: [
				{ role: "system", content: instructions.trim() },
				{ role: "user", content: query.query },
			],
			max_tokens: query.maxTokens ?? usual.maxTokens,
			temperature: query.temperature ?? usual.temperature,
			search_mode: "web",
			num_search_results: query.numSearchResults ?? usual.numSearchResults,
			return_related_questions: true,
			...(query.recency ? { search_recency_filter: query.recency } : {}),
		},
	});
	const json = parseJson(text);
	const dollars = numberAt(json, "usage.cost.total_cost");
	const results = listAt(json, "search_results").map(sourceOf);
	const cited = textsAt(json, "citations").map(
		(url) => results.find((each) => each.url === url) ?? { title: "", url },
	);
	return {
		answer: textAt(json, "choices.0.message.content"),
		sources: limited(cited.length > 0 ? cited : results, query),
		citations: cited.map(({ url, title }) => ({ url, title })),
		relatedQuestions: textsAt(json, "related_questions"),
		usage: {
			inputTokens: numberAt(json, "usage.prompt_tokens") ?? 0,
			outputTokens: numberAt(json, "usage.completion_tokens") ?? 0,
			totalTokens: numberAt(json, "usage.total_tokens") ?? 0,
			...(dollars === undefined ? {} : { dollars }),
		},
		model: textAt(json, "model"),
		requestId: textAt(json, "id"),
		authMode: "api_key",
	};
}

const askUrl = "https://www.perplexity.ai/rest/sse/perplexity_ask";
const apiVersion = "2.18";

/** The page's own endpoint: a stream of states, each with what has changed. */
async function ask(
	query: SearchQuery,
	{ authMode, cookie }: { authMode: "oauth" | "anonymous"; cookie?: string },
	io: SearchIo,
): Promise<Found> {
	const requestId = io.newId();
	const { text } = await io.send({
		url: askUrl,
		headers: {
			Accept: "text/event-stream",
			Origin: "https://www.perplexity.ai",
			Referer: "https://www.perplexity.ai/",
			"X-Request-ID": requestId,
			...(cookie === undefined
				? {}
				: { Cookie: cookie, "X-App-ApiClient": "default", "X-App-ApiVersion": apiVersion }),
		},
		isAnswer: true,
		body: {
			query_str: query.query,
			params: {
				query_str: query.query,
				search_focus: "internet",
				mode: "copilot",
				sources: ["web"],
				attachments: [],
				frontend_uuid: io.newId(),
				frontend_context_uuid: io.newId(),
				version: apiVersion,
				language: "en-US",
				timezone: "UTC",
				search_recency_filter: query.recency ?? null,
				is_incognito: true,
				use_schematized_api: true,
				skip_search_enabled: false,
				always_search_override: true,
				prompt_source: "user",
				source: "default",
				send_back_text_in_streaming_api: true,
			},
		},
	});
	const found = streamedAnswer(eventsOf(text), io);
	// A visitor who has used up the free questions is asked to sign up, as an answer without sources.
	if (authMode === "anonymous" && found.sources.length === 0)
		throw new SearchProviderError(io.id, "Perplexity answers no more questions without a login.", 429);
	return { requestId, ...found, sources: limited(found.sources, query), authMode };
}

function streamedAnswer(events: readonly unknown[], { id }: SearchIo): Found {
	const failed = events.find((event) => textAt(event, "error_code") !== "");
	if (failed !== undefined)
		throw new SearchProviderError(id, `Perplexity: ${firstText(failed, "error_message", "error_code")}`, 400);
	const chunks: string[] = [];
	let answer = "";
	const sources = new Map<string, FoundSource>();
	for (const event of events) {
		for (const block of listAt(event, "blocks")) {
			const markdown = at(block, "markdown_block");
			if (isAnswerBlock(block) && markdown !== undefined) {
				const parts = textsAt(markdown, "chunks");
				// The length cut off first: a chunk may replace those from its place on.
				if (parts.length > 0)
					chunks.splice(numberAt(markdown, "chunk_starting_offset") ?? 0, Infinity, ...parts);
				answer = chunks.join("") || textAt(markdown, "answer") || answer;
			}
			for (const each of listAt(block, "web_result_block.web_results")) {
				const source = sourceOf(each);
				sources.set(source.url, source);
			}
		}
		for (const each of listAt(event, "sources_list")) {
			const source = sourceOf(each);
			if (!sources.has(source.url)) sources.set(source.url, source);
		}
	}
	const last = events.findLast((event) => textAt(event, "text") !== "");
	return {
		answer: answer || textAnswer(textAt(last, "text")),
		sources: [...sources.values()],
		...named("model", firstLast(events, "display_model")),
		...named("requestId", firstLast(events, "uuid")),
	};
}

function isAnswerBlock(block: unknown): boolean {
	return /^ask_text|markdown/.test(textAt(block, "intended_usage"));
}

/** The text is the answer, or JSON with it: an object, or a list of steps whose content has one. */
function textAnswer(text: string): string {
	const json = parseJson(text);
	if (json === undefined) return text;
	const steps = Array.isArray(json) ? json.map((step) => textAt(step, "content.answer")) : [];
	const inner = steps.map(parseJson).find((each) => each !== undefined);
	return firstText(inner ?? json, "answer") || steps.find((each) => each !== "") || "";
}

function firstLast(events: readonly unknown[], path: string): string {
	return events.map((event) => textAt(event, path)).findLast((value) => value !== "") ?? "";
}

function named<K extends "model" | "requestId">(key: K, value: string): { [P in K]?: string } {
	return value === "" ? {} : ({ [key]: value } as { [P in K]: string });
}

function sourceOf(result: unknown): FoundSource {
	return {
		title: firstText(result, "title", "name"),
		url: textAt(result, "url"),
		snippet: textAt(result, "snippet"),
		date: firstText(result, "date", "timestamp", "last_updated"),
	};
}

/** Here the number of returned sources is not the number of pages that are looked at. */
function limited(sources: readonly FoundSource[], { limit }: SearchQuery): readonly FoundSource[] {
	return limit === undefined ? sources : sources.slice(0, limit);
}
