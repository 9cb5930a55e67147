/** Requests a server's list of models, in bounded time. A missing server or another program is not an error. */
import { isAbort, isTimeout } from "@tau/utils";

import { limits } from "../limits.ts";
import { readList, readOllamaModel, type ModelFacts } from "./facts.ts";
import type { DiscoveryTarget } from "./target.ts";

export type Answer =
	| { kind: "list"; models: ModelFacts[] }
	/** No server listens there, or it is another program. */
	| { kind: "absent" }
	/** The server does not accept the key. */
	| { kind: "rejected" }
	/** The server did not answer in time, or cannot answer now. */
	| { kind: "silent" };

export async function askServer(target: DiscoveryTarget, signal?: AbortSignal): Promise<Answer> {
	const usualMs = target.near ? limits.localServerMs : limits.remoteServerMs;
	const deadline = AbortSignal.timeout(target.answerMs ?? usualMs);
	const until = signal ? AbortSignal.any([signal, deadline]) : deadline;
	try {
		const body = await fetchJson(target, listUrl(target), until);
		if (body === rejected) return { kind: "rejected" };
		if (body === undefined) return { kind: "absent" };
		const models = readList(body)?.slice(0, limits.discoveredModels);
		if (!models) return { kind: "absent" };
		return { kind: "list", models: await described(target, models, until) };
	} catch (error) {
		// For a local server, a broken connection means that it is gone; for a remote one, the network is more likely.
		return { kind: target.near && !isTimeout(error) && !isAbort(error) ? "absent" : "silent" };
	}
}

function listUrl({ type, root, baseUrl, api }: DiscoveryTarget): string {
	if (type === "ollama") return `${root}/api/tags`;
	// The version is part of Anthropic's path, not of its address.
	const versioned = api === "anthropic-messages" && !/\/v\d+$/.test(baseUrl);
	return versioned ? `${baseUrl}/v1/models` : `${baseUrl}/models`;
}

/** Adds the facts that the list lacks and a second, cheap request returns. */
async function described(
	target: DiscoveryTarget,
	models: ModelFacts[],
	signal: AbortSignal,
): Promise<ModelFacts[]> {
	if (target.type === "ollama" && models.length <= limits.describedModels) {
		const all = await Promise.all(models.map((model) => showOllama(target, model, signal)));
		return all.flatMap((model) => model ?? []);
	}
	if (target.type !== "lm-studio") return models;
	// LM Studio's own list has the sizes and kinds, which its OpenAI-compatible list lacks.
	const body = await fetchJson(target, `${target.root}/api/v0/models`, signal).catch(() => undefined);
	const own = readList(body);
	return own && own.length > 0 ? own : models;
}

async function showOllama(
	target: DiscoveryTarget,
	model: ModelFacts,
	signal: AbortSignal,
): Promise<ModelFacts | undefined> {
	const body = JSON.stringify({ model: model.id });
	const shown = await fetchJson(target, `${target.root}/api/show`, signal, body).catch(() => undefined);
	const { canChat, ...facts } = readOllamaModel(shown);
	return canChat === false ? undefined : { ...model, ...facts };
}

const rejected = Symbol("rejected");

/** Returns undefined if the response is not JSON or does not answer this request. */
async function fetchJson(
	{ apiKey, headers, api }: DiscoveryTarget,
	url: string,
	signal: AbortSignal,
	body?: string,
): Promise<unknown> {
	const response = await fetch(url, {
		signal,
		// A discovered server must not forward the key to another one.
		redirect: "error",
		headers: {
			accept: "application/json",
			...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
			...(apiKey !== undefined && api === "anthropic-messages"
				? { "x-api-key": apiKey, "anthropic-version": "2023-06-01" }
				: {}),
			...headers,
		},
		...(body === undefined ? {} : { method: "POST", body }),
	});
	if (response.status === 401 || response.status === 403) {
		await response.body?.cancel();
		return rejected;
	}
	if (!response.ok || Number(response.headers.get("content-length") ?? 0) > limits.modelListBytes) {
		await response.body?.cancel();
		return undefined;
	}
	const text = await readBounded(response, limits.modelListBytes);
	try {
		return text === undefined ? undefined : JSON.parse(text);
	} catch {
		// A response such as a web page comes from another program.
		return undefined;
	}
}

/** Undefined if the body is larger. */
export async function readBounded(response: Response, bytes: number): Promise<string | undefined> {
	if (!response.body) return undefined;
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of response.body) {
		size += chunk.length;
		if (size > bytes) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}
