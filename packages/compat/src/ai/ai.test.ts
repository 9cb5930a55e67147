/** The exports of pi's model package work as its documentation says. */
import { describe, expect, test } from "bun:test";

import { noUsage, type AssistantMessage, type Context, type Tool } from "@tau/ai";
import { browse, playModel, playOAuth, testModel } from "@tau/ai/testing";
import fc from "fast-check";

import { aiExports } from "../ai.ts";
import * as asking from "./asking.ts";
import { loginOpenAICodex } from "./builtin-logins.ts";
import { builtinModels, providerFactories } from "./builtin-providers.ts";
import { createModels, createProvider } from "./collection.ts";
import { contextExports as context } from "@tau/extensions/support";
import { envApiKeyAuth, InMemoryCredentialStore } from "./credentials.ts";
import { extractDiagnosticError, formatThrownValue } from "./diagnostics.ts";
import { fauxAssistantMessage, fauxProvider, fauxText, fauxToolCall, registerFauxProvider } from "./faux.ts";
import { generateImages, registerImagesApiProvider } from "./images.ts";
import { parseJsonWithRepair, parseStreamingJson, repairJson, ToolCallArgumentsStream } from "./json.ts";
import * as models from "./models.ts";
import * as oauth from "./oauth.ts";
import { isContextOverflow, retryAssistantCall } from "./overflow.ts";
import { cleanupSessionResources, registerSessionResourceCleanup } from "./session-resources.ts";

const hi: Context = { messages: [{ role: "user", content: "hi", timestamp: 0 }] };
const tool = (name: string, description = ""): Tool => ({
	name,
	description,
	parameters: { type: "object" },
});

function answer(facts: Partial<AssistantMessage> = {}): AssistantMessage {
	return { ...fauxAssistantMessage("hi"), ...facts };
}

describe("requests", () => {
	test("stream and complete call a server, with a key of the environment by default", async () => {
		await using played = await playModel({ steps: [{ answer: { blocks: [{ text: "hello" }] } }] });
		const model = testModel({ baseUrl: played.anthropicUrl, provider: "groq" });
		process.env.GROQ_API_KEY = "key-of-groq";
		try {
			expect((await asking.complete(model, hi)).content).toMatchObject([{ type: "text", text: "hello" }]);
		} finally {
			delete process.env.GROQ_API_KEY;
		}
		expect(played.requests[0]?.headers["x-api-key"]).toBe("key-of-groq");
	});

	test("the function of a protocol uses it, and accepts a context of newer versions of pi", async () => {
		await using played = await playModel({ steps: [{ answer: { blocks: [{ text: "hello" }] } }] });
		const model = testModel({ api: "some-other", baseUrl: played.anthropicUrl });
		const { streamAnthropic } = asking.protocolStreams();
		const transcriptContext = context.normalizeContext({
			...hi,
			systemPrompt: "Be brief.",
			tools: [tool("look")],
		});
		const result = await streamAnthropic?.(model, transcriptContext as Context, { apiKey: "k" }).result();
		expect(result?.stopReason).toBe("stop");
		expect(played.requests[0]?.rawBody).toContain("Be brief.");
		expect(played.requests[0]?.rawBody).toContain('"look"');
	});

	test("a protocol of an extension is used until it is unregistered", async () => {
		const faux = registerFauxProvider();
		faux.setResponses([fauxAssistantMessage("one"), fauxAssistantMessage("two")]);
		const [model] = faux.models;
		if (!model) throw new Error("no model");
		const own = { ...model, api: "mine" };
		asking.registerApiProvider(
			{ api: "mine", streamSimple: (_, ...rest) => asking.stream(model, ...rest) },
			"a",
		);
		expect((await asking.complete(own, hi)).content).toEqual([fauxText("one")]);
		expect(asking.getApiProviders().map(({ api }) => api)).toContain("mine");
		asking.unregisterApiProviders("a");
		expect(asking.getApiProvider("mine")).toBeUndefined();
		expect((await asking.complete(own, hi)).errorMessage).toContain("mine");
		faux.unregister();
	});

	test("the variables that hold a key are found", () => {
		expect(asking.findEnvKeys("groq", { GROQ_API_KEY: "x" })).toEqual(["GROQ_API_KEY"]);
		expect(asking.getEnvApiKey("groq", { GROQ_API_KEY: "x" })).toBe("x");
		expect(asking.findEnvKeys("groq", {})).toBeUndefined();
		expect(asking.getEnvApiKey("nobody", { NOBODY_API_KEY: "x" })).toBeUndefined();
	});
});

