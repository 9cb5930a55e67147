/** Servers are queried in parallel within a time limit, cached for a while, and never waited for twice. */
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Env } from "@tau/utils";

import { limits } from "../limits.ts";
import { ModelRegistry } from "../model-registry.ts";
import { noModelSettings } from "../model-settings.ts";
import type { ProviderConfig } from "../models-file/index.ts";
import { discover, DiscoveryCache, discoveryTargets, type DiscoveredServer } from "./index.ts";

let directory = "";
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "tau-discovery-"));
});
afterEach(() => {
	setSystemTime();
	rmSync(directory, { recursive: true, force: true });
});

const nobody = "http://127.0.0.1:9";
const noServers: Env = { OLLAMA_BASE_URL: nobody, LM_STUDIO_BASE_URL: nobody, LLAMA_CPP_BASE_URL: nobody };

interface Asked {
	path: string;
	headers: Headers;
}

type Answer = (path: string, request: Request) => Response | Promise<Response>;

function serve(answer: Answer): Bun.Server<undefined> & { asked: Asked[] } {
	const asked: Asked[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: (request) => {
			const path = new URL(request.url).pathname;
			asked.push({ path, headers: request.headers });
			return answer(path, request);
		},
	});
	return Object.assign(server, { asked });
}

function registryOf(configured: Record<string, ProviderConfig>, env: Env): ModelRegistry {
	const file = { path: "", providers: new Map(Object.entries(configured)), problems: [] };
	return new ModelRegistry(file, env);
}

/** On a busy machine a server takes longer than a user would wait: only tests of slow servers have the usual limit. */
const patientMs = 30_000;

interface Situation {
	configured?: Record<string, ProviderConfig>;
	env?: Env;
	when?: "known" | "current";
	cache?: DiscoveryCache;
	answerMs?: number;
}

async function look({
	configured = {},
	env = {},
	when = "current",
	cache,
	answerMs = patientMs,
}: Situation): Promise<DiscoveredServer[]> {
	const all = { ...noServers, ...env };
	const targets = discoveryTargets(registryOf(configured, all), all).map((target) => ({
		...target,
		answerMs,
	}));
	return discover(targets, cache)[when]();
}

function found(servers: readonly DiscoveredServer[]): string[] {
	return servers.flatMap(({ models }) => models.map(({ provider, id }) => `${provider}/${id}`));
}

function custom(url: string, more: Partial<ProviderConfig> = {}): Record<string, ProviderConfig> {
	return {
		mine: {
			baseUrl: `${url}/v1`,
			api: "openai-completions",
			auth: "none",
			discovery: { type: "openai" },
			...more,
		},
	};
}

const list: Answer = (path) =>
	path.endsWith("/models")
		? Response.json({ data: [{ id: "a", max_model_len: 5000 }] })
		: new Response("", { status: 404 });

describe("the queried servers", () => {
	test("are local ones without configuration, and no others", () => {
		expect(discoveryTargets(registryOf({}, {}), {}).map(({ provider }) => provider)).toEqual([
			"ollama",
			"lm-studio",
			"llama.cpp",
		]);
	});

	test("include providers that list models and have a key or a base URL of the user", () => {
		const env = { ZENMUX_API_KEY: "k", OPENAI_API_KEY: "k", VLLM_BASE_URL: nobody };
		const requested = discoveryTargets(registryOf({}, env), env).map(({ provider }) => provider);
		expect(requested).toEqual(["zenmux", "ollama", "lm-studio", "llama.cpp", "vllm"]);
	});

	test("include those named in the file, with its options", () => {
		const configured = {
			ollama: { baseUrl: "http://box:1/", api: "ollama-chat", discovery: { type: "ollama" as const } },
		};
		const [target] = discoveryTargets(registryOf(configured, {}), {});
		expect(target).toMatchObject({
			provider: "ollama",
			root: "http://box:1",
			baseUrl: "http://box:1",
			api: "ollama-chat",
		});
	});

	test("exclude disabled ones", () => {
		const settings = { ...noModelSettings, disabledProviders: ["ollama"] };
		const registry = new ModelRegistry({ path: "", providers: new Map(), problems: [] }, {}, { settings });
		expect(discoveryTargets(registry, {}).map(({ provider }) => provider)).toEqual([
			"lm-studio",
			"llama.cpp",
		]);
	});
});

