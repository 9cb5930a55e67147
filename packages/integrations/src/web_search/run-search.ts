/** Asks one service after another until one answers, and keeps the answer for some minutes. */
import { CredentialError, type Usage } from "@tau/ai";
import { cutUnits, delay, oneLine, uuidv7 } from "@tau/utils";

import { keysOfServices, type ToolContext, paidUsage, type ServiceKey } from "@tau/tools/tool";
import { ageOf } from "./age.ts";
import { send } from "./http.ts";
import { limits } from "./limits.ts";
import type { Found, FoundSource, SearchAccess, SearchIo, SearchService } from "./service.ts";
import { serviceChain } from "./services.ts";
import {
	SearchProviderError,
	type SearchCitation,
	type SearchQuery,
	type SearchResponse,
	type SearchSource,
} from "./types.ts";

export type SearchOutcome =
	{ ok: true; response: SearchResponse; isKept?: true } | { ok: false; provider: string; message: string };

/** What a test replaces: the network and the clock. */
export interface SearchMeans {
	fetch?: typeof fetch;
	wait?(ms: number): Promise<void>;
	newId?(): string;
	now?(): number;
}

type Context = Pick<ToolContext, "settings" | "services" | "signal">;

/** Rejects only with the reason of the signal. */
export async function runSearch(
	query: SearchQuery,
	context: Context,
	means: SearchMeans = {},
): Promise<SearchOutcome> {
	const { settings, services, signal } = context;
	const keys = services.provided(keysOfServices);
	const chain = keys ? serviceChain({ keys, settings }) : [];
	if (!keys || chain.length === 0) return { ok: false, provider: "none", message: nothingConfigured };
	const failures: { service: SearchService; message: string }[] = [];
	for (const service of chain) {
		try {
			const found = await ask(service, query, { keys, settings }, signal, means);
			return { ok: true, response: responseOf(service, query, found, means.now?.() ?? Date.now()) };
		} catch (error) {
			signal.throwIfAborted();
			failures.push({ service, message: messageOf(service, error) });
		}
	}
	const last = failures.at(-1);
	const message =
		failures.length === 1
			? (last?.message ?? "")
			: `All web search providers failed: ${failures.map(({ service, message: why }) => `${service.label}: ${why}`).join("; ")}`;
	return { ok: false, provider: last?.service.id ?? "none", message };
}

const nothingConfigured =
	"No web search provider configured. The user can add a key (tau login tavily, or a variable such as TAVILY_API_KEY), or set providers.webSearch to exa or perplexity, which need none.";

async function ask(
	service: SearchService,
	query: SearchQuery,
	{ keys, settings }: SearchAccess,
	signal: AbortSignal,
	means: SearchMeans,
): Promise<Found> {
	const { id, label } = service;
	const search = await service.load();
	const io: SearchIo = {
		id,
		label,
		keys,
		settings,
		signal,
		send: (request) => send(request, { id, label, signal }, means.fetch),
		async access(...providers) {
			for (const provider of providers) {
				const access = keys.has(provider) ? await keys.resolve(provider, signal) : undefined;
				if (access) return access;
			}
			throw new SearchProviderError(id, `${label} has no key.`, 401);
		},
		wait: means.wait ?? ((ms) => delay(ms, signal)),
		newId: means.newId ?? uuidv7,
		now: means.now ?? Date.now,
	};
	return await search(query, io);
}

/** What a service sent, within bounds. A source needs an address that can be read; everything else may be missing. */
function responseOf(service: SearchService, query: SearchQuery, found: Found, now: number): SearchResponse {
	const most = service.keepsBothCounts ? query.limit : (query.numSearchResults ?? query.limit);
	const sources = found.sources
		.flatMap((source) => sourceOf(source, now))
		.slice(0, Math.min(limits.sources, most ?? limits.sources));
	const citations = (found.citations ?? []).flatMap(citationOf).slice(0, limits.citations);
	const related = textsOf(found.relatedQuestions);
	const queries = textsOf(found.searchQueries);
	const { usage, authMode } = found;
	// It is stored with the session.
	const answer = cutUnits(found.answer ?? "", limits.answerChars);
	const [model, requestId] = [found.model, found.requestId].map((text) =>
		oneLine(text ?? "", limits.titleChars),
	);
	return {
		provider: service.id,
		sources,
		...(answer ? { answer } : {}),
		...(citations.length > 0 ? { citations } : {}),
		...(related.length > 0 ? { relatedQuestions: related } : {}),
		...(queries.length > 0 ? { searchQueries: queries } : {}),
		...(usage ? { usage } : {}),
		...(model ? { model } : {}),
		...(requestId ? { requestId } : {}),
		...(authMode ? { authMode } : {}),
	};
}