describe("the faux model", () => {
	test("returns its answers in order, in chunks, and reports when none are left", async () => {
		const faux = registerFauxProvider({ models: [{ id: "a" }, { id: "b" }] });
		faux.setResponses([
			fauxAssistantMessage([fauxText("a text that comes in pieces"), fauxToolCall("look", { at: "here" })]),
			(_context, _options, state) => fauxAssistantMessage(`call ${state.callCount}`),
		]);
		const model = faux.getModel("b");
		if (!model) throw new Error("no model");
		const deltas: string[] = [];
		const stream = asking.stream(model, hi);
		for await (const event of stream) if (event.type === "text_delta") deltas.push(event.delta);
		expect(deltas.join("")).toBe("a text that comes in pieces");
		expect(await stream.result()).toMatchObject({
			stopReason: "toolUse",
			model: "b",
			content: [{}, { name: "look", arguments: { at: "here" } }],
		});
		expect((await asking.complete(model, hi)).content).toEqual([fauxText("call 2")]);
		expect((await asking.complete(model, hi)).errorMessage).toBe("No more faux responses queued");
		expect(faux.getPendingResponseCount()).toBe(0);
		faux.unregister();
	});
});

describe("JSON of models", () => {
	test("is repaired if strings contain invalid characters", () => {
		expect(parseJsonWithRepair('{"a":"line\nbreak","b":"C:\\dir"}')).toEqual({
			a: "line\nbreak",
			b: "C:\\dir",
		});
		expect(() => parseJsonWithRepair("{")).toThrow();
	});

	test("is left unchanged by the repair if it is valid", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const text = JSON.stringify(value);
				expect(repairJson(text)).toBe(text);
			}),
		);
	});

	test("that is cut off anywhere still parses to an object", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, cut) => {
				const text = JSON.stringify(value);
				const read = parseStreamingJson(text.slice(0, cut % (text.length + 1)));
				expect(typeof read === "object" && read !== null).toBe(true);
				expect(parseStreamingJson(text)).toEqual(JSON.parse(text));
			}),
		);
		expect(parseStreamingJson(undefined)).toEqual({});
	});

	test("of a call is parsed while it arrives, also when it restarts", () => {
		const args = new ToolCallArgumentsStream();
		expect(args.append('{"path":"/a')).toEqual({ path: "/a" });
		expect(args.replace('{"path":"/ab"}')).toEqual({ delta: 'b"}', arguments: { path: "/ab" } });
		expect(args.replace('{"x":1')).toEqual({ delta: undefined, arguments: { x: 1 } });
		expect(args.finish().argumentsError).toBeString();
	});
});

describe("models", () => {
	test("are found by provider and id, with their prices", () => {
		const provider = models.getProviders()[0] ?? "";
		const [first] = models.getModels(provider);
		if (!first) throw new Error(`${provider} has no models`);
		expect(models.getModel(provider, first.id)).toEqual(first);
		expect(models.getModel(provider, "no such model")).toBeUndefined();
		expect(models.modelsAreEqual(first, { ...first, name: "other" })).toBe(true);
		expect(models.modelsAreEqual(first, null)).toBe(false);
		const usage = { ...noUsage(), input: 1_000_000, output: 500_000 };
		const cost = models.calculateCost({ cost: { input: 2, output: 4, cacheRead: 0, cacheWrite: 0 } }, usage);
		expect(cost).toMatchObject({ input: 2, output: 2, total: 4 });
		expect(usage.cost).toBe(cost);
	});

	test("have the thinking levels of their data", () => {
		const model = testModel({ reasoning: true, thinkingLevelMap: { xhigh: "max" } });
		expect(models.supportsXhigh(model)).toBe(true);
		expect(models.supportsXhigh({ ...model, thinkingLevelMap: {} })).toBe(false);
		expect(models.clampThinkingLevel({ ...model, reasoning: false }, "high")).toBe("off");
		expect(models.getModelType(model)).toBe("chat");
	});
});

describe("a failed answer", () => {
	test("is recognized as a context overflow by its text, its kind, or its token counts", () => {
		const failed = answer({ stopReason: "error", errorMessage: "prompt is too long: 5 tokens > 4 maximum" });
		expect(isContextOverflow(failed)).toBe(true);
		expect(isContextOverflow(answer({ stopReason: "error", errorMessage: "no credit" }))).toBe(false);
		const silent = answer({ usage: { ...noUsage(), input: 300 } });
		expect([isContextOverflow(silent), isContextOverflow(silent, 200)]).toEqual([false, true]);
	});

	test("is retryable if that may help", async () => {
		const answers = [answer({ stopReason: "error", errorMessage: "overloaded" }), answer()];
		const received: unknown[] = [];
		const policy = { enabled: true, maxRetries: 2, baseDelayMs: 1 };
		const got = await retryAssistantCall(async () => answers.shift() ?? answer(), policy, undefined, {
			onRetryScheduled: (attempt, most) => void received.push([attempt, most]),
			onRetryFinished: (success, attempt) => void received.push([success, attempt]),
		});
		expect(got.stopReason).toBe("stop");
		expect(received).toEqual([
			[1, 2],
			[true, 1],
		]);
	});

	test("has a description, whatever was thrown", () => {
		expect(formatThrownValue({ a: 1 })).toBe('{"a":1}');
		expect(extractDiagnosticError(Object.assign(new TypeError("no"), { code: "E" }))).toMatchObject({
			name: "TypeError",
			message: "no",
			code: "E",
		});
	});
});

