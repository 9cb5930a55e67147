/** Discovered items are ordered, deduplicated and disabled as documented, and a failing source affects only itself. */
import { expect, test } from "bun:test";

import { discoveryPaths } from "../sources/discovery-paths.ts";
import { DiscoveryRegistry, type Provider } from "./registry.ts";
import { Switches } from "./switches.ts";
import type { Capability, Discovered } from "./types.ts";

const things: Capability<Discovered> = {
	id: "things",
	title: "Things",
	key: ({ name }) => name,
	about: () => "",
};
const places = discoveryPaths("/", { HOME: "/nowhere" });

function provider(source: string, priority: number, ...names: string[]): Provider<Discovered> {
	return {
		source,
		priority,
		load: async () => ({
			items: names.map((name) => ({ name, origin: { source, level: "user", path: `/${source}/${name}` } })),
			warnings: [],
		}),
	};
}

function registryOf(...providers: Provider<Discovered>[]): DiscoveryRegistry {
	const registry = new DiscoveryRegistry();
	registry.define(things);
	for (const each of providers) registry.register(things, each);
	return registry;
}

const pathOf = ({ origin }: Discovered): string => origin.path;

test("of two items with the same name the one of the higher source is used, and the other is reported", async () => {
	const registry = registryOf(provider("low", 1, "a", "b"), provider("high", 2, "b", "c"));
	const { items, shadowed } = await registry.load(things, places, new Switches([]));
	expect(items.map(pathOf)).toEqual(["/high/b", "/high/c", "/low/a"]);
	expect(shadowed.map(({ item, by }) => [pathOf(item), pathOf(by)])).toEqual([["/low/b", "/high/b"]]);
});

test("a disabled item does not shadow another", async () => {
	const registry = registryOf(provider("high", 2, "a"), provider("low", 1, "a"));
	for (const entry of ["high", "HIGH/things", " high "]) {
		const { items, disabled } = await registry.load(things, places, new Switches([entry]));
		expect(items.map(pathOf)).toEqual(["/low/a"]);
		expect(disabled.map(({ item }) => pathOf(item))).toEqual(["/high/a"]);
	}
	const byName = await registry.load(things, places, new Switches(["things:a"]));
	expect(byName.items).toEqual([]);
	expect(byName.disabled.map(({ by }) => by)).toEqual(["things:a", "things:a"]);
});

test("a failing source is named, and the others are used", async () => {
	const broken: Provider<Discovered> = {
		source: "broken",
		priority: 9,
		load: () => Promise.reject(new Error("the disk is gone")),
	};
	const { items, warnings } = await registryOf(broken, provider("well", 1, "a")).load(
		things,
		places,
		new Switches([]),
	);
	expect(items.map(pathOf)).toEqual(["/well/a"]);
	expect(warnings).toEqual([
		{ path: "broken", message: "was not searched: the disk is gone", isLeftOut: true },
	]);
});

test("a source that never answers times out", async () => {
	const silent: Provider<Discovered> = {
		source: "silent",
		priority: 9,
		load: () => Promise.withResolvers<never>().promise,
	};
	const { items, warnings } = await registryOf(silent, provider("well", 1, "a")).load(
		things,
		places,
		new Switches([]),
	);
	expect(items.map(pathOf)).toEqual(["/well/a"]);
	expect(warnings[0]?.message).toContain("timed out");
});

test("a provider is registered until it is disposed of", async () => {
	const registry = registryOf();
	{
		using _ = registry.register(things, provider("guest", 1, "a"));
		expect((await registry.load(things, places, new Switches([]))).items).toHaveLength(1);
	}
	expect((await registry.load(things, places, new Switches([]))).items).toEqual([]);
});

test("what is registered with a copy is not found by others", async () => {
	const registry = registryOf(provider("known", 1, "a"));
	const copy = registry.copy();
	copy.register(things, provider("guest", 2, "b"));
	const found = async (from: DiscoveryRegistry): Promise<string[]> =>
		(await from.load(things, places, new Switches([]))).items.map(pathOf);
	expect([await found(registry), await found(copy)]).toEqual([["/known/a"], ["/guest/b", "/known/a"]]);
});

test("an entry of the setting that matches nothing is reported", () => {
	const entries = ["claude", "claude/skills", "skills:pdf", "cluade", "claude/skils", "skill:pdf", "skills:"];
	expect(new Switches(entries).unknown(["claude"], ["skills"])).toEqual([
		"cluade",
		"claude/skils",
		"skill:pdf",
		"skills:",
	]);
});
