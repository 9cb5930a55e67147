/** Asks a server for its models, in bounded time. Who is not there, or is another program, costs nothing and breaks nothing. */
import { isAbort, isTimeout } from "@tau/utils";

import { limits } from "../limits.ts";
import { readList, readOllamaModel, type ModelFacts } from "./facts.ts";
import type { DiscoveryTarget } from "./target.ts";

export type Answer =
	| { kind: "list"; models: ModelFacts[] }
	/** Nobody listens there, or it is another program. */
	| { kind: "absent" }
	/** It did not answer in time, or not now. */
	| { kind: "silent" };

export async function askServer(target: DiscoveryTarget, signal?: AbortSignal): Promise<Answer> {
	const deadline = AbortSignal.timeout(target.near ? limits.localServerMs : limits.remoteServerMs);
	const until = signal ? AbortSignal.any([signal, deadline]) : deadline;
	try {
		const body = await fetchJson(target, listUrl(target), until);
		if (body === undefined) return { kind: "absent" };
		const models = readList(body)?.slice(0, limits.discoveredModels);
		if (!models) return { kind: "absent" };
		return { kind: "list", models: await described(target, models, until) };
	} catch (error) {
		// Nearby, a broken connection is a server that has gone; far away it is more likely the way there.
		return { kind: target.near && !isTimeout(error) && !isAbort(error) ? "absent" : "silent" };
	}
}

function listUrl({ type, root, baseUrl, api }: DiscoveryTarget): string {
	if (type === "ollama") return `${root}/api/tags`;
	// The version is part of Anthropic's path, not of its address.
	const versioned = api === "anthropic-messages" && !/\/v\d+$/.test(baseUrl);
	return versioned ? `${baseUrl}/v1/models` : `${baseUrl}/models`;
}

/** What the list does not say and another question does, where that is cheap. */
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
	// LM Studio's own list knows the sizes and the kinds, which the one in OpenAI's words does not.
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
	const { talks, ...facts } = readOllamaModel(shown);
	return talks === false ? undefined : { ...model, ...facts };
}

/** Undefined for an answer that is no JSON, or no answer to this question. */
async function fetchJson(
	{ apiKey, headers, api }: DiscoveryTarget,
	url: string,
	signal: AbortSignal,
	body?: string,
): Promise<unknown> {
	const response = await fetch(url, {
		signal,
		// A server that was found must not send the key on to another one.
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
	if (!response.ok || Number(response.headers.get("content-length") ?? 0) > limits.modelListBytes) {
		await response.body?.cancel();
		return undefined;
	}
	const text = await readBounded(response);
	try {
		return text === undefined ? undefined : JSON.parse(text);
	} catch {
		// A web page or the like: another program.
		return undefined;
	}
}

async function readBounded(response: Response): Promise<string | undefined> {
	if (!response.body) return undefined;
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of response.body) {
		size += chunk.length;
		if (size > limits.modelListBytes) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}