test("resources of a session are cleaned up even if one cleanup fails", () => {
	const done: unknown[] = [];
	const forget = registerSessionResourceCleanup(() => {
		throw new Error("no");
	});
	const take = registerSessionResourceCleanup((id) => void done.push(id));
	cleanupSessionResources("s1");
	forget();
	take();
	cleanupSessionResources("s2");
	expect(done).toEqual(["s1"]);
});

test("logins that extensions register are refreshed when they have expired", async () => {
	oauth.registerOAuthProvider({
		id: "corp",
		name: "Corp",
		login: async () => ({ access: "a", refresh: "r", expires: 0 }),
		refreshToken: async ({ refresh }) => ({ access: `after ${refresh}`, refresh: "r2", expires: Infinity }),
		getApiKey: ({ access }) => `key ${access}`,
	});
	expect(oauth.getOAuthProviders().map(({ id }) => id)).toContain("corp");
	const got = await oauth.getOAuthApiKey("corp", { corp: { access: "a", refresh: "r", expires: 1 } });
	expect(got).toMatchObject({ apiKey: "key after r", newCredentials: { refresh: "r2" } });
	expect(await oauth.getOAuthApiKey("corp", {})).toBeNull();
	oauth.unregisterOAuthProvider("corp");
	await expect(oauth.refreshOAuthToken("corp", { access: "a" })).rejects.toThrow("/login");
});

test("an extension can use one of Tau's logins, store the tokens itself, and refresh them", async () => {
	await using server = playOAuth("openai-codex");
	Object.assign(process.env, server.env);
	try {
		const received: unknown[] = [];
		const credentials = await loginOpenAICodex({
			onAuth: (info) => {
				received.push(info);
				void browse((info as { url: string }).url);
			},
			onPrompt: async () => "",
		});
		expect(received).toMatchObject([{ url: expect.stringContaining("http") }]);
		expect([typeof credentials.access, typeof credentials.refresh]).toEqual(["string", "string"]);
		const renewed = await oauth.refreshOAuthToken("openai-codex", credentials);
		expect(renewed.access).not.toBe(credentials.access);
	} finally {
		for (const name of Object.keys(server.env)) delete process.env[name];
	}
});

test("a provider of Tau's can be created by pi's name for it, and authenticates by its variable", async () => {
	const { groqProvider } = providerFactories();
	expect(groqProvider?.().getModels().length).toBeGreaterThan(0);
	process.env.GROQ_API_KEY = "key";
	try {
		const available = await builtinModels().getAvailable("groq");
		expect(available.map(({ provider }) => provider)).toContain("groq");
	} finally {
		delete process.env.GROQ_API_KEY;
	}
});

test("image protocols are those that extensions register", async () => {
	const model = { api: "drawing", provider: "p", id: "m" };
	expect(await generateImages(model, {})).toMatchObject({ stopReason: "error" });
	registerImagesApiProvider({ api: "drawing", generateImages: async () => ({ output: ["a picture"] }) });
	expect(await generateImages(model, {})).toEqual({ output: ["a picture"] });
});

describe("a context of newer versions of pi", () => {
	test("stores prompt and tools among the messages, and returns their current state", () => {
		const begun = context.normalizeContext({ ...hi, systemPrompt: "one", tools: [tool("a"), tool("b")] });
		const later = [
			...begun.messages,
			{ role: "system" as const, content: "two", toolsRemoved: [{ name: "a" }], toolsAdded: [tool("c")] },
		];
		expect(context.getCurrentSystemPrompt(later)).toBe("one\n\ntwo");
		expect(context.getCurrentTools(later).map(({ name }) => name)).toEqual(["b", "c"]);
		const { messages } = context.collapseSystemMessages({ messages: later });
		expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
		expect(context.hasNonAdditiveToolChanges(later)).toBe(true);
	});

	test("reports what changed between two sets of tools", () => {
		expect(context.getToolStateChanges([tool("a"), tool("b")], [tool("b", "new"), tool("c")])).toEqual({
			toolsAdded: [tool("b", "new"), tool("c")],
			toolsRemoved: [{ name: "a" }, { name: "b" }],
		});
	});
});

