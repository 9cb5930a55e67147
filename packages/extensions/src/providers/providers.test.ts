/** A provider of an extension supports login and token refresh, and unregistering it removes its login. */
import { afterEach, describe, expect, test } from "bun:test";

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { LoginInteraction, LoginStep } from "@tau/ai";
import { playModel } from "@tau/ai/testing";

import { extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);
const hello = { steps: [{ answer: { blocks: [{ text: "hello" }] } }] };

/** A token server; `asked` has the requests it received. */
function tokenServer(): Disposable & { url: string; asked: unknown[] } {
	const asked: unknown[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const body = (await request.json()) as { grant: string; value: string };
			asked.push(body);
			if (body.value === "wrong") return new Response("no such code", { status: 400 });
			return Response.json({ access: `access-after-${body.value}`, refresh: `refresh-${asked.length}` });
		},
	});
	return {
		url: server.url.href,
		asked,
		[Symbol.dispose]: () => void server.stop(true),
	};
}

/** Tokens of a login last a moment, refreshed ones an hour. */
function corp(tokens: string, more = ""): string {
	return `export default (pi) => {
		const ask = async (grant, value, ms) => {
			const answer = await fetch(${JSON.stringify(tokens)}, { method: "POST", body: JSON.stringify({ grant, value }) });
			if (!answer.ok) throw new Error(await answer.text());
			return { ...(await answer.json()), expires: Date.now() + ms, region: "eu" };
		};
		pi.registerProvider("corp", {
			name: "Corporate AI", baseUrl: process.env.CORP_TEST_URL, api: "anthropic-messages",
			models: [{ id: "big", name: "Big", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 }],
			oauth: {
				name: "Corporate AI (SSO)",
				async login(callbacks) {
					callbacks.onAuth({ url: "https://sso.example/authorize", instructions: "Use your badge." });
					const code = await callbacks.onPrompt({ message: "Enter the code:" });
					return ask("code", code, 1000);
				},
				// Returns the changed fields only.
				async refreshToken(credentials) { const { region, ...rest } = await ask("refresh", credentials.refresh, 3_600_000); return rest; },
				getApiKey: ({ access, region }) => region + ":" + access,
				modifyModels: (models, { region }) => models.map((model) => ({ ...model, name: model.name + " " + region })),
			},
		});
		pi.registerCommand("use", { async handler(_, ctx) { ctx.ui.notify(String(await pi.setModel(ctx.modelRegistry.find("corp", "big")))); } });
		pi.registerCommand("drop", { handler() { pi.unregisterProvider("corp"); } });
		${more}
	};`;
}

function user(code: string): LoginInteraction & { seen: LoginStep[]; received: string[] } {
	const [seen, received]: [LoginStep[], string[]] = [[], []];
	return {
		seen,
		received,
		show: (step) => void seen.push(step),
		notice: (message) => void received.push(message),
		paste: async () => code,
	};
}

const never = new AbortController().signal;
afterEach(() => delete process.env.CORP_TEST_URL);