describe("results", () => {
	test("have the models of any OpenAI-compatible server, with their properties", async () => {
		await using server = serve(list);
		const [mine] = await look({ configured: custom(server.url.origin) });
		expect(mine).toMatchObject({ provider: "mine", isRunning: true });
		expect(mine?.models).toEqual([
			expect.objectContaining({
				id: "a",
				contextWindow: 5000,
				maxTokens: 5000,
				baseUrl: `${server.url.origin}/v1`,
			}),
		]);
	});

	test("are requested with the configured key and headers", async () => {
		await using server = serve(list);
		const configured = custom(server.url.origin, {
			auth: "apiKey",
			apiKey: "key-of-mine",
			headers: { "X-Team": "t" },
		});
		await look({ configured });
		const headers = server.asked[0]?.headers;
		expect([headers?.get("authorization"), headers?.get("x-team")]).toEqual(["Bearer key-of-mine", "t"]);
	});

	test("are not requested with the key after a redirect", async () => {
		await using other = serve(list);
		await using server = serve(() => Response.redirect(`${other.url.origin}/v1/models`));
		const configured = custom(server.url.origin, { auth: "apiKey", apiKey: "key-of-mine" });
		expect(found(await look({ configured }))).toEqual([]);
		expect(other.asked).toEqual([]);
	});

	test("of Ollama are queried per model, and models without chat are left out", async () => {
		await using server = serve(async (path, request) => {
			if (path === "/api/tags") return Response.json({ models: [{ name: "talker" }, { name: "embedder" }] });
			const { model } = (await request.json()) as { model: string };
			return model === "talker"
				? Response.json({ model_info: { "x.context_length": 9999 }, capabilities: ["completion", "vision"] })
				: Response.json({ capabilities: ["embedding"] });
		});
		const env = { OLLAMA_BASE_URL: server.url.origin };
		const [ollama] = await look({ env });
		expect(ollama?.models).toEqual([
			expect.objectContaining({ id: "talker", contextWindow: 9999, input: ["text", "image"] }),
		]);
		const [sized] = await look({ env: { ...env, OLLAMA_CONTEXT_LENGTH: "1234" } });
		expect(sized?.models[0]).toMatchObject({ contextWindow: 1234, maxTokens: 1234 });
	});

	test("of LM Studio use its own list, because it has more details", async () => {
		await using server = serve((path) =>
			path === "/api/v0/models"
				? Response.json({
						data: [
							{ id: "a", type: "llm", max_context_length: 77 },
							{ id: "e", type: "embeddings" },
						],
					})
				: Response.json({ data: [{ id: "a" }, { id: "e" }] }),
		);
		const servers = await look({ env: { LM_STUDIO_BASE_URL: server.url.origin } });
		expect(found(servers)).toEqual(["lm-studio/a"]);
		expect(servers[1]?.models[0]?.contextWindow).toBe(77);
	});

	test("are cut if the list is endless", async () => {
		const chunk = new Uint8Array(1024 * 1024).fill(0x20);
		await using server = serve(
			() =>
				new Response(
					new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }, { highWaterMark: 0 }),
				),
		);
		expect(found(await look({ configured: custom(server.url.origin) }))).toEqual([]);
	});
});

