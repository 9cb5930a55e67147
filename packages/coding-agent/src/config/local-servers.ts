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

export async function findLocalServers(env: Env, signal?: AbortSignal): Promise<FoundServer[]> {
	return Promise.all(servers(env).map((server) => ask(server, signal)));
}

function servers(env: Env): LocalServer[] {
	const ollama = trim(
		readEnv("OLLAMA_BASE_URL", env) ?? withScheme(readEnv("OLLAMA_HOST", env)) ?? "http://127.0.0.1:11434",
	);
	const studio = trim(readEnv("LM_STUDIO_BASE_URL", env) ?? "http://127.0.0.1:1234/v1");
	const llama = trim(readEnv("LLAMA_CPP_BASE_URL", env) ?? "http://127.0.0.1:8080");
	return [
		{ id: "ollama", baseUrl: ollama, listUrl: `${ollama}/api/tags`, chatUrl: `${ollama}/v1` },
		{ id: "lm-studio", baseUrl: studio, listUrl: `${studio}/models`, chatUrl: studio },
		{ id: "llama.cpp", baseUrl: llama, listUrl: `${llama}/v1/models`, chatUrl: `${llama}/v1` },
	];
}

async function ask(server: LocalServer, signal?: AbortSignal): Promise<FoundServer> {
	const answer: FoundServer = { name: server.id, url: server.baseUrl, found: false, models: [] };
	const timeout = AbortSignal.timeout(limits.localServerMs);
	try {
		const response = await fetch(server.listUrl, {
			signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
		});
		if (!response.ok) return answer;
		const models = modelNames(await response.json()).map((id) => localModel(server, id));
		return { ...answer, found: true, models };
	} catch {
		// Nobody listens there, or it is another program: both mean that there is no model server.
		return answer;
	}
}

/** Ollama says `{models:[{name}]}`, the others `{data:[{id}]}`. */
function modelNames(body: unknown): string[] {
	if (typeof body !== "object" || body === null) return [];
	const list = "models" in body ? body.models : "data" in body ? body.data : [];
	if (!Array.isArray(list)) return [];
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

function withScheme(host: string | undefined): string | undefined {
	return host === undefined || /^https?:\/\//.test(host) ? host : `http://${host}`;
}

function trim(url: string): string {
	return url.replace(/\/+$/, "");
}
