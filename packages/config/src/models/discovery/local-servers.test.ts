/** Local servers are found at their usual ports, and other servers are ignored. */
import { describe, expect, test } from "bun:test";

import type { Env } from "@tau/utils";

import { limits } from "../limits.ts";
import { ModelRegistry } from "../model-registry.ts";
import { discover, localTargets, type DiscoveredServer } from "./index.ts";

const nobody = "http://127.0.0.1:9";
const noServers: Env = { OLLAMA_BASE_URL: nobody, LM_STUDIO_BASE_URL: nobody, LLAMA_CPP_BASE_URL: nobody };

/** On a busy machine a server takes longer than a user would wait. */
const patientMs = 30_000;

function findLocalServers(env: Env, answerMs = patientMs): Promise<DiscoveredServer[]> {
	const registry = new ModelRegistry({ path: "", providers: new Map(), problems: [] }, env);
	return discover(localTargets(registry, env).map((target) => ({ ...target, answerMs }))).current();
}

function serve(answer: (path: string) => Response | Promise<Response>): Bun.Server<undefined> {
	return Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: (request) => answer(new URL(request.url).pathname),
	});
}

async function look(name: string, env: Env, answerMs?: number): Promise<DiscoveredServer | undefined> {
	const servers = await findLocalServers({ ...noServers, ...env }, answerMs);
	return servers.find(({ provider }) => provider === name);
}

const ollamaList = { models: [{ name: "qwen:7b" }, { name: "phi" }] };
const openaiList = { object: "list", data: [{ id: "local-1", object: "model" }] };

function onPath(path: string, body: unknown): (requested: string) => Response {
	return (requested) => (requested === path ? Response.json(body) : new Response("", { status: 404 }));
}

test("no server is not an error", async () => {
	const discoveredServers = await findLocalServers(noServers);
	expect(
		discoveredServers.map(({ provider, isRunning: isThere, models }) => [provider, isThere, models]),
	).toEqual([
		["ollama", false, []],
		["lm-studio", false, []],
		["llama.cpp", false, []],
	]);
});

const kinds: [
	name: string,
	variable: string,
	suffix: string,
	list: string,
	body: unknown,
	ids: string[],
	chat: string,
][] = [
	["ollama", "OLLAMA_BASE_URL", "", "/api/tags", ollamaList, ["qwen:7b", "phi"], "/v1"],
	["ollama", "OLLAMA_BASE_URL", "/v1/", "/api/tags", ollamaList, ["qwen:7b", "phi"], "/v1"],
	["lm-studio", "LM_STUDIO_BASE_URL", "/v1", "/v1/models", openaiList, ["local-1"], "/v1"],
	["llama.cpp", "LLAMA_CPP_BASE_URL", "", "/v1/models", openaiList, ["local-1"], "/v1"],
];

test.each(kinds)(
	"%s is found at %s with the suffix %p",
	async (name, variable, suffix, list, body, ids, chat) => {
		await using server = serve(onPath(list, body));
		const origin = server.url.origin;
		const answer = await look(name, { [variable]: origin + suffix });
		expect(answer?.isRunning).toBe(true);
		expect(answer?.models.map(({ id }) => id)).toEqual(ids);
		expect(answer?.models[0]).toMatchObject({
			provider: name,
			api: "openai-completions",
			baseUrl: origin + chat,
			contextWindow: limits.defaultContextWindow,
		});
	},
);

describe("OLLAMA_HOST is parsed as Ollama parses it", () => {
	const hosts: [host: string, url: string][] = [
		["127.0.0.2", "http://127.0.0.2:11434"],
		["127.0.0.2:9", "http://127.0.0.2:9"],
		[":9", "http://127.0.0.1:9"],
		["https://127.0.0.2/", "https://127.0.0.2"],
		["[::1]", "http://[::1]:11434"],
		["", "http://127.0.0.1:11434"],
	];
	test.each(hosts)("%p is %s", async (host, url) => {
		const env = { ...noServers, OLLAMA_BASE_URL: "", OLLAMA_HOST: host };
		const [ollama] = await findLocalServers(env);
		expect(ollama?.url).toBe(url);
	});

	test("OLLAMA_BASE_URL overrides it", async () => {
		expect((await look("ollama", { OLLAMA_HOST: "127.0.0.2" }))?.url).toBe(nobody);
	});
});

describe("anything else is not used as a model server", () => {
	const others: [what: string, answer: () => Response][] = [
		["an error", () => new Response("{}", { status: 500 })],
		["a web page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
		["other JSON", () => Response.json({ status: "ok" })],
		["an invalid list", () => Response.json({ models: "many" })],
		["a bare value", () => Response.json(null)],
	];
	test.each(others)("%s", async (_, answer) => {
		await using server = serve(answer);
		expect(await look("llama.cpp", { LLAMA_CPP_BASE_URL: server.url.origin })).toMatchObject({
			isRunning: false,
			models: [],
		});
	});

	test("an invalid URL", async () => {
		expect(await look("ollama", { OLLAMA_BASE_URL: "not a url" })).toMatchObject({ isRunning: false });
	});

	test("one that accepts and never answers", async () => {
		await using server = serve(() => new Promise<Response>(() => {}));
		const env = { OLLAMA_BASE_URL: server.url.origin };
		expect(await look("ollama", env, limits.localServerMs)).toMatchObject({ isRunning: false });
	});
});

test("invalid entries are left out of a list", async () => {
	const data = [{ id: "good" }, { id: 7 }, "text", null, {}];
	await using server = serve(() => Response.json({ data }));
	const answer = await look("llama.cpp", { LLAMA_CPP_BASE_URL: server.url.origin });
	expect(answer?.models.map(({ id }) => id)).toEqual(["good"]);
});