describe("the cache", () => {
	const hour = 60 * 60 * 1000;

	test("is used for a while without another request", async () => {
		const cache = new DiscoveryCache(directory);
		await using server = serve(list);
		const situation = { configured: custom(server.url.origin), cache };
		expect(found(await look(situation))).toEqual(["mine/a"]);
		expect(found(await look(situation))).toEqual(["mine/a"]);
		expect(server.asked).toHaveLength(1);
		setSystemTime(new Date(Date.now() + limits.localListMs + 1));
		expect(found(await look(situation))).toEqual(["mine/a"]);
		expect(server.asked).toHaveLength(2);
	});

	test("is returned at once to callers that do not wait, also when it is old", async () => {
		const cache = new DiscoveryCache(directory);
		await using server = serve(list);
		const situation = { configured: custom(server.url.origin), cache };
		expect(found(await look({ ...situation, when: "known" }))).toEqual([]);
		await look(situation);
		setSystemTime(new Date(Date.now() + hour));
		expect(found(await look({ ...situation, when: "known" }))).toEqual(["mine/a"]);
		expect(server.asked).toHaveLength(1);
		setSystemTime(new Date(Date.now() + limits.staleListMs));
		expect(found(await look({ ...situation, when: "known" }))).toEqual([]);
	});

	test("is used for a slow server, and dropped for one that is gone", async () => {
		const cache = new DiscoveryCache(directory);
		let isSlow = false;
		const server = serve((path, request) => (isSlow ? new Promise<Response>(() => {}) : list(path, request)));
		const situation = { configured: custom(server.url.origin), cache };
		await look(situation);
		setSystemTime(new Date(Date.now() + hour));
		isSlow = true;
		expect(found(await look({ ...situation, answerMs: limits.localServerMs }))).toEqual(["mine/a"]);
		await server.stop(true);
		expect(found(await look(situation))).toEqual([]);
		expect(found(await look({ ...situation, when: "known" }))).toEqual([]);
	});

	test("is the only source offline for remote servers, while local ones are queried", async () => {
		using server = serve(() => Response.json({ data: [{ id: "near-1" }] }));
		process.env.TAU_OFFLINE = "1";
		try {
			const far = discoveryTargets(registryOf(custom("http://models.example.com"), noServers), noServers);
			const discovery = discover(far.map((target) => ({ ...target, baseUrl: server.url.href, near: false })));
			expect(found(await discovery.current())).toEqual([]);
			expect(server.asked).toEqual([]);
			expect(found(await look({ configured: custom(server.url.origin) }))).toHaveLength(1);
		} finally {
			delete process.env.TAU_OFFLINE;
		}
	});

	test("does not store a missing server", async () => {
		const cache = new DiscoveryCache(directory);
		const server = serve(list);
		const { port } = server;
		const situation = { configured: custom(`http://127.0.0.1:${port}`), cache };
		await server.stop(true);
		expect(found(await look(situation))).toEqual([]);
		await using _again = Bun.serve({
			port: port ?? 0,
			hostname: "127.0.0.1",
			fetch: () => Response.json({ data: [{ id: "b" }] }),
		});
		expect(found(await look(situation))).toEqual(["mine/b"]);
	});

	test("is separate per key and URL, and no file contains the key", async () => {
		const cache = new DiscoveryCache(directory);
		await using server = serve((_, request) =>
			Response.json({ data: [{ id: `of-${request.headers.get("authorization")?.slice(7)}` }] }),
		);
		const of = (apiKey: string): Record<string, ProviderConfig> =>
			custom(server.url.origin, { auth: "apiKey", apiKey });
		expect(found(await look({ configured: of("first"), cache }))).toEqual(["mine/of-first"]);
		expect(found(await look({ configured: of("second"), cache }))).toEqual(["mine/of-second"]);
		const files = readdirSync(join(directory, "models"));
		expect(files).toHaveLength(2);
		expect(files.join(" ")).not.toMatch(/first|second/);
	});

	test("may be damaged or unwritable without an error", async () => {
		const cache = new DiscoveryCache(directory);
		await using server = serve(list);
		const situation = { configured: custom(server.url.origin), cache };
		await look(situation);
		const [file = ""] = readdirSync(join(directory, "models"));
		for (const text of ["", "{", '{"at":1}', '{"at":1,"models":[{"id":7}]}', "null"]) {
			writeFileSync(join(directory, "models", file), text);
			expect(found(await look(situation))).toEqual(["mine/a"]);
		}
		const blocked = join(directory, "file");
		writeFileSync(blocked, "");
		expect(found(await look({ ...situation, cache: new DiscoveryCache(blocked) }))).toEqual(["mine/a"]);
		expect(statSync(blocked).size).toBe(0);
	});
});
