/** The environment determines a provider's base URL and key, and what is missing is named. */
import { describe, expect, test } from "bun:test";

import type { Env } from "@tau/utils";

import { addressOf, headersOf, keyFrom, missingFor } from "./access.ts";
import type { Provider } from "./provider.ts";
import { providerOf } from "./table.ts";

function row(id: string): Provider {
	const provider = providerOf(id);
	if (!provider) throw new Error(`there is no ${id}`);
	return provider;
}

function missing(id: string, env: Env = {}): string | undefined {
	return missingFor(row(id), env, keyFrom(row(id), env) !== undefined);
}

describe("a key", () => {
	test("comes from the strongest variable that is set", () => {
		const both = { ANTHROPIC_OAUTH_TOKEN: "token", ANTHROPIC_API_KEY: "key" };
		expect(keyFrom(row("anthropic"), both)).toEqual({ value: "token", variable: "ANTHROPIC_OAUTH_TOKEN" });
		expect(keyFrom(row("anthropic"), { ...both, ANTHROPIC_OAUTH_TOKEN: "" })?.value).toBe("key");
		expect(keyFrom(row("anthropic"), {})).toBeUndefined();
	});

	test("of a gateway counts only while the gateway is enabled", () => {
		const env = { ANTHROPIC_FOUNDRY_API_KEY: "foundry", ANTHROPIC_API_KEY: "key" };
		expect(keyFrom(row("anthropic"), env)?.value).toBe("key");
		expect(keyFrom(row("anthropic"), { ...env, CLAUDE_CODE_USE_FOUNDRY: "yes" })?.value).toBe("foundry");
		expect(keyFrom(row("anthropic"), { ...env, CLAUDE_CODE_USE_FOUNDRY: "0" })?.value).toBe("key");
	});
});

describe("a URL", () => {
	test("is the row's, or the model's own", () => {
		expect(addressOf(row("anthropic"), {})).toBe("https://api.anthropic.com");
		expect(addressOf(row("opencode-zen"), {}, "https://opencode.ai/inference/anthropic")).toBe(
			"https://opencode.ai/inference/anthropic",
		);
	});

	test("is changed by a variable, without its last slash", () => {
		expect(addressOf(row("ollama"), { OLLAMA_BASE_URL: "http://box:1/v1/" })).toBe("http://box:1/v1");
		expect(addressOf(row("anthropic"), { ANTHROPIC_BASE_URL: "https://proxy.example" })).toBe(
			"https://proxy.example",
		);
	});

	test("of a gateway counts only while the gateway is switched on", () => {
		const env = { FOUNDRY_BASE_URL: "https://foundry.example", ANTHROPIC_BASE_URL: "https://proxy.example" };
		expect(addressOf(row("anthropic"), env)).toBe("https://proxy.example");
		expect(addressOf(row("anthropic"), { ...env, CLAUDE_CODE_USE_FOUNDRY: "1" })).toBe(
			"https://foundry.example",
		);
		expect(addressOf(row("anthropic"), { CLAUDE_CODE_USE_FOUNDRY: "1" })).toBe("https://api.anthropic.com");
	});

	test.each([
		["127.0.0.2", "http://127.0.0.2:11434"],
		["127.0.0.2:9", "http://127.0.0.2:9"],
		[":9", "http://127.0.0.1:9"],
		["https://127.0.0.2/", "https://127.0.0.2"],
		["[::1]", "http://[::1]:11434"],
		["", "http://127.0.0.1:11434/v1"],
	])("is read from OLLAMA_HOST as Ollama does: %p", (host, url) => {
		expect(addressOf(row("ollama"), { OLLAMA_HOST: host })).toBe(url);
		expect(addressOf(row("ollama"), { OLLAMA_HOST: host, OLLAMA_BASE_URL: "http://a" })).toBe("http://a");
	});

	test("has its placeholders filled from the environment", () => {
		const env = { CLOUDFLARE_ACCOUNT_ID: "acc", CLOUDFLARE_GATEWAY_ID: "gate" };
		expect(addressOf(row("cloudflare-ai-gateway"), env)).toBe(
			"https://gateway.ai.cloudflare.com/v1/acc/gate/anthropic",
		);
		expect(addressOf(row("azure-openai"), { AZURE_OPENAI_RESOURCE_NAME: "corp" })).toBe(
			"https://corp.openai.azure.com/openai/v1",
		);
		const url = "https://corp.cognitiveservices.azure.com";
		expect(addressOf(row("azure-openai"), { AZURE_OPENAI_BASE_URL: url })).toBe(url);
	});
});