describe("a login", () => {
	test("is offered, stored and refreshed, and its token is sent with requests", async () => {
		using tokens = tokenServer();
		await using played = await playModel(hello);
		process.env.CORP_TEST_URL = played.anthropicUrl;
		await using fixture = await extensionFixture(hello, { files: { "corp.ts": corp(tokens.url) } });
		expect(await fixture.credentials.logins()).toContainEqual({
			provider: "corp",
			label: "Corporate AI (SSO)",
		});
		await fixture.prompt("/use");
		expect(fixture.shown.at(-1)).toBe("notify: false");

		const somebody = user("badge-7");
		expect(await fixture.credentials.login("corp", somebody, never)).toMatchObject({ ok: true });
		expect(somebody.seen).toEqual([
			{ kind: "browser", url: "https://sso.example/authorize", pasteOnly: false },
		]);
		expect(somebody.received).toEqual(["Use your badge.", "Enter the code:"]);

		await fixture.prompt("/use");
		expect(fixture.shown.at(-1)).toBe("notify: true");
		expect(fixture.session.model.name).toBe("Big eu");
		await fixture.prompt("hi");
		// It expires within a minute, so the request is sent with a refreshed one.
		expect(tokens.asked).toEqual([
			{ grant: "code", value: "badge-7" },
			{ grant: "refresh", value: "refresh-1" },
		]);
		expect(played.requests[0]?.headers["x-api-key"]).toBe("eu:access-after-refresh-1");
	});

	test("that fails reports the reason, and stores nothing", async () => {
		using tokens = tokenServer();
		process.env.CORP_TEST_URL = "http://127.0.0.1:9";
		await using fixture = await extensionFixture(hello, { files: { "corp.ts": corp(tokens.url) } });
		expect(await fixture.credentials.login("corp", user("wrong"), never)).toEqual({
			ok: false,
			stopped: false,
			message: "no such code",
		});
		expect(fixture.credentials.list()).toEqual([]);
	});

	test("can be aborted while it waits for the user", async () => {
		using tokens = tokenServer();
		process.env.CORP_TEST_URL = "http://127.0.0.1:9";
		await using fixture = await extensionFixture(hello, { files: { "corp.ts": corp(tokens.url) } });
		const stop = new AbortController();
		const waiting: LoginInteraction = {
			show: () => {},
			notice: () => stop.abort(),
			paste: () => new Promise(() => {}),
		};
		expect(await fixture.credentials.login("corp", waiting, stop.signal)).toMatchObject({ stopped: true });
	});

	test("replaces the one before", async () => {
		using tokens = tokenServer();
		process.env.CORP_TEST_URL = "http://127.0.0.1:9";
		await using fixture = await extensionFixture(hello, { files: { "corp.ts": corp(tokens.url) } });
		await fixture.credentials.login("corp", user("one"), never);
		await fixture.credentials.login("corp", user("two"), never);
		expect(fixture.credentials.list()).toHaveLength(1);
	});

	test("is removed with its provider", async () => {
		using tokens = tokenServer();
		process.env.CORP_TEST_URL = "http://127.0.0.1:9";
		await using fixture = await extensionFixture(hello, { files: { "corp.ts": corp(tokens.url) } });
		await fixture.prompt("/drop");
		expect((await fixture.credentials.logins()).map(({ provider }) => provider)).not.toContain("corp");
	});

	test("can ask with a list or a device code, and may accept an empty answer", async () => {
		const source = `export default (pi) => pi.registerProvider("corp", { oauth: { name: "Corp", async login(callbacks) {
			callbacks.onDeviceCode({ userCode: "AB-12", verificationUri: "https://sso.example/device" });
			callbacks.onProgress("Waiting…");
			const region = await callbacks.onSelect({ message: "Where?", options: [{ id: "eu", label: "Europe" }, { id: "us", label: "America" }] });
			const domain = await callbacks.onPrompt({ message: "Domain", placeholder: "none", allowEmpty: true });
			return { access: region + "|" + domain + "|", refresh: "", expires: Date.now() + 1e7 };
		} } });`;
		await using fixture = await extensionFixture(hello, { files: { "corp.ts": source } });
		const received: unknown[] = [];
		const answers = ["2", ""];
		const somebody: LoginInteraction = {
			show: (step) => void received.push(step),
			notice: (message) => void received.push(message),
			paste: async (_, options) => {
				received.push(options?.mayBeEmpty);
				return answers.shift();
			},
		};
		expect(await fixture.credentials.login("corp", somebody, never)).toMatchObject({ ok: true });
		expect(received).toEqual([
			{ kind: "device", url: "https://sso.example/device", code: "AB-12" },
			"Waiting…",
			"Where?",
			"  1  Europe",
			"  2  America",
			false,
			"Domain (none)",
			true,
		]);
		expect(await fixture.credentials.getApiKey("corp")).toBe("us||");
	});
});

