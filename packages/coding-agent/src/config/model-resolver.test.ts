/** What a person types for a model is understood, or answered with what it could have been. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { thinkingLevels, type Model } from "@tau/ai";

import { testModel } from "../testing/session.ts";
import { limits } from "./limits.ts";
import { resolveModel, selector } from "./model-resolver.ts";

function model(name: string): Model {
	const slash = name.indexOf("/");
	return testModel({ provider: name.slice(0, slash), id: name.slice(slash + 1) });
}

const models = [
	"acme/swift-2",
	"acme/swift-2-mini",
	"globe/acme/swift-2",
	"globe/heavy",
	"local/quill:7b",
].map(model);

function resolve(pattern: string): string {
	const resolved = resolveModel(pattern, models);
	if (!resolved.ok) return resolved.message;
	return selector(resolved.model) + (resolved.thinking ? ` thinking ${resolved.thinking}` : "");
}

const found: [promise: string, pattern: string, answer: string][] = [
	["provider and id", "acme/swift-2-mini", "acme/swift-2-mini"],
	["in any case", "ACME/Swift-2", "acme/swift-2"],
	["the exact name before an id that looks the same", "acme/swift-2", "acme/swift-2"],
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
		'"swift" fits several models: acme/swift-2, acme/swift-2-mini, globe/acme/swift-2',
	],
	[
		"a slip suggests, and names a model once",
		"globe/haevy",
		'Unknown model "globe/haevy". Did you mean globe/heavy?',
	],
	["a slip in an id suggests the whole name", "haevy", 'Unknown model "haevy". Did you mean globe/heavy?'],
	[
		"nothing near lists what there is",
		"zzzzzzzz",
		`Unknown model "zzzzzzzz". Known: ${models.map(selector).join(", ")}`,
	],
	["a level alone is no model", ":high", 'Unknown model "". Known: '],
	["an unknown level is not a level", "heavy:hot", 'Unknown model "heavy:hot". '],
];
test.each(notFound)("%s", (_, pattern, message) => {
	expect(resolve(pattern)).toStartWith(message);
});

test("a long list is cut and says by how much", () => {
	const many = Array.from({ length: 40 }, (_, index) => model(`acme/swift-${index}`));
	const resolved = resolveModel("swift", many);
	expect(resolved).toMatchObject({ ok: false });
	expect(resolved.ok ? "" : resolved.message).toEndWith(` and ${40 - limits.nearMatches} more`);
});

test("no models at all is said, not thrown", () => {
	expect(resolveModel("x", [])).toEqual({ ok: false, message: 'Unknown model "x". Known: ' });
});

describe("for every pattern", () => {
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