describe("a collection of providers", () => {
	test("authenticates with stored or set keys, and calls the provider of the model", async () => {
		const faux = fauxProvider({ provider: "mine", api: "faux" });
		faux.setResponses([(_context, options) => fauxAssistantMessage(`with ${options?.apiKey}`)]);
		const kept = new InMemoryCredentialStore();
		const collection = createModels({ credentials: kept });
		const streams = { stream: faux.stream, streamSimple: faux.streamSimple };
		const auth = { apiKey: envApiKeyAuth("Key", ["MINE_TEST_KEY_NOT_SET"]) };
		collection.setProvider(createProvider({ id: "mine", auth, models: faux.models, api: { faux: streams } }));
		expect(await collection.getAvailable()).toEqual([]);
		await kept.modify("mine", async () => ({ type: "api_key", key: "k1" }));
		const [model] = await collection.getAvailable();
		if (!model) throw new Error("no model");
		expect((await collection.complete(model, hi)).content).toEqual([fauxText("with k1")]);
		const strange = await collection.complete({ ...model, provider: "nobody" }, hi);
		expect(strange.errorMessage).toContain("nobody");
	});
});

test("a collection refreshes an expired login once, and uses it", async () => {
	const faux = fauxProvider({ provider: "mine", api: "faux" });
	faux.setResponses([(_context, options) => fauxAssistantMessage(`with ${options?.apiKey}`)]);
	const renewed: string[] = [];
	const oauthOf = {
		name: "Mine",
		login: async () => ({ access: "a1", refresh: "r1", expires: 1 }),
		refresh: async ({ refresh = "" }: { refresh?: string }) => {
			renewed.push(refresh);
			return { access: "a2", refresh: "r2", expires: Date.now() + 1e7 };
		},
		toAuth: async ({ access }: { access: string }) => ({ apiKey: `key ${access}` }),
	};
	const collection = createModels();
	const streams = { stream: faux.stream, streamSimple: faux.streamSimple };
	collection.setProvider(
		createProvider({ id: "mine", auth: { oauth: oauthOf }, models: faux.models, api: streams }),
	);
	const interaction = { signal: new AbortController().signal, prompt: async () => "", notify: () => {} };
	await collection.login("mine", "oauth", interaction);
	const [model] = await collection.getAvailable("mine");
	if (!model) throw new Error("no model");
	await Promise.all([collection.getAuth(model), collection.getAuth(model)]);
	expect((await collection.complete(model, hi)).content).toEqual([fauxText("with key a2")]);
	expect(renewed).toEqual(["r1"]);
	await collection.logout("mine");
	expect(await collection.getAvailable()).toEqual([]);
});

test("exports that have two names in pi's packages have both", () => {
	const all = aiExports();
	expect(all.streamSimple).toBe(all.stream);
	expect(all.completeSimple).toBe(all.complete);
	expect(all.getBuiltinModel).toBe(all.getModel);
});

test("built-in models are found by pi's names of their providers", () => {
	const { getBuiltinModel, getModels } = aiExports() as unknown as {
		getBuiltinModel(provider: string, id: string): { name: string } | undefined;
		getModels(provider: string): unknown[];
	};
	for (const provider of ["moonshotai", "minimax", "zai", "kimi-coding", "azure", "opencode"])
		expect([provider, getModels(provider).length > 0]).toEqual([provider, true]);
	expect(getBuiltinModel("moonshotai", "kimi-k3")?.name).toBe("Kimi K3");
});

test("helper functions", async () => {
	const all = aiExports() as Record<string, (...args: unknown[]) => unknown>;
	expect(all.normalizeDomain?.(" https://ghe.example.com/x ")).toBe("ghe.example.com");
	expect(all.normalizeDomain?.("")).toBeNull();
	expect(all.formatUserAgent?.({ userAgent: { custom: "me/1" } })).toBe("me/1");
	expect(all.formatUserAgent?.()).toMatch(/^tau\//);
	expect(all.isRecoverableLength?.(answer({ stopReason: "length" }), 100)).toBe(true);
	expect(all.retryDelayMs?.({ baseDelayMs: 1000 }, 3)).toBe(4000);
	const message = { diagnostics: [] };
	const diagnostic = all.createAssistantMessageDiagnostic?.("retry", new Error("no"), { try: 1 });
	all.appendAssistantMessageDiagnostic?.(message, diagnostic);
	expect(message.diagnostics).toMatchObject([
		{ type: "retry", error: { message: "no" }, details: { try: 1 } },
	]);
	const load = async () => ({
		login: async () => "in",
		refresh: async () => "new",
		toAuth: async () => ({}),
	});
	const lazy = all.lazyOAuth?.({ name: "Lazy", load }) as { name: string; login(): Promise<string> };
	expect([lazy.name, await lazy.login()]).toEqual(["Lazy", "in"]);
	expect(() => all.validateToolCall?.([tool("a")], fauxToolCall("b", {}))).toThrow('no tool "b"');
	expect(all.contentText?.([fauxText("a"), fauxText("b")], "-")).toBe("a-b");
});
