/** Patterns allow the models that users mean by them. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { ModelRegistry } from "./model-registry.ts";
import { selector } from "./model-resolver.ts";
import { scopeOf } from "./model-scope.ts";
import { noModelSettings } from "./model-settings.ts";
import type { ProviderConfig } from "./models-file/index.ts";

const ids = ["swift-2", "swift-2-mini", "vendor/heavy", "quill:7b"];
const mine: ProviderConfig = {
	baseUrl: "http://127.0.0.1:9",
	api: "openai-completions",
	auth: "none",
	models: ids.map((id) => ({ id })),
};
const file = {
	path: "",
	providers: new Map([
		["mine", mine],
		["yours", { ...mine, models: [{ id: "swift-2" }] }],
	]),
	problems: [],
};
// Without the catalog, which has names of its own.
const settings = {
	...noModelSettings,
	disabledProviders: new ModelRegistry(file, {}).providerIds().slice(2),
};
const registry = new ModelRegistry(file, {}, { settings });

function scope(...patterns: string[]): string[] {
	return scopeOf(patterns, registry).models.map(
		({ model, thinking }) => selector(model) + (thinking ? ` ${thinking}` : ""),
	);
}

const cases: [promise: string, patterns: string[], models: string[]][] = [
	["a glob over a provider", ["yours/*"], ["yours/swift-2"]],
	["a glob crosses slashes", ["mine/v*"], ["mine/vendor/heavy"]],
	["a glob over ids", ["*heavy"], ["mine/vendor/heavy"]],
	["in any case", ["MINE/Swift-2-M*"], ["mine/swift-2-mini"]],
	["one character", ["mine/swift-?"], ["mine/swift-2"]],
	["one of a set", ["mine/swift-[0-9]"], ["mine/swift-2"]],
	["not one of a set", ["mine/[!q]*i"], ["mine/swift-2-mini"]],
	["a canonical id is all its variants", ["swift-2"], ["mine/swift-2", "yours/swift-2"]],
	["a name with its provider is itself", ["mine/swift-2"], ["mine/swift-2"]],
	["a part as --model takes it", ["mini"], ["mine/swift-2-mini"]],
	["a level for all of them", ["swift-2:high"], ["mine/swift-2 high", "yours/swift-2 high"]],
	["a level after a glob", ["yours/*:low"], ["yours/swift-2 low"]],
	["a colon of the id", ["mine/quill:7b"], ["mine/quill:7b"]],
	["a level after a colon of the id", ["mine/quill:7b:off"], ["mine/quill:7b off"]],
	["in the order of the patterns, each once", ["yours/*", "*swift-2"], ["yours/swift-2", "mine/swift-2"]],
];
test.each(cases)("%s", (_, patterns, models) => expect(scope(...patterns)).toEqual(models));

describe("a pattern without a match is reported, and the rest applies", () => {
	test.each(["zzz*", "mine/[z-a]", "zzzzzzzz"])("%s", (pattern) => {
		const { models, problems } = scopeOf([pattern, "mine/swift-2"], registry);
		expect(models).toHaveLength(1);
		expect(problems).toEqual([expect.stringContaining(pattern)]);
	});
});

test("property: no pattern throws", () => {
	fc.assert(
		fc.property(
			fc.string({ unit: fc.constantFrom("*", "?", "[", "]", "!", "-", "\\", "/", ":", "a", ".", "(", "$") }),
			(pattern) => {
				const { models, problems } = scopeOf([pattern], registry);
				expect(models.length + problems.length).toBeGreaterThan(0);
			},
		),
	);
});
