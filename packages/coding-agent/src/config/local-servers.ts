/** Looks for model servers on this machine: Ollama, LM Studio, llama.cpp. A server that is not there costs nothing. */
import type { Model } from "@tau/ai";
import { env as readEnv, type Env } from "@tau/utils";

import { limits } from "./limits.ts";

interface LocalServer {
	id: string;
	baseUrl: string;
	/** Where it lists its models. */
	listUrl: string;
	/** Where it speaks the OpenAI protocol. */
	chatUrl: string;
}

export interface FoundServer {
	name: string;
	url: string;
	found: boolean;
	models: Model[];
}

export async function findLocalServers(env: Env): Promise<FoundServer[]> {
	return Promise.all(servers(env).map(ask));
}

function servers(env: Env): LocalServer[] {
	const ollama = root(readEnv("OLLAMA_BASE_URL", env) ?? hostUrl(readEnv("OLLAMA_HOST", env) ?? ""));
	const studio = trim(readEnv("LM_STUDIO_BASE_URL", env) ?? "http://127.0.0.1:1234/v1");
	const llama = root(readEnv("LLAMA_CPP_BASE_URL", env) ?? "http://127.0.0.1:8080");
	return [
		{ id: "ollama", baseUrl: ollama, listUrl: `${ollama}/api/tags`, chatUrl: `${ollama}/v1` },
		{ id: "lm-studio", baseUrl: studio, listUrl: `${studio}/models`, chatUrl: studio },
		{ id: "llama.cpp", baseUrl: llama, listUrl: `${llama}/v1/models`, chatUrl: `${llama}/v1` },
	];
}

async function ask(server: LocalServer): Promise<FoundServer> {
	const answer: FoundServer = { name: server.id, url: server.baseUrl, found: false, models: [] };
	try {
		const response = await fetch(server.listUrl, { signal: AbortSignal.timeout(limits.localServerMs) });
		if (!response.ok) return answer;
		const names = modelNames(await response.json());
		return names ? { ...answer, found: true, models: names.map((id) => localModel(server, id)) } : answer;
	} catch {
		// Nobody listens there, or it is another program: both mean that there is no model server.
		return answer;
	}
}

/** Ollama says `{models:[{name}]}`, the others `{data:[{id}]}`; whoever says neither is another program. */
function modelNames(body: unknown): string[] | undefined {
	if (typeof body !== "object" || body === null) return undefined;
	const list = "models" in body ? body.models : "data" in body ? body.data : undefined;
	if (!Array.isArray(list)) return undefined;
	return list
		.map((entry: unknown) => {
			if (typeof entry !== "object" || entry === null) return undefined;
			return "name" in entry ? entry.name : "id" in entry ? entry.id : undefined;
		})
		.filter((name) => typeof name === "string");
}

function localModel(server: LocalServer, id: string): Model {
	return {
		id,
		name: id,
		api: "openai-completions",
		provider: server.id,
		baseUrl: server.chatUrl,
		reasoning: false,
		input: ["text"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: limits.defaultContextWindow,
		maxTokens: limits.defaultMaxTokens,
	};
}

/** What Ollama itself takes from OLLAMA_HOST: a URL, or a host and a port, either of which may be left out. */
function hostUrl(host: string): string {
	if (/^https?:\/\//.test(host)) return host;
	const [, name = "", port = ":11434"] = /^(.*?)(:\d+)?\/*$/.exec(host) ?? [];
	return `http://${name || "127.0.0.1"}${port}`;
}

/** The address without the version, which people write or leave out. */
function root(url: string): string {
	return trim(url).replace(/\/v1$/, "");
}

function trim(url: string): string {
	return url.replace(/\/+$/, "");
}