describe("values of a provider", () => {
	test("refer to variables in pi's old and new syntax", async () => {
		process.env.CORP_TEST_URL = "secret-value";
		const source = `export default (pi) => {
			pi.registerProvider("corp", { baseUrl: "https://corp.example", apiKey: "\${CORP_TEST_URL}", api: "openai-completions", models: [{ id: "big", headers: { a: "x-$CORP_TEST_URL", b: "CORP_TEST_URL", c: "$$5", d: "$NOT_SET_ANYWHERE" } }] });
			pi.registerProvider("none", { baseUrl: "https://corp.example", apiKey: "$NOT_SET_ANYWHERE", api: "openai-completions", models: [{ id: "big" }] });
			pi.registerCommand("look", { async handler(_, ctx) {
				const model = ctx.modelRegistry.find("corp", "big");
				ctx.ui.notify(JSON.stringify([model.headers, (await ctx.modelRegistry.getApiKeyAndHeaders(model)).apiKey, ctx.modelRegistry.getProviderAuthStatus("none")]));
			} });
		};`;
		await using fixture = await extensionFixture(hello, { files: { "a.ts": source } });
		await fixture.prompt("/look");
		expect(JSON.parse((fixture.shown[0] ?? "").slice("notify: ".length))).toEqual([
			{ a: "x-secret-value", b: "secret-value", c: "$5" },
			"secret-value",
			{ configured: false, label: "NOT_SET_ANYWHERE" },
		]);
	});
});

test("an extension can check for a key, and set one for this run", async () => {
	const source = `export default (pi) => {
		pi.registerProvider("corp", { baseUrl: "https://corp.example", apiKey: "$NOT_SET_ANYWHERE", api: "openai-completions", models: [{ id: "big" }] });
		pi.registerCommand("keys", { async handler(_, ctx) {
			const { authStorage } = ctx.modelRegistry;
			const before = authStorage.hasAuth("corp");
			authStorage.setRuntimeApiKey("corp", "key-of-this-run");
			ctx.ui.notify([before, authStorage.hasAuth("corp"), await authStorage.getApiKey("corp")].join());
		} });
	};`;
	await using fixture = await extensionFixture(hello, { files: { "a.ts": source } });
	await fixture.prompt("/keys");
	expect(fixture.shown).toEqual(["notify: false,true,key-of-this-run"]);
});

test("an extension can call a model with the user's keys through the registry", async () => {
	const source = `export default (pi) => pi.registerCommand("ask", { async handler(_, ctx) {
		const answer = await ctx.modelRegistry.complete(ctx.model, { messages: [{ role: "user", content: "hi", timestamp: 0 }] });
		ctx.ui.notify(answer.content[0].text);
	} });`;
	await using fixture = await extensionFixture(hello, { files: { "a.ts": source } });
	await fixture.prompt("/ask");
	expect(fixture.shown).toEqual(["notify: hello"]);
});

test("a thinking level given by a protocol's own name reaches the model", async () => {
	const source = `export default (pi) => pi.registerCommand("ask", { async handler(_, ctx) {
		const model = { ...ctx.model, reasoning: true, maxTokens: 32000 };
		const context = { messages: [{ role: "user", content: "hi", timestamp: 0 }] };
		await ctx.modelRegistry.complete(model, context, { reasoningEffort: "high" });
		await ctx.modelRegistry.complete(model, context, { thinkingEnabled: true, thinkingBudgetTokens: 2345 });
		await ctx.modelRegistry.complete(model, context, {});
	} });`;
	await using fixture = await extensionFixture({ steps: ["a", "b", "c"] }, { files: { "a.ts": source } });
	await fixture.prompt("/ask");
	expect(fixture.request(0)).toContain('"thinking":{"type":"enabled"');
	expect(fixture.request(1)).toContain('"budget_tokens":2345');
	expect(fixture.request(2)).not.toContain('"budget_tokens"');
});

test("a provider with a bearer token passes it to extensions and to its own stream function", async () => {
	const source = `import { AssistantMessageEventStream } from "@earendil-works/pi-ai";
	export default (pi) => {
		pi.registerProvider("openrouter", { api: "openai-completions", baseUrl: "https://own.example", models: [{ id: "x" }], streamSimple(model, context, options) {
			pi.events.emit("asked", [options.apiKey, options.headers.authorization ?? null, typeof options.sessionId, options.transport]);
			const stream = new AssistantMessageEventStream();
			const message = { role: "assistant", content: [{ type: "text", text: "own" }], api: model.api, provider: model.provider, model: model.id, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }, stopReason: "stop", timestamp: 0 };
			stream.push({ type: "done", reason: "stop", message });
			return stream;
		} });
		let ctx;
		pi.events.on("asked", (facts) => ctx.ui.notify(JSON.stringify(facts)));
		pi.registerCommand("use", { async handler(_, context) {
			ctx = context;
			ctx.modelRegistry.authStorage.setRuntimeApiKey("openrouter", "key-1");
			await pi.setModel(ctx.modelRegistry.find("openrouter", "x"));
		} });
	};`;
	const look = `export default (pi) => pi.registerCommand("look", { async handler(_, { modelRegistry, ui }) {
		modelRegistry.authStorage.setRuntimeApiKey("openrouter", "key-2");
		const auth = await modelRegistry.getApiKeyAndHeaders(modelRegistry.getProviderModels("openrouter")[0]);
		ui.notify([await modelRegistry.getApiKeyForProvider("openrouter"), auth.apiKey, auth.headers.authorization].join());
	} });`;
	await using plain = await extensionFixture({ steps: [] }, { files: { "a.ts": look } });
	await plain.prompt("/look");
	expect(plain.shown).toEqual(["notify: key-2,key-2,Bearer key-2"]);
	await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
	await fixture.prompt("/use");
	await fixture.prompt("hi");
	expect(fixture.shown).toEqual(['notify: ["key-1",null,"string","sse"]']);
});

