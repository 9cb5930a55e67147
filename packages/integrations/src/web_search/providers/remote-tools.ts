/** The services behind a remote MCP server: Z.AI, and Exa where there is no key. One call needs no client of its own. */
import { version } from "@tau/utils";

import { at, firstText, listAt, parseJson, textAt } from "@tau/tools/json";
import { eventsOf } from "../http.ts";
import { countOf, type Found, type FoundSource, type Search, type SearchIo } from "../service.ts";
import { SearchProviderError, type SearchQuery } from "../types.ts";

const protocolVersion = "2025-03-26";

interface Server {
	url: string;
	headers: Readonly<Record<string, string>>;
}

/** One JSON-RPC message; a notification has no id and gets no answer. */
async function post(
	{ url, headers }: Server,
	method: string,
	params: Readonly<Record<string, unknown>>,
	io: SearchIo,
	{ session, isNotice = false }: { session?: string | undefined; isNotice?: boolean } = {},
): Promise<{ result: unknown; session: string | undefined }> {
	const answer = await io.send({
		url,
		headers: {
			Accept: "application/json, text/event-stream",
			...headers,
			...(session === undefined ? {} : { "Mcp-Session-Id": session }),
		},
		body: { jsonrpc: "2.0", ...(isNotice ? {} : { id: io.newId() }), method, params },
	});
	const next = answer.headers.get("mcp-session-id") ?? session;
	if (isNotice) return { result: undefined, session: next };
	const message = parseJson(answer.text) ?? eventsOf(answer.text).at(-1);
	return { result: resultOf(message, io), session: next };
}

function resultOf(message: unknown, { id, label }: SearchIo): unknown {
	const failure = (reason: string, status: number): SearchProviderError =>
		new SearchProviderError(id, `${label} MCP error: ${reason}`, status);
	if (typeof message !== "object" || message === null)
		throw failure("the answer is neither JSON nor an event.", 500);
	if (at(message, "success") === false)
		throw failure(firstText(message, "msg", "message", "error_message") || "the request failed.", 400);
	if (at(message, "error") !== undefined)
		throw failure(textAt(message, "error.message") || "the request failed.", 400);
	const result = at(message, "result");
	if (at(result, "isError") === true) throw failure(textsOf(result).join(" ") || "the tool failed.", 400);
	return result;
}

function textsOf(result: unknown): string[] {
	return listAt(result, "content")
		.map((part) => textAt(part, "text"))
		.filter((text) => text !== "");
}

/** A conversation with a server: the handshake first, then as many requests as needed. */
async function connect(
	server: Server,
	io: SearchIo,
): Promise<(method: string, params: object) => Promise<unknown>> {
	const hello = { protocolVersion, capabilities: {}, clientInfo: { name: "tau", version } };
	const { session } = await post(server, "initialize", hello, io);
	await post(server, "notifications/initialized", {}, io, { session, isNotice: true });
	return async (method, params) => (await post(server, method, { ...params }, io, { session })).result;
}

/** The server has renamed its tool and its arguments before, so that it is asked for both. */
export const zai: Search = async (query, io) => {
	const { key } = await io.access("zai");
	const request = await connect(
		{
			url: "https://api.z.ai/api/mcp/web_search_prime/mcp",
			headers: { Authorization: `Bearer ${key}` },
		},
		io,
	);
	const tools = listAt(await request("tools/list", {}), "tools");
	const tool = tools.find((each) => /search/i.test(textAt(each, "name"))) ?? tools[0];
	if (tool === undefined)
		throw new SearchProviderError(io.id, "Z.AI's server has no tool for searches.", 500);
	const known = at(tool, "inputSchema.properties");
	const takes = (name: string): boolean =>
		typeof known === "object" && known !== null && Object.hasOwn(known, name);
	const count = countOf(query, { most: 50, usual: 10 });
	const result = await request("tools/call", {
		name: textAt(tool, "name"),
		arguments: {
			[takes("search_query") || !takes("query") ? "search_query" : "query"]: query.query,
			...(takes("search_engine") ? { search_engine: "search-prime" } : {}),
			...(takes("count") ? { count } : {}),
		},
	});
	return zaiResults(result);
};