describe("what is missing", () => {
	const nothing: [promise: string, id: string, env: Env][] = [
		["is nothing with a key", "openai", { OPENAI_API_KEY: "k" }],
		["is nothing for a server of one's own", "ollama", {}],
		["is nothing with AWS keys", "amazon-bedrock", { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" }],
		["is nothing with an AWS profile", "amazon-bedrock", { AWS_PROFILE: "work" }],
		["is nothing on ECS", "amazon-bedrock", { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://x" }],
		["is nothing with a Bedrock token", "amazon-bedrock", { AWS_BEARER_TOKEN_BEDROCK: "t" }],
		["is nothing behind a proxy that signs", "amazon-bedrock", { AWS_BEDROCK_SKIP_AUTH: "1" }],
		["is nothing with a project in a region", "google-vertex", { GCP_PROJECT: "p", VERTEX_LOCATION: "eu" }],
		["is nothing with a key of Vertex", "google-vertex", { GOOGLE_CLOUD_API_KEY: "k" }],
		[
			"is nothing with key and address of Azure",
			"azure-openai",
			{ AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_BASE_URL: "https://x" },
		],
	];
	test.each(nothing)("%s (%s)", (_, id, env) => {
		expect(missing(id, env)).toBeUndefined();
	});

	const something: [promise: string, id: string, env: Env, message: string][] = [
		["is named", "groq", {}, "GROQ_API_KEY"],
		["is one of several", "anthropic", {}, "ANTHROPIC_API_KEY or ANTHROPIC_OAUTH_TOKEN"],
		["is a login if there is no key", "openai-codex", {}, "tau login openai-codex"],
		[
			"is the other half",
			"amazon-bedrock",
			{ AWS_ACCESS_KEY_ID: "a" },
			"AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID + AWS_SECRET_ACCESS_KEY or AWS_PROFILE",
		],
		[
			"is a region",
			"google-vertex",
			{ GOOGLE_CLOUD_PROJECT: "p" },
			"GOOGLE_CLOUD_API_KEY or GOOGLE_CLOUD_PROJECT + GOOGLE_VERTEX_LOCATION",
		],
		[
			"is an address",
			"azure-openai",
			{ AZURE_OPENAI_API_KEY: "k" },
			"AZURE_OPENAI_RESOURCE_NAME or AZURE_OPENAI_BASE_URL",
		],
		["is key and address", "cloudflare-workers-ai", {}, "CLOUDFLARE_API_KEY and CLOUDFLARE_ACCOUNT_ID"],
	];
	test.each(something)("%s (%s)", (_, id, env, message) => {
		expect(missing(id, env)).toBe(message);
	});
});

describe("headers", () => {
	const ANTHROPIC_CUSTOM_HEADERS = "x-team: platform, x-empty:,\nX-Trace : a:b\nnonsense, bad name: 1";

	test("of a gateway are sent to the gateway, and not to Anthropic", () => {
		const expected = { "x-team": "platform", "x-empty": "", "X-Trace": "a:b" };
		expect(headersOf(row("anthropic"), { ANTHROPIC_CUSTOM_HEADERS })).toEqual({});
		expect(headersOf(row("anthropic"), { ANTHROPIC_CUSTOM_HEADERS, CLAUDE_CODE_USE_FOUNDRY: "1" })).toEqual(
			expected,
		);
		expect(
			headersOf(row("anthropic"), { ANTHROPIC_CUSTOM_HEADERS, ANTHROPIC_BASE_URL: "https://gate.example" }),
		).toEqual(expected);
	});

	test("of the official address are not those of a gateway", () => {
		const env = { ANTHROPIC_CUSTOM_HEADERS, ANTHROPIC_BASE_URL: "https://api.anthropic.com/" };
		expect(headersOf(row("anthropic"), env)).toEqual({});
	});

	test("that a provider always requires are always sent", () => {
		expect(headersOf(row("github-copilot"), {})).toHaveProperty("Copilot-Integration-Id");
	});
});
