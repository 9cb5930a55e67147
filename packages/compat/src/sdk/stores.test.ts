/** Settings, keys and models are available to programs and extensions, and apply to the sessions that they create. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { FileAuthStorageBackend } from "./auth-backend.ts";
import { AuthStorage } from "./auth-storage.ts";
import { ModelRegistry } from "./model-registry.ts";
import { SettingsManager } from "./settings-manager.ts";
import { InMemorySettingsStorage } from "./settings-storage.ts";
import { sdkFixture } from "./testing/sdk-fixture.ts";
import { ompExports } from "../omp.ts";

const sdk = sdkFixture();

function registryOf(authStorage: AuthStorage): ModelRegistry {
	return ModelRegistry.create(authStorage, join(sdk.agentDir, "models.yml"));
}

describe("SettingsManager", () => {
	test("reads Tau's files synchronously and writes through them", async () => {
		writeFileSync(
			join(sdk.agentDir, "config.yml"),
			"steeringMode: all\ncompaction:\n  reserveTokens: 5000\n",
		);
		const settings = SettingsManager.create(sdk.cwd, sdk.agentDir);
		const typed = settings as SettingsManager & {
			getSteeringMode(): string;
			setSteeringMode(mode: string): void;
			getTheme(): unknown;
			setQuietStartup(quiet: boolean): void;
			getQuietStartup(): boolean;
		};
		expect(typed.getSteeringMode()).toBe("all");
		expect(settings.getCompactionSettings()).toMatchObject({ enabled: true, reserveTokens: 5000 });
		typed.setSteeringMode("one-at-a-time");
		expect(typed.getSteeringMode()).toBe("one-at-a-time");
		await settings.flush();
		expect(readFileSync(join(sdk.agentDir, "config.yml"), "utf8")).toContain("steeringMode: one-at-a-time");
		expect(settings.drainErrors()).toEqual([]);
		typed.setQuietStartup(true);
		await settings.flush();
		expect(typed.getQuietStartup()).toBe(true);
		expect(settings.drainErrors()).toHaveLength(1);
	});

	test("a project cannot change settings that are the user's only", () => {
		mkdirSync(join(sdk.cwd, ".tau"));
		writeFileSync(join(sdk.cwd, ".tau/config.yml"), "extensions: [./evil.ts]\nsteeringMode: all\n");
		const settings = SettingsManager.create(sdk.cwd, sdk.agentDir);
		expect(settings.get("extensions")).toEqual([]);
		expect(settings.get("steeringMode")).toBe("all");
		expect(settings.getProjectSettings()).toMatchObject({ extensions: ["./evil.ts"] });
	});

	test("stores settings in memory, or in the given storage", async () => {
		const memory = SettingsManager.inMemory({ compaction: { enabled: false }, theme: "light" });
		expect(memory.getCompactionSettings().enabled).toBe(false);
		expect(memory.get("theme")).toBe("light");
		memory.applyOverrides({ theme: "dark" });
		expect(memory.get("theme")).toBe("dark");
		const storage = new InMemorySettingsStorage();
		const one = SettingsManager.fromStorage(storage);
		one.setDefaultModelAndProvider("anthropic", "some-model");
		await one.flush();
		const other = SettingsManager.fromStorage(storage);
		expect([other.getDefaultProvider(), other.getDefaultModel()]).toEqual(["anthropic", "some-model"]);
	});

	test("settings in memory apply to the session created with them", async () => {
		await using _played = await sdk.play({ steps: [] });
		const settingsManager = SettingsManager.inMemory({ compaction: { enabled: false }, steeringMode: "all" });
		await using session = (await sdk.create({ settingsManager })).session;
		expect(session.autoCompactionEnabled).toBe(false);
		expect(session.steeringMode).toBe("all");
	});
});

describe("AuthStorage and ModelRegistry", () => {
	test("a key of the program is sent by its session", async () => {
		await using played = await sdk.play({ steps: ["Hello."] });
		const authStorage = AuthStorage.inMemory({ played: { type: "api_key", key: "key-of-the-program" } });
		await using session = (await sdk.create({ authStorage })).session;
		await session.prompt("hi");
		expect(JSON.stringify(played.requests[0]?.headers)).toContain("key-of-the-program");
	});

	test("a runtime key overrides the stored one", async () => {
		await using played = await sdk.play({ steps: ["Hello.", "Hello."] });
		const authStorage = AuthStorage.in(sdk.agentDir);
		authStorage.setRuntimeApiKey("played", "key-of-this-run");
		for (const given of [{ authStorage }, { modelRegistry: registryOf(authStorage) }]) {
			await using session = (await sdk.create(given)).session;
			await session.prompt("hi");
			expect(JSON.stringify(played.requests.at(-1)?.headers)).toContain("key-of-this-run");
		}
	});

	test("keys are looked up in pi's order: runtime, stored, environment, then the fallback resolver", async () => {
		const storage = AuthStorage.inMemory({ a: { type: "api_key", key: "stored" } });
		expect(await storage.getApiKey("a")).toBe("stored");
		storage.setRuntimeApiKey("a", "runtime");
		expect(await storage.getApiKey("a")).toBe("runtime");
		storage.setFallbackResolver((provider) => (provider === "b" ? "last" : undefined));
		expect(await storage.getApiKey("b")).toBe("last");
		expect(await storage.getApiKey("b", { includeFallback: false })).toBeUndefined();
		expect(storage.hasAuth("b")).toBe(true);
		expect(storage.hasAuth("c")).toBe(false);
		storage.remove("a");
		expect(storage.list()).toEqual([]);
	});

	test("a key file is readable by its owner only, and the next instance reads it", () => {
		const path = join(sdk.base, "keys", "auth.json");
		const storage = AuthStorage.create(path);
		storage.set("played", { type: "api_key", key: "k" });
		expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(AuthStorage.fromStorage(new FileAuthStorageBackend(path)).get("played")).toEqual({
			type: "api_key",
			key: "k",
		});
		expect(storage.drainErrors()).toEqual([]);
	});

	test("the models of a file are available at once, with keys and headers", async () => {
		await using _played = await sdk.play({ steps: [] });
		const registry = ModelRegistry.create(AuthStorage.inMemory(), join(sdk.agentDir, "models.yml"));
		const model = registry.find("played", "played-1");
		if (!model) throw new Error("the model is missing");
		expect(registry.getAvailable().map(({ provider }) => provider)).toContain("played");
		expect(await registry.getApiKeyAndHeaders(model)).toMatchObject({ ok: true });
		expect(registry.getError()).toBeUndefined();
		registry.registerProvider("mine", {
			baseUrl: "http://127.0.0.1:1",
			apiKey: "k",
			api: "openai-completions",
			models: [{ id: "m" }],
		});
		expect(registry.find("mine", "m")?.baseUrl).toBe("http://127.0.0.1:1");
		registry.unregisterProvider("mine");
		expect(registry.find("mine", "m")).toBeUndefined();
		expect(existsSync(join(sdk.agentDir, "agent.db"))).toBe(false);
	});

	test("a models file may be .jsonc, with comments", () => {
		const path = join(sdk.base, "mm.jsonc");
		const mine = {
			baseUrl: "http://127.0.0.1:1/v1",
			api: "openai-completions",
			auth: "none",
			models: [{ id: "m" }],
		};
		writeFileSync(path, `// mine\n${JSON.stringify({ providers: { mine } })}`);
		const registry = ModelRegistry.create(AuthStorage.inMemory(), path);
		expect(registry.getError()).toBeUndefined();
		expect(registry.find("mine", "m")).toBeDefined();
	});

	test("an invalid models file is reported, and affects nothing else", () => {
		const path = join(sdk.base, "models.json");
		writeFileSync(path, JSON.stringify({ providers: { bad: { models: [{}] } } }));
		const registry = ModelRegistry.create(AuthStorage.inMemory(), path);
		expect(registry.getError()).toContain("bad");
		expect(registry.getAll().length).toBeGreaterThan(0);
	});
});

describe("omp's forms", () => {
	test("a registry is made from a path, and a provider without keys has the key that says so", async () => {
		await using _ = await sdk.play({ steps: [] });
		const registry = new ModelRegistry(AuthStorage.inMemory(), join(sdk.agentDir, "models.yml"));
		expect(registry.find("played", "played-1")?.contextWindow).toBe(200_000);
		const { kNoAuth, isAuthenticated } = ompExports() as unknown as {
			kNoAuth: string;
			isAuthenticated(key: string | undefined): boolean;
		};
		const key = await registry.getApiKeyForProvider("played");
		expect(key).toBe(kNoAuth);
		expect([isAuthenticated(key), isAuthenticated("sk-1"), isAuthenticated(undefined)]).toEqual([
			false,
			true,
			false,
		]);
		expect(await registry.getApiKeyForProvider("nobody")).toBeUndefined();
	});

	test("setModel with a role selects the model, logs the role and keeps it in the settings", async () => {
		await using _ = await sdk.play({ steps: ["Small."] });
		const { session } = await sdk.create();
		const model = { ...session.model, name: "Again" };
		await session.setModel(model, "smol");
		expect(session.model.name).toBe("Again");
		expect(session.sessionManager.getEntries().at(-1)).toMatchObject({ type: "model_change", role: "smol" });
		await session.settingsManager.flush();
		expect(readFileSync(join(sdk.agentDir, "config.yml"), "utf8")).toMatch(/smol: played\/played-1/);
		expect(session.setModel(model, "chief")).rejects.toThrow('There is no role "chief"');
		await session[Symbol.asyncDispose]();
	});
});