/** The results are in the result itself, or as JSON in its text; a text that is not JSON is the answer. */
function zaiResults(result: unknown): Found {
	const texts = textsOf(result);
	const parsed = texts.map(parseJson);
	const places = [result, at(result, "structuredContent"), at(result, "data"), ...parsed];
	const lists = places.map((place) =>
		Array.isArray(place) ? place : [...listAt(place, "search_result"), ...listAt(place, "results")],
	);
	const found = lists.findIndex((list) => list.length > 0);
	const sources = (lists[found] ?? []).map((each): FoundSource => ({
		title: textAt(each, "title"),
		url: firstText(each, "link", "url"),
		snippet: textAt(each, "content"),
		date: firstText(each, "publish_date", "publishedDate"),
		author: textAt(each, "media"),
	}));
	return {
		answer: texts.filter((_, index) => typeof parsed[index] !== "object").join("\n\n"),
		sources,
		requestId: firstText(places[found], "request_id", "requestId", "id"),
	};
}

export const exa: Search = async (query, io) => {
	const wanted = query.numSearchResults ?? query.limit;
	if (!io.keys.has("exa")) return exaWithoutKey(query, wanted, io);
	const { key } = await io.access("exa");
	const { text } = await io.send({
		url: "https://api.exa.ai/search",
		headers: { "x-api-key": key },
		body: {
			query: query.query,
			numResults: wanted ?? 10,
			type: "auto",
			contents: { summary: { query: query.query } },
		},
	});
	return exaResults(parseJson(text));
};

/** The most summaries that make an answer. */
const summaries = 3;

function exaResults(json: unknown): Found {
	const results = listAt(json, "results").filter((each) => textAt(each, "url") !== "");
	const answers = results
		.filter((each) => textAt(each, "summary") !== "")
		.slice(0, summaries)
		.map((each) => `**${firstText(each, "title", "url")}**: ${textAt(each, "summary")}`);
	return {
		answer: answers.join("\n\n"),
		sources: results.map((each) => ({
			title: textAt(each, "title"),
			url: textAt(each, "url"),
			snippet: firstText(each, "summary", "text", "highlights.0"),
			date: textAt(each, "publishedDate"),
			author: textAt(each, "author"),
		})),
		requestId: textAt(json, "requestId"),
	};
}

async function exaWithoutKey(
	{ query }: SearchQuery,
	wanted: number | undefined,
	io: SearchIo,
): Promise<Found> {
	const server = { url: "https://mcp.exa.ai/mcp?tools=web_search_exa", headers: { "x-exa-source": "tau" } };
	const args = { query, ...(wanted === undefined ? {} : { numResults: wanted }) };
	const { result } = await post(server, "tools/call", { name: "web_search_exa", arguments: args }, io);
	const texts = textsOf(result);
	const json = [at(result, "structuredContent"), ...texts.map(parseJson)].find(
		(each) => listAt(each, "results").length > 0,
	);
	const found = json === undefined ? { sources: labeledResults(texts.join("\n\n")) } : exaResults(json);
	if (found.sources.length === 0 && texts.length > 0 && json === undefined)
		throw new SearchProviderError(io.id, "Exa MCP answered in an unknown form.", 500);
	return { ...found, authMode: "anonymous" };
}

/** `Title: …`, `URL: …`, `Published Date: …`, then `Text: …` to the next title. */
function labeledResults(text: string): FoundSource[] {
	return text
		.split(/^(?=Title:)/m)
		.filter((part) => part.startsWith("Title:"))
		.map((part) => {
			const field = (name: string): string =>
				new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(part)?.[1]?.trim() ?? "";
			return {
				title: field("Title"),
				url: field("URL"),
				snippet: /^(?:Text|Highlights):\s*([\s\S]*)$/m.exec(part)?.[1]?.trim() ?? "",
				date: field("Published Date") || field("Published"),
				author: field("Author"),
			};
		});
}
