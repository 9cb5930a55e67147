/** A request gets its key from the strongest source that has one, and the outcome is recorded. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CredentialStore, providerOf } from "@tau/ai";
import { playOAuth } from "@tau/ai/testing";

import type { ModelRegistry } from "./model-registry.ts";
import { testModel } from "../../../../test/support/session.ts";
import { KeySource, type KeySourceParts } from "./key-source.ts";

let home = "";
let store: CredentialStore;
let notices: string[] = [];
beforeEach(async () => {
	home = mkdtempSync(join(tmpdir(), "tau-source-"));
	notices = [];
	store = await CredentialStore.open({ path: join(home, "agent.db"), env: {}, onNotice: () => {} });
});
afterEach(() => {
	store[Symbol.dispose]();
	rmSync(home, { recursive: true, force: true });
});

/** What the registry would find: a key of `--api-key`, the environment or the file. */
function registry(own: string | undefined, auth?: "none"): KeySourceParts["registry"] {
	return {
		apiKey: () => own,
		credentials: (_, key) => {
			const apiKey = key ?? own;
			return apiKey === undefined ? { headers: {} } : { apiKey, headers: {} };
		},
		row: providerOf,
		config: () => (auth ? ({ auth } as ReturnType<ModelRegistry["config"]>) : undefined),
	};
}

function source(parts: Partial<KeySourceParts> = {}): KeySource {
	const onNotice = (message: string): void => void notices.push(message);
	return new KeySource({ store, registry: registry("own-key"), sessionId: "s", onNotice, ...parts });
}

const model = testModel({ provider: "groq" });

test("a stored key overrides the environment and the file", async () => {
	expect(await source().for(model)).toMatchObject({ apiKey: "own-key" });
	await store.add("groq", { kind: "api_key", access: "stored-key" });
	expect(await source().for(model)).toMatchObject({ apiKey: "stored-key" });
	expect(notices).toEqual([]);
});

test("--api-key overrides a stored key, and its failures do not count against it", async () => {
	await store.add("groq", { kind: "api_key", access: "stored-key" });
	const keys = source({ overridden: "groq" });
	expect(await keys.for(model)).toMatchObject({ apiKey: "own-key" });
	keys.report("groq", { kind: "auth", status: 401 });
	expect(store.has("groq")).toBe(true);
});

test("a provider without keys does not get a stored one", async () => {
	await store.add("groq", { kind: "api_key", access: "stored-key" });
	expect(await source({ registry: registry(undefined, "none") }).for(model)).toEqual({ headers: {} });
});

test("a rejected key is replaced, and the user is informed once", async () => {
	await store.add("groq", { kind: "api_key", access: "stored-key" });
	const keys = source();
	await keys.for(model);
	keys.report("groq", { kind: "auth", status: 401, reason: "unknown key" });
	for (let turn = 0; turn < 2; turn++) expect(await keys.for(model)).toMatchObject({ apiKey: "own-key" });
	expect(notices).toEqual(["The stored key for groq was rejected (unknown key). Run tau login groq"]);
});

test("a key in cooldown is replaced by another stored one", async () => {
	await store.add("groq", { kind: "api_key", access: "stored-key-1" });
	await store.add("groq", { kind: "api_key", access: "stored-key-2" });
	const keys = source();
	expect(await keys.for(model)).toMatchObject({ apiKey: "stored-key-1" });
	keys.report("groq", { kind: "rate_limit", retryAfterMs: 60_000 });
	expect(await keys.for(model)).toMatchObject({ apiKey: "stored-key-2" });
});

test("the account's own base URL is used, unless the user set one", async () => {
	await store.add("github-copilot", {
		kind: "oauth",
		access: "copilot-token",
		baseUrl: "https://api.business.githubcopilot.com",
	});
	const copilot = { provider: "github-copilot", baseUrl: "https://api.individual.githubcopilot.com" };
	expect(await source().for(testModel(copilot))).toMatchObject({
		baseUrl: "https://api.business.githubcopilot.com",
	});
	expect(await source().for(testModel({ ...copilot, baseUrl: "https://proxy.test" }))).not.toHaveProperty(
		"baseUrl",
	);
});

test("a key that is exchanged for a token sends the token, to the account's base URL", async () => {
	await using server = playOAuth("github-copilot", { tickets: ["gho_own", "gho_other"] });
	using traded = await CredentialStore.open({
		path: join(home, "traded.db"),
		env: server.env,
		onNotice: () => {},
	});
	const copilot = testModel({
		provider: "github-copilot",
		baseUrl: "https://api.individual.githubcopilot.com",
	});
	for (const overridden of [{}, { overridden: "github-copilot" }]) {
		const keys = source({ store: traded, registry: registry("gho_own"), ...overridden });
		expect(await keys.for(copilot)).toEqual({
			apiKey: expect.stringMatching(/^short-/),
			headers: {},
			baseUrl: "https://api.business.githubcopilot.com",
		});
	}
	expect(server.renewals).toBe(1);
	const keys = source({ store: traded, registry: registry("gho_own") });
	keys.report("github-copilot", { kind: "auth", status: 401 });
	await keys.for(copilot);
	expect(server.renewals).toBe(2);
});
