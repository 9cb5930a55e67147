/** OpenAI's models with their own search tool: over a ChatGPT login, or with a key of the API. */
import { codexAccount } from "@tau/ai";
import { cutUnits } from "@tau/utils";

import { at, firstText, listAt, numberAt, textAt, textsAt } from "@tau/tools/json";
import { eventsOf, type SearchRequest } from "../http.ts";
import instructions from "../instructions.md" with { type: "text" };
import { limits } from "../limits.ts";
import models from "../models.json";
import type { Found, FoundSource, Search, SearchIo } from "../service.ts";
import { SearchProviderError, type SearchCitation } from "../types.ts";

export const codex: Search = async ({ query }, io) => {
	const chosen = io.keys.variable("TAU_CODEX_WEB_SEARCH_MODEL");
	const isLogin = io.keys.has("openai-codex");
	const candidates = chosen === undefined ? (isLogin ? models.codex : models.openai) : [chosen];
	const to = await requestTo(isLogin, io);
	let failure: unknown;
	for (const model of candidates) {
		const body = {
			model,
			instructions: instructions.trim(),
			input: [{ type: "message", role: "user", content: [{ type: "input_text", text: query }] }],
			tools: [{ type: "web_search", search_context_size: "high" }],
			// The API accepts only the names of older tools here; there is no other tool that it could choose.
			tool_choice: isLogin ? { type: "web_search" } : "required",
			include: ["web_search_call.action.sources"],
			store: false,
			stream: true,
		};
		try {
			const { text } = await io.send({ ...to, isAnswer: true, body });
			return answerOf(eventsOf(text), model, io);
		} catch (error) {
			failure = error;
			if (!isAboutModel(error)) throw error;
		}
	}
	throw failure;
};

async function requestTo(isLogin: boolean, io: SearchIo): Promise<Pick<SearchRequest, "url" | "headers">> {
	const { key, baseUrl = "", headers } = await io.access(isLogin ? "openai-codex" : "openai");
	const common = { ...headers, Accept: "text/event-stream", Authorization: `Bearer ${key}` };
	const base = baseUrl.replace(/\/+$/, "");
	if (!isLogin) return { url: `${base}/responses`, headers: common };
	const account = codexAccount(key);
	return {
		url: `${base.endsWith("/codex") ? base : `${base}/codex`}/responses`,
		headers: {
			...common,
			"OpenAI-Beta": "responses=experimental",
			originator: "tau",
			...(account === "" ? {} : { "chatgpt-account-id": account }),
		},
	};
}

/** Which models an account may use is known only to the server; one may also answer without searching. */
function isAboutModel(error: unknown): boolean {
	if (!(error instanceof SearchProviderError)) return false;
	if (error.status === noSearch) return true;
	return (
		(error.status === 400 || error.status === 404) &&
		/model.*(?:not supported|not exist|not found)|not supported when using codex/i.test(error.message)
	);
}

const noSearch = 502;

function answerOf(events: readonly unknown[], model: string, { id }: SearchIo): Found {
	const failed = events.find((event) => /^(?:error|response\.failed)$/.test(textAt(event, "type")));
	if (failed !== undefined) {
		const reason =
			firstText(failed, "message", "error.message", "response.error.message") || "the answer failed";
		throw new SearchProviderError(
			id,
			`Codex error: ${reason}`,
			/rate.?limit|quota/i.test(reason) ? 429 : 500,
		);
	}
	const completed = events.findLast((event) => textAt(event, "type") === "response.completed");
	const done = events
		.filter((event) => textAt(event, "type") === "response.output_item.done")
		.map((event) => at(event, "item"));
	const items = done.length > 0 ? done : listAt(completed, "response.output");
	const searches = items.filter((item) => textAt(item, "type") === "web_search_call");
	const parts = items.flatMap((item) => listAt(item, "content"));
	const answer = parts
		.map((part) => textAt(part, "text"))
		.join("\n\n")
		.trim();
	if (searches.length === 0) throw new SearchProviderError(id, "Codex answered without a search.", noSearch);
	const citations = parts.flatMap(citationsOf);
	const read = searches.flatMap((item) => listAt(item, "action.sources").map(sourceOf));
	const cited = citations.map(({ url, title }) => ({ title, url }));
	const sources =
		cited.length + read.length > 0 ? [...cited, ...read] : linksIn(cutUnits(answer, limits.answerChars));
	return {
		answer,
		sources: withoutRepeats(sources),
		citations,
		searchQueries: searches.flatMap((item) => {
			const queries = textsAt(item, "action.queries");
			return queries.length > 0 ? queries : [textAt(item, "action.query")];
		}),
		usage: {
			inputTokens: numberAt(completed, "response.usage.input_tokens") ?? 0,
			outputTokens: numberAt(completed, "response.usage.output_tokens") ?? 0,
			totalTokens: numberAt(completed, "response.usage.total_tokens") ?? 0,
		},
		model: textAt(completed, "response.model") || model,
		requestId: textAt(completed, "response.id"),
	};
}

/** The marked part of the text is the name of the link; what it is about stands before. */
function citationsOf(part: unknown): SearchCitation[] {
	const text = at(part, "text");
	return listAt(part, "annotations")
		.filter((each) => textAt(each, "type") === "url_citation")
		.map((each) => {
			const start = numberAt(each, "start_index") ?? 0;
			const cited = typeof text === "string" ? text.slice(Math.max(0, start - 200), start) : "";
			return { url: plainUrl(textAt(each, "url")), title: textAt(each, "title"), citedText: cited };
		});
}

function sourceOf(source: unknown): FoundSource {
	return {
		title: firstText(source, "title", "caption"),
		url: plainUrl(firstText(source, "url", "source_website_url")),
	};
}

function plainUrl(url: string): string {
	return url.replace(/[?&]utm_source=openai$/, "");
}

function withoutRepeats(sources: readonly FoundSource[]): FoundSource[] {
	const byUrl = new Map<string, FoundSource>();
	for (const source of sources) {
		const known = byUrl.get(source.url);
		if (!known || known.title === "") byUrl.set(source.url, source);
	}
	return [...byUrl.values()];
}

/** Links of an answer without annotations: those of Markdown with their names, then bare ones. */
function linksIn(answer: string): FoundSource[] {
	const named = [...answer.matchAll(/\[([^\]\n]{1,200})\]\((https?:\/\/[^\s)]+)\)/g)].map(
		([, title = "", url = ""]) => ({ title, url: plainUrl(url) }),
	);
	const bare = [...answer.matchAll(/https?:\/\/[^\s)\]}>"'`]+/g)].map(([url]) => ({
		title: "",
		url: plainUrl(url.replace(/[.,!?;:]+$/, "")),
	}));
	return [...named, ...bare];
}
