/** A model name that a user types is resolved, or answered with suggestions. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { thinkingLevels, type Model } from "@tau/ai";

import { modelNamed } from "../../../../test/support/session.ts";
import { CanonicalIndex } from "./canonical.ts";
import { limits } from "./limits.ts";
import { resolveModel, selector } from "./model-resolver.ts";

const models = [
	"acme/swift-2",
	"acme/swift-2-mini",
	"globe/acme/swift-2",
	"globe/heavy",
	"local/quill:7b",
].map(modelNamed);

function resolve(pattern: string): string {
	const resolved = resolveModel(pattern, models);
	if (!resolved.ok) return resolved.message;
	return selector(resolved.model) + (resolved.thinking ? ` thinking ${resolved.thinking}` : "");
}

const found: [promise: string, pattern: string, answer: string][] = [
	["provider and id", "acme/swift-2-mini", "acme/swift-2-mini"],
	["in any case", "ACME/Swift-2", "acme/swift-2"],
	["the exact name before an id that looks the same", "acme/swift-2", "acme/swift-2"],
	["in the other spelling of its version", "acme/Swift.2", "acme/swift-2"],
	["an id alone", "heavy", "globe/heavy"],
	["an exact id before others that contain it", "swift-2", "acme/swift-2"],
	["an id with a slash", "globe/acme/swift-2", "globe/acme/swift-2"],
	["a part that only one has", "mini", "acme/swift-2-mini"],
	["a level after it", "heavy:high", "globe/heavy thinking high"],
	["a level after a part", "mini:off", "acme/swift-2-mini thinking off"],
	["a colon of the id itself", "local/quill:7b", "local/quill:7b"],
	["a level after a colon of the id", "quill:7b:low", "local/quill:7b thinking low"],
];
test.each(found)("%s is found", (_, pattern, answer) => {
	expect(resolve(pattern)).toBe(answer);
});

const notFound: [promise: string, pattern: string, message: string][] = [
	[
		"a part of several lists them",
		"swift",
		'"swift" matches several models: acme/swift-2, acme/swift-2-mini, globe/acme/swift-2',
	],
	[
		"a slip suggests, and names a model once",
		"globe/haevy",
		'Unknown model "globe/haevy". Did you mean globe/heavy?',
	],
	["a slip in an id suggests the whole name", "haevy", 'Unknown model "haevy". Did you mean globe/heavy?'],
	[
		"without similar ones, all are listed",
		"zzzzzzzz",
		`Unknown model "zzzzzzzz". Known: ${models.map(selector).join(", ")}`,
	],
	[
		"a provider's unknown id is never its other version",
		"acme/swift",
		'Unknown model "acme/swift". Did you mean acme/swift-2, ',
	],
	[
		"a provider's unknown id is never another provider's model",
		"acme/heavy",
		'Unknown model "acme/heavy". Did you mean globe/heavy?',
	],
	[
		"a known provider without this model is not searched elsewhere",
		"anthropic/swift-2",
		'Unknown model "anthropic/swift-2". Did you mean ',
	],
	["a name with a slash is not a word to search for", "swift/2", 'Unknown model "swift/2". '],
	["a level alone is not a model", ":high", 'Unknown model "". Known: '],
	["an unknown level is not a level", "heavy:hot", 'Unknown model "heavy:hot". '],
];
test.each(notFound)("%s", (_, pattern, message) => {
	expect(resolve(pattern)).toStartWith(message);
});

describe("part of a name matches the newest of several versions", () => {
	const versions: [promise: string, ids: string[], pattern: string, found: string][] = [
		["by number, not by letter", ["quick-9", "quick-10", "quick-2"], "quick", "quick-10"],
		["in both spellings", ["quick-4-6", "quick-5", "quick-4.5"], "quick", "quick-5"],
		["and not a dated snapshot", ["quick-4-5-20250929", "quick-4-5", "quick-4-1"], "quick", "quick-4-5"],
		[
			"unless there are only snapshots",
			["quick-4-20250101", "quick-3-20260101"],
			"quick",
			"quick-4-20250101",
		],
		["of those that the pattern matches", ["quick-4-5", "quick-5-5", "slow-6"], "quick", "quick-5-5"],
		["with words in order", ["acme-quick-pro-5", "acme-quick-pro-4"], "acme pro", "acme-quick-pro-5"],
		["with a version in the other spelling", ["quick-4-5", "quick-5-5"], "quick-5.5", "quick-5-5"],
	];
	test.each(versions)("%s", (_, ids, pattern, expected) => {
		const resolved = resolveModel(
			pattern,
			ids.map((id) => modelNamed(`acme/${id}`)),
		);
		expect(resolved.ok ? resolved.model.id : resolved.message).toBe(expected);
	});
});

describe("among several matches", () => {
	const many = ["anthropic/opus-1", "globe/anthropic/opus-1", "other/opus-1", "globe/opus-1-fast"].map(
		modelNamed,
	);
	const [first, second, third, fast] = many;

	function choose(pattern: string, usable: (Model | undefined)[], providerOrder: string[] = []): string {
		const resolved = resolveModel(pattern, many, {
			isAvailable: (each) => usable.includes(each),
			canonical: () => new CanonicalIndex(many),
			settings: { providerOrder },
		});
		return resolved.ok ? selector(resolved.model) : resolved.message;
	}

	test("the official id selects the first available provider", () => {
		expect(choose("opus-1", [first, second, third])).toBe("anthropic/opus-1");
		expect(choose("opus-1", [second, third])).toBe("globe/anthropic/opus-1");
		expect(choose("OPUS-1", [third])).toBe("other/opus-1");
		expect(choose("opus-1", [])).toBe("anthropic/opus-1");
	});

	test("the user's order of providers decides among the available ones", () => {
		expect(choose("opus-1", [first, second, third], ["other", "globe"])).toBe("other/opus-1");
		expect(choose("opus-1", [first, second], ["other", "globe"])).toBe("globe/anthropic/opus-1");
	});

	test("a name with its provider never selects another provider", () => {
		expect(choose("globe/anthropic/opus-1", [first])).toBe("globe/anthropic/opus-1");
	});

	test("part of a name prefers available models, then official ones", () => {
		expect(choose("opus", [fast])).toBe("globe/opus-1-fast");
		expect(choose("opus", [second, fast])).toBe("globe/anthropic/opus-1");
	});
});

test("a long list is cut, with the number of omitted ones", () => {
	const many = Array.from({ length: 40 }, (_, index) => modelNamed(`acme/swift-x${index}x`));
	const resolved = resolveModel("swift", many);
	expect(resolved).toMatchObject({ ok: false });
	expect(resolved.ok ? "" : resolved.message).toEndWith(` and ${40 - limits.nearMatches} more`);
});

test("without any models it returns a message and does not throw", () => {
	expect(resolveModel("x", [])).toEqual({ ok: false, message: 'Unknown model "x". Known: ' });
});

describe("property: for every pattern", () => {
	test("there is a model or a message", () => {
		fc.assert(
			fc.property(
				fc.oneof(fc.string(), fc.constantFrom(...models.map(selector), ":", "/", "swift:")),
				(pattern) => {
					const resolved = resolveModel(pattern, models);
					if (resolved.ok) expect(models).toContain(resolved.model);
					else expect(resolved.message).toContain(pattern.slice(0, Math.max(0, pattern.lastIndexOf(":"))));
				},
			),
		);
	});

	test("every model is found by its full name, with any level", () => {
		for (const each of models) {
			for (const level of thinkingLevels) {
				expect(resolveModel(`${selector(each)}:${level}`, models)).toEqual({
					ok: true,
					model: each,
					thinking: level,
				});
			}
		}
	});
});