test("the registry returns a provider of pi's newer kind, and rejects models that it cannot have", async () => {
	const source = `export default (pi) => {
		const native = { id: "n", name: "N", auth: {}, getModels: () => [{ id: "m" }], streamSimple() {} };
		pi.registerProvider(native);
		pi.registerCommand("look", { async handler(_, { modelRegistry: registry, ui }) {
			const refused = await registry.classify(registry.find("n", "m"), "x").catch(({ message }) => message);
			ui.notify([registry.getRegisteredNativeProvider("n") === native, registry.getRegisteredNativeProvider("x"), refused].join());
		} });
	};`;
	await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
	await fixture.prompt("/look");
	expect(fixture.shown).toEqual(["notify: true,,n/m cannot classify: Tau has no models of this type."]);
});

test.each([
	[
		"refreshModels: async ({ signal, allowNetwork }) => [{ id: String(allowNetwork && !signal.aborted) }]",
		"true",
	],
	["models: [{ id: 'old' }], fetchDynamicModels: async (key) => [{ id: 'with-' + key }]", "with-k1,old"],
	["models: [{ id: 'old' }], fetchDynamicModels: async () => { throw new Error('down'); }", "old"],
])("models that a server lists: %s", async (how, ids) => {
	const source = `export default (pi) => {
		pi.registerProvider("corp", { baseUrl: "https://corp.example", apiKey: "k1", api: "openai-completions", ${how} });
		pi.registerCommand("look", { handler(_, ctx) { ctx.ui.notify(ctx.modelRegistry.getProviderModels("corp").map(({ id }) => id).join()); } });
	};`;
	await using fixture = await extensionFixture(hello, { files: { "a.ts": source } });
	await fixture.prompt("/look");
	expect(fixture.shown).toEqual([`notify: ${ids}`]);
});

test("the registry lists the providers that extensions registered, their configuration, and models by type", async () => {
	const source = `export default (pi) => {
		pi.registerProvider("corp", { name: "Corp", baseUrl: "https://corp.example", apiKey: "k1", api: "openai-completions", models: [{ id: "big" }] });
		pi.registerCommand("look", { async handler(_, ctx) {
			const registry = ctx.modelRegistry;
			const before = registry.getRegisteredProviderIds();
			registry.registerProvider("late", { baseUrl: "https://late.example", api: "openai-completions", models: [{ id: "x" }] });
			const provider = registry.getProvider("corp");
			ctx.ui.notify(JSON.stringify([
				before, registry.getRegisteredProviderIds(), registry.getRegisteredProviderConfig("corp").apiKey,
				provider.name, provider.baseUrl, provider.getModels().length, registry.getProvider("none") ?? null,
				(await registry.getProviderAuth("corp")).auth.apiKey, (await registry.getProviderAuth("late")) ?? null,
				registry.getModelsOfType("chat", "corp").length, registry.getModelsOfType("image").length,
				registry.findOfType("chat", "corp", "big").id, registry.getModelOfType("image", "corp", "big") ?? null,
				(await registry.getAvailableOfType("chat", "late")).length,
			]));
		} });
	};`;
	await using fixture = await extensionFixture(hello, { files: { "a.ts": source } });
	await fixture.prompt("/look");
	const facts = [
		["corp"],
		["corp", "late"],
		"k1",
		"Corp",
		"https://corp.example",
		1,
		null,
		"k1",
		null,
		1,
		0,
		"big",
		null,
		0,
	];
	expect(fixture.shown).toEqual([`notify: ${JSON.stringify(facts)}`]);
});

