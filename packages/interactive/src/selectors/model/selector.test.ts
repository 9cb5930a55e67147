/** Models can be found, compared and selected; an unavailable one says why. */
import { describe, expect, test } from "bun:test";

import { providers, type Model } from "@tau/ai";
import { ModelRegistry, noModelSettings, type ProviderConfig } from "@tau/config/models";

import { frame, press, testScreen, typeInto, until } from "../../testing/frames.ts";
import { testToolEnv } from "../../../../../test/support/tool-env.ts";
import { testModel } from "../../../../../test/support/session.ts";
import {
	canonicalData,
	canonicalRows,
	modelListData,
	modelRows,
	roleRows,
	toggled,
} from "@tau/session-commands/work";
import { modelTabs, rowsIn } from "./model-rows.ts";
import { modelSelector } from "./selector.ts";

const api = "openai-completions";
const fast: ProviderConfig = {
	baseUrl: "https://fast.example/v1",
	api,
	apiKey: "key",
	models: [
		{
			id: "swift-1.5",
			name: "Swift",
			contextWindow: 128_000,
			cost: { input: 1, output: 4, cacheRead: 0, cacheWrite: 0 },
		},
		{ id: "swift-2", name: "Swift Two", contextWindow: 1_000_000, reasoning: true, input: ["text", "image"] },
	],
};
const deep: ProviderConfig = {
	baseUrl: "https://deep.example/v1",
	api,
	models: [{ id: "thinker", name: "Thinker", contextWindow: 200_000, reasoning: true }],
};

/** Only these two providers: the catalog changes. */
function registryOf(roles: Record<string, string> = {}): ModelRegistry {
	const settings = { ...noModelSettings, roles, disabledProviders: providers.map(({ id }) => id) };
	const file = { path: "", providers: new Map(Object.entries({ deep, fast })), problems: [] };
	return new ModelRegistry(file, {}, { settings });
}

function modelOf(registry: ModelRegistry, name: string): Model {
	const model = registry.find(name);
	if (!model) throw new Error(`there is no ${name}`);
	return model;
}

function listed(registry: ModelRegistry, favorites: string[] = []) {
	const rows = modelRows(registry, { current: modelOf(registry, "fast/swift-2"), favorites });
	return { rows, roles: roleRows(registry, rows), canonical: () => canonicalRows(registry, rows) };
}

