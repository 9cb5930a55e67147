/** A role resolves to its model, and reports when it cannot. */
import { describe, expect, test } from "bun:test";

import { builtinModels } from "@tau/ai";

import { CanonicalIndex } from "./canonical.ts";
import { followRole, roleOf, suggestedFor } from "./model-roles.ts";
import roleDefaults from "./role-defaults.json" with { type: "json" };

describe("the name of a role", () => {
	test.each(["tau/smol", "pi/smol", "omp/smol", "TAU/Smol"])("%s is one", (name) => {
		expect(roleOf(name)).toEqual({ role: "smol" });
	});

	test("may have a level after it", () => {
		expect(roleOf("pi/plan:high")).toEqual({ role: "plan", thinking: "high" });
	});

	test.each(["smol", "tau/demo", "tau", "acme/smol", "tau/smol/x", "", "/smol"])("%p is not one", (name) => {
		expect(roleOf(name)).toBeUndefined();
	});
});

describe("resolving a role", () => {
	test("ends at a model", () => {
		expect(followRole("slow", { slow: "acme/a:low" })).toEqual({ kind: "pattern", pattern: "acme/a:low" });
	});

	test("goes through other roles, and the level of the first is used", () => {
		const roles = { plan: "tau/slow:high", slow: "pi/default:low", default: "acme/a" };
		expect(followRole("plan", roles)).toEqual({ kind: "pattern", pattern: "acme/a", thinking: "high" });
	});

	test("ends where the next one is not set", () => {
		expect(followRole("plan", { plan: "tau/slow:high" })).toEqual({
			kind: "unset",
			role: "slow",
			thinking: "high",
		});
	});

	test("in a cycle is detected", () => {
		expect(followRole("a", { a: "tau/smol", smol: "tau/slow", slow: "tau/smol" })).toMatchObject({
			kind: "circle",
		});
	});
});

describe("a good choice for a role", () => {
	const models = builtinModels();
	const preferences = (providers: readonly string[]): Parameters<typeof suggestedFor>[1] => ({
		isAvailable: ({ provider }) => providers.includes(provider),
		canonical: () => new CanonicalIndex(models),
		settings: { providerOrder: [] },
	});

	test("is an available model of any provider", () => {
		expect(suggestedFor("smol", preferences(["anthropic"]))?.provider).toBe("anthropic");
		expect(suggestedFor("smol", preferences(["openrouter"]))?.provider).toBe("openrouter");
		expect(suggestedFor("slow", preferences([]))).toBeUndefined();
		expect(suggestedFor("default", preferences(["anthropic"]))).toBeUndefined();
	});

	test("is in the catalog", () => {
		const index = new CanonicalIndex(models);
		const unknown = Object.values(roleDefaults)
			.flat()
			.filter((id) => !index.isOfficial(id));
		expect(unknown).toEqual([]);
	});

	test("is cheaper for small jobs than for hard ones", () => {
		for (const provider of ["anthropic", "openai", "google"]) {
			const smol = suggestedFor("smol", preferences([provider]));
			const slow = suggestedFor("slow", preferences([provider]));
			expect(smol?.cost.output).toBeLessThan(slow?.cost.output ?? 0);
		}
	});
});
