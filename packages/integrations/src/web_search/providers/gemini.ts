/** Gemini with Google Search: over the login of the Gemini CLI or Antigravity, or with a key of the Gemini API. */
import { clientHeaders, projectOf, splitKey } from "@tau/ai";
import { registerSecret } from "@tau/utils";

import { at, listAt, numberAt, textAt, textsAt } from "@tau/tools/json";
import { eventsOf, type SearchRequest } from "../http.ts";
import instructions from "../instructions.md" with { type: "text" };
import { limits } from "../limits.ts";
import models from "../models.json";
import { geminiAddresses, type Found, type Search, type SearchIo } from "../service.ts";
import { SearchProviderError, type SearchCitation, type SearchQuery } from "../types.ts";

export const gemini: Search = async (query, io) => {
	const requests = loginRequests(query, io) ?? [await keyRequest(query, io)];
	const text = await firstAnswer(requests, io);
	const found = groundedAnswer(eventsOf(text));
	if (!found.answer && found.sources.length === 0)
		throw new SearchProviderError(io.id, "Gemini answered without a result.", 502);
	return found;
};

const logins = ["google-gemini-cli", "google-antigravity"] as const;

/** A request for each address that may answer; made anew after a rejected token. */
type Attempt = () => Promise<SearchRequest>;

function loginRequests(query: SearchQuery, io: SearchIo): Attempt[] | undefined {
	const login = logins.find((id) => io.keys.has(id));
	if (login === undefined) return undefined;
	const isCli = login === "google-gemini-cli";
	return geminiAddresses(io.keys).map((base) => async () => {
		const { key } = await io.access(login);
		const { token } = splitKey(key);
		registerSecret(token);
		const variable = (name: string): string | undefined => io.keys.variable(name);
		const env = Object.fromEntries(
			["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID", "TAU_AI_GEMINI_CLI_VERSION"].map((name) => [
				name,
				variable(name),
			]),
		);
		const client = isCli
			? clientHeaders(env, models.gemini)
			: { "user-agent": `antigravity/1.11.5 ${process.platform}/${process.arch}` };
		const about = isCli
			? {}
			: { requestType: "agent", userAgent: "antigravity", requestId: `agent-${io.newId()}` };
		return {
			url: `${base}/v1internal:streamGenerateContent?alt=sse`,
			headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream", ...client },
			isAnswer: true,
			body: { model: models.gemini, project: projectOf(key, env), ...about, request: bodyOf(query) },
		};
	});
}

async function keyRequest(query: SearchQuery, io: SearchIo): Promise<Attempt> {
	const { key, baseUrl, headers } = await io.access("google");
	return async () => ({
		url: `${baseUrl}/models/${models.gemini}:streamGenerateContent?alt=sse`,
		headers: { ...headers, "x-goog-api-key": key, Accept: "text/event-stream" },
		isAnswer: true,
		body: bodyOf(query),
	});
}

function bodyOf({ query, maxTokens, temperature }: SearchQuery): Record<string, unknown> {
	const config = {
		...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
		...(temperature === undefined ? {} : { temperature }),
	};
	return {
		contents: [{ role: "user", parts: [{ text: query }] }],
		systemInstruction: { parts: [{ text: instructions.trim() }] },
		tools: [{ googleSearch: {} }],
		...(Object.keys(config).length > 0 ? { generationConfig: config } : {}),
	};
}

/** Each address in turn; a busy one is tried again, within a budget of waiting that all share. */
async function firstAnswer(attempts: readonly Attempt[], io: SearchIo): Promise<string> {
	let budgetMs: number = limits.retryBudgetMs;
	let failure: unknown;
	for (const attempt of attempts) {
		let isTokenNew = false;
		for (let retry = 0; retry <= limits.retries; retry++) {
			try {
				return (await io.send(await attempt())).text;
			} catch (error) {
				if (!(error instanceof SearchProviderError)) throw error;
				failure = error;
				if (isRejectedToken(error) && !isTokenNew) {
					// The store renews a token that is about to expire; one that was revoked stays rejected.
					isTokenNew = true;
					continue;
				}
				const waitMs = error.retryAfterMs ?? limits.retryMs * 2 ** retry;
				if (!isBusy(error) || retry === limits.retries || waitMs > budgetMs) break;
				budgetMs -= waitMs;
				await io.wait(waitMs);
			}
		}
	}
	throw failure;
}

function isRejectedToken({ status, message }: SearchProviderError): boolean {
	return status === 401 || status === 403 || (status === 400 && /auth|credential|token/i.test(message));
}

function isBusy({ status = 0 }: SearchProviderError): boolean {
	return status === 429 || status >= 500;
}

function groundedAnswer(events: readonly unknown[]): Found {
	const parts = events.map((event) => at(event, "response") ?? event);
	const grounding = parts.map((part) => at(part, "candidates.0.groundingMetadata"));
	const pages = grounding.flatMap((each) => listAt(each, "groundingChunks").map((chunk) => at(chunk, "web")));
	const urls = new Set<string>();
	const sources = pages
		.map((page) => ({ title: textAt(page, "title"), url: textAt(page, "uri") }))
		.filter(({ url }) => url !== "" && !urls.has(url) && urls.add(url));
	const usage = parts.map((part) => at(part, "usageMetadata")).findLast((each) => each !== undefined);
	return {
		answer: parts
			.flatMap((part) => listAt(part, "candidates.0.content.parts"))
			.map((part) => at(part, "text"))
			.filter((text) => typeof text === "string")
			.join(""),
		sources,
		citations: grounding.flatMap(citationsOf),
		searchQueries: [...new Set(grounding.flatMap((each) => textsAt(each, "webSearchQueries")))],
		...(usage === undefined
			? {}
			: {
					usage: {
						inputTokens: numberAt(usage, "promptTokenCount") ?? 0,
						outputTokens: numberAt(usage, "candidatesTokenCount") ?? 0,
						totalTokens: numberAt(usage, "totalTokenCount") ?? 0,
					},
				}),
		model: parts.map((part) => textAt(part, "modelVersion")).findLast((each) => each !== "") ?? models.gemini,
	};
}

function citationsOf(grounding: unknown): SearchCitation[] {
	const pages = listAt(grounding, "groundingChunks");
	return listAt(grounding, "groundingSupports").flatMap((support) =>
		listAt(support, "groundingChunkIndices").map((index) => {
			const page = typeof index === "number" ? pages[index] : undefined;
			return {
				url: textAt(page, "web.uri"),
				title: textAt(page, "web.title"),
				citedText: textAt(support, "segment.text"),
			};
		}),
	);
}
