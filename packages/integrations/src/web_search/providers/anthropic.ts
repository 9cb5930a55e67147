/** Claude with Anthropic's own search tool: an answer with citations, and the pages that it read. */
import { setAnthropicKey } from "@tau/ai";
import { registerSecret } from "@tau/utils";

import instructions from "../instructions.md" with { type: "text" };
import { at, listAt, numberAt, parseJson, textAt } from "@tau/tools/json";
import models from "../models.json";
import type { FoundSource, Search, SearchIo } from "../service.ts";
import { SearchProviderError, type SearchCitation } from "../types.ts";

/** The limit of the answer where the call sets none. */
const maxTokens = 4096;

/** How often a turn that the server has paused is continued. */
const mostPauses = 4;

export const anthropic: Search = async (query, io) => {
	const { url, headers } = await requestTo(io);
	const blocks: unknown[] = [];
	const usage = { inputTokens: 0, outputTokens: 0, searchRequests: 0 };
	let json: unknown;
	for (let pauses = 0; pauses <= mostPauses; pauses++) {
		const { text } = await io.send({
			url,
			headers,
			isAnswer: true,
			body: {
				model: io.keys.variable("ANTHROPIC_SEARCH_MODEL") ?? models.anthropic,
				max_tokens: query.maxTokens ?? maxTokens,
				system: instructions.trim(),
				messages: [
					{ role: "user", content: query.query },
					...(blocks.length === 0 ? [] : [{ role: "assistant", content: [...blocks] }]),
				],
				tools: [{ type: "web_search_20250305", name: "web_search" }],
				...(query.temperature === undefined ? {} : { temperature: query.temperature }),
			},
		});
		json = parseJson(text);
		blocks.push(...listAt(json, "content"));
		usage.inputTokens += numberAt(json, "usage.input_tokens") ?? 0;
		usage.outputTokens += numberAt(json, "usage.output_tokens") ?? 0;
		usage.searchRequests += numberAt(json, "usage.server_tool_use.web_search_requests") ?? 0;
		if (textAt(json, "stop_reason") !== "pause_turn") break;
	}
	if (blocks.length === 0) throw new SearchProviderError(io.id, "Anthropic answered without content.", 500);
	const results = blocks.filter((block) => textAt(block, "type") === "web_search_tool_result");
	const sources = results.flatMap((block) => listAt(block, "content").map(sourceOf));
	const failed = results.map((block) => textAt(block, "content.error_code")).find((code) => code !== "");
	const answer = blocks.map((block) => (textAt(block, "type") === "text" ? rawText(block) : "")).join("");
	if (failed !== undefined && sources.length === 0)
		throw new SearchProviderError(io.id, `Anthropic web search failed: ${failed}.`, statusOf(failed));
	return {
		answer: answer.trim(),
		sources,
		citations: blocks.flatMap((block) => listAt(block, "citations").map(citationOf)),
		searchQueries: blocks
			.filter((block) => textAt(block, "type") === "server_tool_use")
			.map((block) => textAt(block, "input.query")),
		usage,
		model: textAt(json, "model"),
		requestId: textAt(json, "id"),
	};
};

/** A key for searches alone comes first; the address for searches goes with either. */
async function requestTo(io: SearchIo): Promise<{ url: string; headers: Record<string, string> }> {
	const own = io.keys.variable("ANTHROPIC_SEARCH_API_KEY");
	const moved = io.keys.variable("ANTHROPIC_SEARCH_BASE_URL");
	const usual = own === undefined ? await io.access("anthropic") : undefined;
	const headers = new Headers(usual?.headers);
	const key = own ?? usual?.key ?? "";
	if (key !== "") {
		registerSecret(key);
		setAnthropicKey(headers, key);
	}
	headers.set("anthropic-version", "2023-06-01");
	const base = moved ?? io.keys.address("anthropic") ?? "https://api.anthropic.com";
	return { url: `${base.replace(/\/+$/, "")}/v1/messages`, headers: Object.fromEntries(headers) };
}

/** An answer comes in pieces around its citations: their spaces count. */
function rawText(block: unknown): string {
	const text = at(block, "text");
	return typeof text === "string" ? text : "";
}

function sourceOf(result: unknown): FoundSource {
	return { title: textAt(result, "title"), url: textAt(result, "url"), date: textAt(result, "page_age") };
}

function citationOf(citation: unknown): SearchCitation {
	return {
		url: textAt(citation, "url"),
		title: textAt(citation, "title"),
		citedText: textAt(citation, "cited_text"),
	};
}

function statusOf(code: string): number {
	return code === "too_many_requests" ? 429 : 500;
}
