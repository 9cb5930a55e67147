/** A key that a provider rejects is noticed when it is stored; no answer is not a rejection. */
import { expect, test } from "bun:test";

import { ModelRegistry } from "../model-registry.ts";
import type { ProviderConfig } from "../models-file/index.ts";
import { checkKey } from "./check-key.ts";

function registryOf(baseUrl: string, api: ProviderConfig["api"]): ModelRegistry {
	const provider: ProviderConfig = { baseUrl, apiKey: "stored", ...(api === undefined ? {} : { api }) };
	return new ModelRegistry({ path: "", providers: new Map([["mine", provider]]), problems: [] }, {});
}

test.each([
	["openai-completions", "good", "accepted"],
	["openai-completions", "bad", "rejected"],
	["anthropic-messages", "good", "accepted"],
	["anthropic-messages", "bad", "rejected"],
	// Its list of models takes the key in another header.
	["google-generative-ai", "bad", "unknown"],
] as const)("%s with a %s key is %s", async (api, key, outcome) => {
	using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: ({ headers, url }) => {
			expect(new URL(url).pathname).toEndWith("/models");
			const given = headers.get(api === "anthropic-messages" ? "x-api-key" : "authorization");
			return given?.endsWith("good")
				? Response.json({ data: [{ id: "m" }] })
				: new Response("no", { status: 401 });
		},
	});
	expect(await checkKey(registryOf(server.url.origin, api), "mine", key, {})).toBe(outcome);
});

test("a server that does not answer, redirects or fails says nothing about the key", async () => {
	let status = 500;
	using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: () => new Response("", { status, headers: { location: "http://127.0.0.1:9/" } }),
	});
	const registry = registryOf(server.url.origin, "openai-completions");
	expect(await checkKey(registry, "mine", "key", {})).toBe("unknown");
	status = 302;
	expect(await checkKey(registry, "mine", "key", {})).toBe("unknown");
	expect(await checkKey(registryOf("http://127.0.0.1:9", "openai-completions"), "mine", "key", {})).toBe(
		"unknown",
	);
	expect(await checkKey(registry, "mine", "key", { TAU_OFFLINE: "1" })).toBe("unknown");
});