test("a reloaded extension updates its providers", async () => {
	const source = (id: string) =>
		`export default (pi) => {
			pi.registerProvider("${id}", { baseUrl: "https://${id}.example", apiKey: "k", api: "openai-completions", models: [{ id: "${id}-1" }] });
			pi.registerCommand("look", { handler(_, ctx) { ctx.ui.notify(["one", "two"].map((name) => ctx.modelRegistry.getProviderModels(name).length).join()); } });
		};`;
	await using fixture = await extensionFixture(hello, { files: { "a.ts": source("one") } });
	await fixture.prompt("/look");
	writeFileSync(join(fixture.folder, "a.ts"), source("two"));
	await fixture.extensions.sessionEnding({ reason: "reload" });
	fixture.next();
	await fixture.extensions.sessionStarted("reload");
	await fixture.prompt("/look");
	expect(fixture.shown).toEqual(["notify: 1,0", "notify: 0,1"]);
});

describe("a provider with its own implementation", () => {
	const source = `import { createAssistantMessageEventStream, getCurrentSystemPrompt, getCurrentTools } from "@earendil-works/pi-ai";
		export default (pi) => {
			const model = { id: "big", name: "Big", api: "mine", provider: "corp", baseUrl: "", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 };
			pi.registerProvider({
				id: "corp", name: "Corporate AI",
				auth: { apiKey: { name: "Key", resolve: async ({ ctx }) => ({ auth: { apiKey: await ctx.env("CORP_TEST_URL") } }) } },
				getModels: () => [model],
				streamSimple(model, context, options) {
					const stream = createAssistantMessageEventStream();
					const text = [options.apiKey, getCurrentSystemPrompt(context.messages).length > 0, getCurrentTools(context.messages).length > 0].join(" ");
					const message = { role: "assistant", content: [{ type: "text", text }], api: model.api, provider: model.provider, model: model.id, usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }, stopReason: "stop", timestamp: 0 };
					if (context.messages.at(-1).content.includes?.("fail")) {
						const error = { ...message, content: [], stopReason: "error", errorMessage: "prompt is too long" };
						stream.push({ type: "error", reason: "error", error });
					} else stream.push({ type: "done", reason: "stop", message });
					stream.end();
					return stream;
				},
			});
		};`;

	test("is called with its own key, and gets the prompt and the tools where newer versions of pi put them", async () => {
		process.env.CORP_TEST_URL = "key-1";
		await using fixture = await extensionFixture(hello, { files: { "a.ts": source }, model: "corp/big" });
		await fixture.prompt("hi");
		const last = fixture.session.state.messages.at(-1);
		expect(last).toMatchObject({ role: "assistant", content: [{ type: "text", text: "key-1 true true" }] });
	});

	test("uses its own login, and is called with the result", async () => {
		const login = `oauth: {
			name: "Corp", toAuth: async ({ access }) => ({ apiKey: "key of " + access }), refresh: async (credential) => credential,
			async login({ prompt, notify }) {
				notify({ type: "auth_url", url: "https://sso.example", instructions: "Go there." });
				notify({ type: "device_code", userCode: "AB", verificationUri: "https://sso.example/device" });
				notify({ type: "progress", message: "Waiting…" });
				const place = await prompt({ type: "select", message: "Where?", options: [{ id: "eu", label: "Europe" }] });
				return { type: "oauth", access: place + await prompt({ type: "text", message: "Code?" }) + await prompt({ type: "manual_code", message: "" }), refresh: "r", expires: Date.now() + 1e7 };
			},
		},`;
		const files = { "a.ts": source.replace("auth: {", `auth: { ${login}`) };
		await using fixture = await extensionFixture(hello, { files, model: "corp/big" });
		const answers = ["1", "-x-", "y"];
		const somebody = { ...user(""), paste: async () => answers.shift() };
		expect(await fixture.credentials.login("corp", somebody, never)).toMatchObject({ ok: true });
		expect(somebody.seen.map(({ url }) => url)).toEqual([
			"https://sso.example",
			"https://sso.example/device",
		]);
		expect(somebody.received).toEqual(["Go there.", "Waiting…", "Where?", "  1  Europe", "Code?"]);
		await fixture.prompt("hi");
		expect(fixture.session.state.messages.at(-1)).toMatchObject({
			content: [{ text: "key of eu-x-y true true" }],
		});
	});

	test("reports a failure as text, and Tau classifies it", async () => {
		await using fixture = await extensionFixture(hello, { files: { "a.ts": source }, model: "corp/big" });
		await fixture.prompt("please fail");
		const failed = fixture.events.find(
			(event) => event.type === "message_end" && event.message.role === "assistant",
		);
		expect(failed).toMatchObject({ message: { failure: { kind: "overflow" } } });
	});
});

