/** The same model of several providers is grouped under its maker's id, and similar names stay separate. */
import { describe, expect, test } from "bun:test";

import { builtinModels } from "@tau/ai";

import { modelNamed } from "../../../../test/support/session.ts";
import { CanonicalIndex } from "./canonical.ts";

/** `anthropic` and `openai` are makers; the rest are gateways. */
const names = [
	"anthropic/quick-4-6",
	"anthropic/quick-4-6-20260101",
	"openai/swift-5.3-codex",
	"openai/swift-5",
	"mistral/other-5-2",
	"zai/other-5.2",
	"gate/anthropic/quick-4.6",
	"gate/openai/swift-5.3-codex",
	"gate/quick-4.6-fast",
	"gate/z-ai/other-5.2",
	"cloud/us.anthropic.quick-4-6-v1",
	"cloud/eu.anthropic.quick-4-6-20260101-v1:0",
	"pilot/Quick-4.6",
	"pilot/swift-5-3-codex",
	"pilot/swift",
	"zenmux/codex",
];
const models = names.map(modelNamed);

function canonical(name: string, index = new CanonicalIndex(models)): string | undefined {
	const at = names.indexOf(name);
	const model = models[at];
	return model && index.idOf(model);
}

describe("the official id is found", () => {
	const found: [what: string, name: string, id: string][] = [
		["of the maker's own", "anthropic/quick-4-6", "quick-4-6"],
		["behind the name of a vendor", "gate/openai/swift-5.3-codex", "swift-5.3-codex"],
		["with dots for dashes", "gate/anthropic/quick-4.6", "quick-4-6"],
		["with dashes for dots", "pilot/swift-5-3-codex", "swift-5.3-codex"],
		["in another case", "pilot/Quick-4.6", "quick-4-6"],
		["behind a region and before a revision", "cloud/us.anthropic.quick-4-6-v1", "quick-4-6"],
		["of a snapshot", "cloud/eu.anthropic.quick-4-6-20260101-v1:0", "quick-4-6-20260101"],
		["exactly, where two look alike", "gate/z-ai/other-5.2", "other-5.2"],
	];
	test.each(found)("%s", (_, name, id) => expect(canonical(name)).toBe(id));
});

describe("a model stays under its own id", () => {
	test.each([
		["a variant", "gate/quick-4.6-fast"],
		["a part of a name", "pilot/swift"],
		["a name of the gateway", "zenmux/codex"],
		["one of two that look alike", "mistral/other-5-2"],
	])("%s", (_, name) => expect(canonical(name)).toBe(name.slice(name.indexOf("/") + 1)));
});

describe("the user's settings decide", () => {
	const index = new CanonicalIndex(models, {
		overrides: { "zenmux/codex": "swift-5.3-codex", "gate/quick-4.6-fast": "my-own" },
		exclude: ["gate/anthropic/quick-4.6"],
	});

	test("which models are the same", () => {
		expect(canonical("zenmux/codex", index)).toBe("swift-5.3-codex");
		expect(canonical("gate/quick-4.6-fast", index)).toBe("my-own");
		expect(index.variants("SWIFT-5.3-codex").map(({ provider }) => provider)).toEqual([
			"openai",
			"gate",
			"pilot",
			"zenmux",
		]);
	});

	test("which models are not", () => {
		expect(canonical("gate/anthropic/quick-4.6", index)).toBe("anthropic/quick-4.6");
		expect(index.variants("quick-4-6").map(({ provider }) => provider)).toEqual([
			"anthropic",
			"cloud",
			"pilot",
		]);
	});
});

test("every model is in one group, and a group is named by its official id", () => {
	const index = new CanonicalIndex(models);
	const groups = index.groups();
	expect(groups.flatMap(({ models: members }) => members)).toHaveLength(models.length);
	expect(new Set(groups.map(({ id }) => id.toLowerCase())).size).toBe(groups.length);
	expect(groups.find(({ id }) => id === "quick-4-6")?.models).toHaveLength(4);
	expect(index.isOfficial("quick-4-6")).toBe(true);
	expect(index.isOfficial("codex")).toBe(false);
	expect(index.variants("nothing")).toEqual([]);
});

test("in the catalog, gateways and makers share groups", () => {
	const all = builtinModels();
	const index = new CanonicalIndex(all);
	const [first] = builtinModels("anthropic");
	const sellers = new Set(index.variants(first?.id ?? "").map(({ provider }) => provider));
	for (const seller of ["anthropic", "openrouter", "vercel-ai-gateway", "amazon-bedrock", "github-copilot"]) {
		expect(sellers).toContain(seller);
	}
});