describe("the list", () => {
	test("starts with the current model, and ends with unavailable ones", () => {
		const { rows } = listed(registryOf());
		expect(rows.map(({ key, missing }) => [key, missing])).toEqual([
			["fast/swift-2", undefined],
			["fast/swift-1.5", undefined],
			["deep/thinker", "an apiKey in models.yml"],
		]);
	});

	test("has the current model also if no list knows it", () => {
		const rows = modelRows(registryOf(), { current: testModel(), favorites: [] });
		expect(rows[0]).toMatchObject({ key: "played/played-1", isCurrent: true });
	});

	test("finds versions in either spelling, and by name or provider", () => {
		const all = listed(registryOf());
		const found = (search: string) => rowsIn("all", search, all).map(({ key }) => key);
		expect(found("swift 1-5")).toEqual(["fast/swift-1.5"]);
		expect(found("swift 1.5")).toEqual(["fast/swift-1.5"]);
		expect(found("deep")).toEqual(["deep/thinker"]);
		expect(found("nothing like it")).toEqual([]);
		expect(found("swift1.5")).toEqual(["fast/swift-1.5"]);
		// Letters that are scattered over a name are no match.
		expect(found("sft")).toEqual([]);
	});

	test("has a tab for each view: favorites and roles only if some are set", () => {
		const plain = listed(registryOf());
		expect(modelTabs(plain.rows, []).map(({ label }) => label)).toEqual([
			"Available",
			"All",
			"Canonical",
			"fast",
			"deep",
		]);
		const alone = plain.rows.filter(({ model }) => model.provider === "fast");
		expect(modelTabs(alone, []).map(({ label }) => label)).toEqual(["All", "fast"]);
		const chosen = listed(registryOf({ smol: "fast/swift-1.5:low" }), ["FAST/swift-1.5"]);
		expect(modelTabs(chosen.rows, chosen.roles).map(({ label }) => label)).toEqual([
			"Available",
			"All",
			"Canonical",
			"Favorites",
			"Roles",
			"fast",
			"deep",
		]);
		expect(rowsIn("favorites", "", chosen).map(({ key }) => key)).toEqual(["fast/swift-1.5"]);
		expect(rowsIn("provider deep", "", chosen).map(({ key }) => key)).toEqual(["deep/thinker"]);
	});

	test("groups each model over its providers, under the one that would be used", () => {
		const resold: ProviderConfig = {
			baseUrl: "https://mall.example/v1",
			api,
			apiKey: "key",
			models: [{ id: "deep/thinker" }, { id: "swift-2" }],
		};
		const shop = (order: string[] = []): ModelRegistry => {
			const settings = {
				...noModelSettings,
				providerOrder: order,
				disabledProviders: providers.map(({ id }) => id),
			};
			const equivalence = { overrides: { "mall/deep/thinker": "thinker" } };
			const sold = new Map(Object.entries({ deep, mall: resold, fast }));
			return new ModelRegistry({ path: "", providers: sold, equivalence, problems: [] }, {}, { settings });
		};
		const rowsOf = (registry: ModelRegistry, current: string) =>
			canonicalRows(
				registry,
				modelRows(registry, { current: modelOf(registry, current), favorites: [] }),
			).map(({ key, model, missing, canonical }) => [
				key.replace("canonical ", ""),
				model.provider,
				missing === undefined,
				canonical?.others.map((other) => other.model.provider),
			]);
		// The current one first; of the others the one with a key, and without an order the first of the list.
		expect(rowsOf(shop(), "fast/swift-1.5")).toEqual([
			["swift-1.5", "fast", true, []],
			["thinker", "mall", true, ["deep"]],
			["swift-2", "mall", true, ["fast"]],
		]);
		expect(rowsOf(shop(["fast"]), "fast/swift-1.5").at(-1)).toEqual(["swift-2", "fast", true, ["mall"]]);
		// The current model stays, whatever the order.
		expect(rowsOf(shop(["fast"]), "mall/swift-2")[0]).toEqual(["swift-2", "mall", true, ["fast"]]);
		const registry = shop();
		const rows = modelRows(registry, { current: modelOf(registry, "fast/swift-1.5"), favorites: [] });
		const lists = { rows, roles: [], canonical: () => canonicalRows(registry, rows) };
		expect(rowsIn("canonical", "thinker", lists)).toHaveLength(1);
		// A model that no list knows is shown all the same.
		const foreign = modelRows(registry, { current: testModel(), favorites: [] });
		expect(canonicalRows(registry, foreign)[0]).toMatchObject({ key: "played/played-1", isCurrent: true });
	});

	test("shows what roles resolve to, also through other roles", () => {
		const { roles } = listed(registryOf({ smol: "fast/swift-1.5", plan: "tau/smol", slow: "deep/thinker" }));
		expect(roles.map(({ role, model }) => [role, model.id])).toEqual([
			["smol", "swift-1.5"],
			["slow", "thinker"],
			["plan", "swift-1.5"],
			["commit", "swift-1.5"],
			["tiny", "swift-1.5"],
		]);
	});
});

test("a favorite is added at the end, and removed again", () => {
	expect(toggled(["a/b"], "c/d")).toEqual(["a/b", "c/d"]);
	expect(toggled(["a/b", "C/d"], "c/D")).toEqual(["a/b"]);
});

