/** The variants of the family: their addresses, model names, and what each refuses. */
import { describe, expect, test } from "bun:test";

import { receive, hello, modelAt, setEnv } from "../../testing/asking.ts";
import { stream } from "../../stream.ts";
import { playModel } from "../../testing/index.ts";
import type { Model, StreamOptions } from "../../types.ts";
import { user } from "../testing/messages.ts";
import { azureOpenaiResponses, openaiCodexResponses, openaiResponses } from "./index.ts";

/** One request to a played model, as it arrived. */
async function sent(api: string, path: string, options: StreamOptions = {}, change: Partial<Model> = {}) {
	await using played = await playModel({ steps: ["hi"] });
	const { message } = await receive(stream(modelAt(played.url + path, api, change), hello, options));
	expect(message.errorMessage).toBeUndefined();
	return await played.waitForRequest(1);
}

function tokenFor(payload: object): string {
	const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
	return `${part({ alg: "RS256" })}.${part(payload)}.c2lnbmF0dXJl`;
}

describe("OpenAI", () => {
	test.each([
		["/v1", "/v1/responses"],
		["/v1/", "/v1/responses"],
		["", "/responses"],
	])("at %j is %s", async (base, path) => {
		const apiKey = "sk-of-the-tests-0123";
		const request = await sent("openai-responses", base, { apiKey });
		expect(request).toMatchObject({ path, headers: { authorization: `Bearer ${apiKey}` } });
	});
});

describe("Codex", () => {
	const account = { "https://api.openai.com/auth": { chatgpt_account_id: "acc-7" } };

	test("gets the account of the token, the client and the session", async () => {
		const apiKey = tokenFor(account);
		const { path, headers } = await sent("openai-codex-responses", "/backend-api", {
			apiKey,
			sessionId: "s-1",
		});
		expect(path).toBe("/backend-api/codex/responses");
		expect(headers).toMatchObject({
			authorization: `Bearer ${apiKey}`,
			"chatgpt-account-id": "acc-7",
			"openai-beta": "responses=experimental",
			originator: "tau",
			session_id: "s-1",
		});
	});

	test.each([
		["no-jwt"],
		["a.b.c"],
		[tokenFor({})],
		[tokenFor({ ...account, "https://api.openai.com/auth": 1 })],
	])("gets no account when the token has none: %s", (apiKey) => {
		const headers = openaiCodexResponses.headers(modelAt("", "x"), hello, { apiKey });
		expect(headers).not.toHaveProperty("chatgpt-account-id");
	});

	test.each([
		["", "https://chatgpt.com/backend-api", "/codex/responses"],
		["https://proxy/api", "https://proxy/api", "/codex/responses"],
		["https://proxy/codex", "https://proxy/codex", "/responses"],
		["https://proxy/codex/", "https://proxy/codex/", "/responses"],
	])("with the base URL %j is requested at %s%s", (baseUrl, base, path) => {
		const model = modelAt(baseUrl, "openai-codex-responses");
		expect(openaiCodexResponses.baseUrl?.(model, {})).toBe(base);
		expect(openaiCodexResponses.path(model, {})).toBe(path);
	});

	test("always gets instructions, and nothing that it rejects", async () => {
		const options: StreamOptions = {
			maxTokens: 100,
			temperature: 1,
			metadata: { a: "b" },
			cacheRetention: "long",
			reasoning: "low",
			serviceTier: "priority",
			sessionId: "s-1",
		};
		const { body } = await sent("openai-codex-responses", "", options, { reasoning: true });
		expect(body).toEqual({
			model: "played-1",
			stream: true,
			store: false,
			instructions: expect.stringMatching(/./),
			input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] }],
			tool_choice: "auto",
			parallel_tool_calls: true,
			reasoning: { effort: "low", summary: "auto" },
			include: ["reasoning.encrypted_content"],
			service_tier: "priority",
			prompt_cache_key: "s-1",
		});
	});

	test("gets the system prompt as its instructions, not as a message", () => {
		const context = { systemPrompt: "Be brief.", messages: [user("hi")] };
		expect(openaiCodexResponses.encode(modelAt("", "x"), context, {})).toMatchObject({
			instructions: "Be brief.",
			input: [{ role: "user" }],
		});
	});
});

describe("Azure", () => {
	const key = { apiKey: "azure-key-of-the-tests" };
	const baseUrl = "https://given.example/v1";

	test("gets its key in its own header, and a version only when it is not v1", async () => {
		using _env = setEnv({ AZURE_OPENAI_API_VERSION: "v1" });
		const { path, headers } = await sent("azure-openai-responses", "/openai/v1", key);
		expect(path).toBe("/openai/v1/responses");
		expect(headers["api-key"]).toBe(key.apiKey);
		expect(headers["authorization"]).toBeUndefined();
		expect(azureOpenaiResponses.path(modelAt("", "x"), {})).toBe("/responses");
		using _other = setEnv({ AZURE_OPENAI_API_VERSION: "2025-04-01 preview" });
		expect(azureOpenaiResponses.path(modelAt("", "x"), {})).toBe(
			"/responses?api-version=2025-04-01%20preview",
		);
		expect((await sent("azure-openai-responses", "/openai", key)).path).toBe("/openai/responses");
	});

	test.each([
		[{}, baseUrl],
		[{ AZURE_OPENAI_RESOURCE_NAME: "mine" }, "https://mine.openai.azure.com/openai/v1"],
		[
			{ AZURE_OPENAI_BASE_URL: "https://a.example/x", AZURE_OPENAI_RESOURCE_NAME: "mine" },
			"https://a.example/x",
		],
		[{ AZURE_OPENAI_BASE_URL: "https://b.openai.azure.com/" }, "https://b.openai.azure.com/openai/v1"],
		[
			{ AZURE_OPENAI_BASE_URL: "https://b.cognitiveservices.azure.com" },
			"https://b.cognitiveservices.azure.com/openai/v1",
		],
		[{ AZURE_OPENAI_BASE_URL: "https://b.openai.azure.com/openai" }, "https://b.openai.azure.com/openai"],
	])("with %j is requested at %s", (variables, expected) => {
		expect(azureOpenaiResponses.baseUrl?.(modelAt(baseUrl, "x"), variables)).toBe(expected);
	});

	test("without an address names the variables that set one", async () => {
		const { message } = await receive(stream(modelAt("", "azure-openai-responses"), hello));
		expect(message.errorMessage).toContain("AZURE_OPENAI_RESOURCE_NAME");
	});

	test.each([
		["played-1=prod, other=x", "prod"],
		["other=x,played-1 = prod-2 ", "prod-2"],
		["played-1=", "played-1"],
		["played-10=x", "played-1"],
		["nonsense", "played-1"],
	])("gets the name of the model's deployment: %j", (map, expected) => {
		using _env = setEnv({ AZURE_OPENAI_DEPLOYMENT_NAME_MAP: map });
		expect(azureOpenaiResponses.encode(modelAt("", "x"), hello, {})).toMatchObject({ model: expected });
	});

	test("otherwise gets the same as OpenAI", () => {
		const model = modelAt("", "x", { reasoning: true, compat: { extraBody: { top_p: 1 } } });
		const options: StreamOptions = {
			maxTokens: 99,
			reasoning: "low",
			sessionId: "s",
			cacheRetention: "long",
		};
		const context = { ...hello, systemPrompt: "Be brief." };
		expect(azureOpenaiResponses.encode(model, context, options)).toEqual(
			openaiResponses.encode(model, context, options),
		);
	});
});