describe("a provider with a name of the catalogue", () => {
	/** As pi's example for GitLab Duo: its own models and answers, with the key of the catalogue's variable. */
	const taken = (stream: string): string => `export default (pi) => {
		pi.registerProvider("gitlab-duo", {
			baseUrl: process.env.DUO_TEST_URL, api: "anthropic-messages", apiKey: "$GITLAB_TOKEN", ${stream}
			models: [{ id: "own", name: "Own", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 }],
		});
		pi.registerCommand("use", { async handler(_, ctx) { ctx.ui.notify(String(await pi.setModel(ctx.modelRegistry.find("gitlab-duo", "own")))); } });
	};`;
	const before = process.env.GITLAB_TOKEN;
	afterEach(() => {
		delete process.env.DUO_TEST_URL;
		if (before === undefined) delete process.env.GITLAB_TOKEN;
		else process.env.GITLAB_TOKEN = before;
	});

	test("is the extension's: its key goes to its address as it is, and no other host is asked", async () => {
		process.env.GITLAB_TOKEN = "glpat-of-the-test";
		const files = { "duo.ts": taken("") };
		await using fixture = await extensionFixture({ steps: ["Hello."] }, { files: {} });
		process.env.DUO_TEST_URL = fixture.played.anthropicUrl;
		await using duo = await extensionFixture(hello, { files });
		await duo.prompt("/use");
		await duo.prompt("hi");
		expect(duo.shown).toEqual(["notify: true"]);
		expect(fixture.played.requests).toHaveLength(1);
		expect(fixture.played.requests[0]?.headers).toMatchObject({ "x-api-key": "glpat-of-the-test" });
		expect(fixture.played.requests[0]?.headers).not.toHaveProperty("authorization");
	});

	test("answers by itself with the key that it named", async () => {
		process.env.GITLAB_TOKEN = "glpat-of-the-test";
		process.env.DUO_TEST_URL = "http://127.0.0.1:9/none";
		const own = `streamSimple(model, context, options) {
			const message = { role: "assistant", content: [{ type: "text", text: "key " + options.apiKey }], api: model.api, provider: model.provider, model: model.id, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }, stopReason: "stop", timestamp: 0 };
			const stream = createAssistantMessageEventStream();
			stream.push({ type: "start", partial: message });
			stream.push({ type: "done", reason: "stop", message });
			stream.end(message);
			return stream;
		},`;
		const source = `import { createAssistantMessageEventStream } from "@earendil-works/pi-ai"; ${taken(own)}`;
		await using duo = await extensionFixture(hello, { files: { "duo.ts": source } });
		await duo.prompt("/use");
		await duo.prompt("hi");
		expect(duo.session.state.messages.at(-1)).toMatchObject({
			content: [{ type: "text", text: "key glpat-of-the-test" }],
		});
	});

	test("a stored login of the catalogue is not sent to it, a stored key is", async () => {
		const files = { "duo.ts": taken("") };
		delete process.env.GITLAB_TOKEN;
		await using server = await extensionFixture({ steps: ["Hello."] }, { files: {} });
		process.env.DUO_TEST_URL = server.played.anthropicUrl;
		await using duo = await extensionFixture(hello, { files });
		await duo.credentials.add("gitlab-duo", { kind: "oauth", access: "of-a-login", expiresAt: 1 });
		await duo.credentials.add("gitlab-duo", { kind: "api_key", access: "stored-key" });
		await duo.prompt("/use");
		await duo.prompt("hi");
		expect(server.played.requests.map(({ headers }) => headers["x-api-key"])).toEqual(["stored-key"]);
	});
});