describe("the selector", () => {
	async function open(roles: Record<string, string> = {}) {
		const env = await testToolEnv();
		const registry = registryOf(roles);
		const used: string[] = [];
		let isClosed = false;
		const choice = () => ({
			current: modelOf(registry, "fast/swift-2"),
			level: "low" as const,
			favorites: env.settings.get("favoriteModels"),
		});
		const picker = modelSelector(testScreen(), {
			models: modelListData(registry, choice()),
			canonical: () => canonicalData(registry, choice()),
			use: async ({ provider, id }, level) =>
				void used.push(`${provider}/${id}${level === undefined ? "" : `:${level}`}`),
			setDefault: async (name) => void (await env.settings.set("modelRoles.default", name, "global")),
			async toggleFavorite(name) {
				await env.settings.set("favoriteModels", toggled(choice().favorites, name), "global");
				return modelListData(registry, choice());
			},
			connect: (provider) => void used.push(`connect ${provider}`),
			close: () => (isClosed = true),
		});
		return {
			env,
			picker,
			used,
			isClosed: () => isClosed,
			[Symbol.asyncDispose]: () => env[Symbol.asyncDispose](),
		};
	}

	test("shows context, price and what is missing, as far as there is space", async () => {
		await using list = await open();
		press(list.picker, "tab", "end");
		expect(frame(list.picker, 80)).toMatchInlineSnapshot(`
		  "
		  ── Model ──────────────────────────────────────────────────────────────── 3/3 ──
		   Available  All  Canonical  fast  deep
		   >
		     ●  swift-2    fast               1M         free
		        swift-1.5  fast             128k         $1/4
		   ❯    thinker    deep             200k         free  no key
		     deep needs an apiKey in models.yml
		     Thinker · 200k context · 16.4k output · free
		     thinking  off  minimal  ● low  medium  high

		     enter log in · tab next tab · ctrl+t thinking · ctrl+f favorite
		     ctrl+s set as default · esc close
		  "
		`);
		expect(frame(list.picker, 40)).toMatchInlineSnapshot(`
		  "
		  ── Model ──────────────────────── 3/3 ──
		   Available  All  Canonical  fast  deep
		   >
		     ●  swift-2    fast
		        swift-1.5  fast
		   ❯    thinker    deep
		     deep needs an apiKey in models.yml
		     Thinker · 200k context · 16.4k outpu…
		     thinking  off  minimal  ● low  mediu…

		     enter log in · tab next tab
		     ctrl+t thinking · ctrl+f favorite
		     ctrl+s set as default · esc close
		  "
		`);
	});

	test("changes the thinking level in the same list", async () => {
		await using list = await open();
		press(list.picker, "tab", "end", "ctrl+t");
		expect(frame(list.picker, 80)).toContain("● medium");
		press(list.picker, "ctrl+t", "ctrl+t");
		expect(frame(list.picker, 80)).toContain("● off");
		// It counts for the model that is chosen.
		press(list.picker, "home", "ctrl+t", "enter");
		await until(list.isClosed);
		expect(list.used).toEqual(["fast/swift-2:minimal"]);
	});

	test("lists the providers of canonical models, and uses the named one", async () => {
		await using list = await open();
		press(list.picker, "tab", "tab", "end");
		expect(frame(list.picker, 80)).toContain("deep needs an apiKey in models.yml");
		press(list.picker, "up", "enter");
		await until(list.isClosed);
		expect(list.used).toEqual(["fast/swift-1.5"]);
	});

	test("uses the model on Enter and closes", async () => {
		await using list = await open();
		typeInto(list.picker, "1.5");
		press(list.picker, "enter");
		await until(list.isClosed);
		expect([list.used, list.isClosed()]).toEqual([["fast/swift-1.5"], true]);
	});

	test("opens with what can be used; a search that fits nothing of it looks further", async () => {
		await using list = await open();
		expect(frame(list.picker, 80)).not.toContain("thinker");
		typeInto(list.picker, "think");
		expect(frame(list.picker, 80)).toContain("thinker");
	});

	test("asks for the key of a model that has none", async () => {
		await using list = await open();
		press(list.picker, "tab", "end");
		expect(frame(list.picker, 80)).toContain("enter log in");
		press(list.picker, "enter");
		await until(list.isClosed);
		expect(list.used).toEqual(["connect deep"]);
	});

	test("keeps a canonical model as default without its provider", async () => {
		await using list = await open();
		press(list.picker, "tab", "tab", "down", "ctrl+s");
		await until(() => list.env.settings.get("modelRoles").default !== undefined);
		expect(list.env.settings.get("modelRoles")).toEqual({ default: "swift-1.5" });
		expect(frame(list.picker, 80)).toContain("swift-1.5 is now the default model.");
	});

	test("stores favorites and the default model in the user's settings", async () => {
		await using list = await open();
		press(list.picker, "down", "ctrl+f", "ctrl+s");
		await until(() => list.env.settings.get("modelRoles").default !== undefined);
		expect(list.env.settings.get("favoriteModels")).toEqual(["fast/swift-1.5"]);
		expect(list.env.settings.get("modelRoles")).toEqual({ default: "fast/swift-1.5" });
		await until(() => frame(list.picker, 80).includes("Favorites"));
		expect(frame(list.picker, 80)).toContain("★ swift-1.5");
	});
});