function sourceOf(source: FoundSource, now: number): SearchSource[] {
	const url = webAddress(source.url);
	if (url === undefined) return [];
	const { snippet = "", author = "" } = source;
	const date = oneLine(source.date ?? "", limits.dateChars);
	const age = date === "" ? undefined : ageOf(date, now);
	return [
		{
			title: oneLine(source.title, limits.titleChars) || url,
			url,
			...(snippet === "" ? {} : { snippet: cutUnits(snippet, limits.keptChars) }),
			...(date === "" ? {} : { publishedDate: date }),
			...(age === undefined ? {} : { ageSeconds: age }),
			...(author === "" ? {} : { author: oneLine(author, limits.titleChars) }),
		},
	];
}

function citationOf({ url: written, title, citedText = "" }: SearchCitation): SearchCitation[] {
	const url = webAddress(written);
	if (url === undefined) return [];
	const cited = oneLine(citedText, limits.snippetChars);
	return [
		{ url, title: oneLine(title, limits.titleChars) || url, ...(cited === "" ? {} : { citedText: cited }) },
	];
}

function textsOf(list: readonly string[] = []): string[] {
	return list
		.map((each) => oneLine(each, limits.titleChars))
		.filter((each) => each !== "")
		.slice(0, limits.related);
}

/** In its normal form, which has no character that could look like another line. */
function webAddress(text: string): string | undefined {
	const url = text.length <= limits.urlChars ? URL.parse(text) : undefined;
	return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** A rejected key is named as such; Z.AI's own words say more than that. */
function messageOf({ id, label }: SearchService, error: unknown): string {
	if (error instanceof CredentialError) return error.message;
	if (!(error instanceof SearchProviderError)) return oneLine(String(error), limits.errorChars);
	const { status, message } = error;
	if (id === "anthropic" && status === 404)
		return "Anthropic web search returned 404 (model or endpoint not found).";
	if ((status === 401 || status === 403) && id !== "zai")
		return `${label} authorization failed (${status}). Check its key or login, and its address.`;
	return message;
}

/** Whose prices in the catalogue those of a service's models are. */
const pricedAs: Readonly<Record<string, string>> = {
	anthropic: "anthropic",
	codex: "openai",
	gemini: "google",
};
/** Anthropic charges ten dollars for a thousand searches. */
const dollarsPerSearch = 0.01;

/** What the answer of a model has cost. */
export function searchUsage({ provider, model = "", usage }: SearchResponse): Usage | undefined {
	return paidUsage({
		provider: pricedAs[provider] ?? provider,
		model,
		input: usage?.inputTokens,
		output: usage?.outputTokens,
		dollars: usage?.dollars,
		fees: (usage?.searchRequests ?? 0) * dollarsPerSearch,
	});
}

interface Kept {
	response: SearchResponse;
	at: number;
}

/** The oldest first. */
const cacheKey: ServiceKey<Map<string, Kept>> = { name: "web searches", create: () => new Map() };

/** As `runSearch`; the same question to the same services has the same answer for some minutes. */
export async function cachedSearch(
	query: SearchQuery,
	context: ToolContext,
	means: SearchMeans = {},
): Promise<SearchOutcome> {
	const { settings, services } = context;
	const keys = services.provided(keysOfServices);
	const cache = services.get(cacheKey, context);
	const chain = keys ? serviceChain({ keys, settings }).map(({ id }) => id) : [];
	const key = JSON.stringify([chain, query]);
	const now = means.now ?? Date.now;
	const kept = cache.get(key);
	if (kept && now() - kept.at < limits.cacheMs) return { ok: true, response: kept.response, isKept: true };
	const outcome = await runSearch(query, context, means);
	if (!outcome.ok) return outcome;
	cache.delete(key);
	cache.set(key, { response: outcome.response, at: now() });
	for (const oldest of cache.keys()) {
		if (cache.size <= limits.cacheEntries) break;
		cache.delete(oldest);
	}
	return outcome;
}
