/** Searches the web through the first search service that answers. */
import type { Touch } from "@tau/agent";
import { z } from "zod";

import { defineTool, keysOfServices, type TouchContext, errorResult, textResult } from "@tau/tools/tool";
import { limits } from "./limits.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { serviceChain } from "./services.ts";

export const webSearch = defineTool({
	name: "web_search",
	label: "Web search",
	prompt,
	concurrency: "shared",
	approval: "read",
	kind: "fetch",
	searchHint: "",
	claude: { name: "WebSearch" },
	aliases: ["WebSearch"],
	schema,
	parameters: () =>
		z.object({
			query: z.string().min(1).max(limits.queryChars),
			recency: z.enum(["day", "week", "month", "year"]).optional().describe("only pages of this time"),
			limit: z.int().positive().optional().describe("how many sources"),
			max_tokens: z.int().positive().optional().describe("of an answer"),
			temperature: z.number().min(0).max(1).optional(),
			num_search_results: z.int().positive().optional().describe("how many pages to look at"),
		}),
	touches: (_, context) => searchTouches(context),
	async execute(params, context) {
		const { query, recency, limit, max_tokens, temperature, num_search_results } = params;
		const [{ cachedSearch, searchUsage }, { formatSearch }] = await Promise.all([
			import("./run-search.ts"),
			import("./format.ts"),
		]);
		const outcome = await cachedSearch(
			{ query, recency, limit, maxTokens: max_tokens, temperature, numSearchResults: num_search_results },
			context,
		);
		if (outcome.ok) {
			const { response, isKept } = outcome;
			const usage = isKept ? undefined : searchUsage(response);
			return { ...textResult(formatSearch(response), { response }), ...(usage ? { usage } : {}) };
		}
		const { provider, message } = outcome;
		return errorResult(`Error: ${message}`, { response: { provider, sources: [] }, error: message });
	},
	view: { call: ({ query }) => `web_search ${query ?? "…"}` },
});

/** Every server that the search may ask, because the next one is tried where one fails. */
function searchTouches({ services, settings }: TouchContext): Touch[] {
	const keys = services?.provided(keysOfServices);
	if (!keys || !settings) return [];
	const access = { keys, settings };
	const urls = serviceChain(access).flatMap((service) => service.addresses(access));
	return [...new Set(urls)].map((url) => ({ kind: "fetch", url }));
}
