/** A single item of a package is found by the names that users type. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { partsMeant, type Part } from "./parts.ts";

const parts: Part[] = [
	{ kind: "extensions", path: "src/greet.ts", name: "extensions/greet" },
	{ kind: "extensions", path: "src/big/index.ts", name: "extensions/big" },
	{ kind: "skills", path: "skills/pdf/SKILL.md", name: "skills/pdf" },
	{ kind: "prompts", path: "prompts/review.md", name: "prompts/review" },
];

function meant(word: string): string[] | string {
	const outcome = partsMeant(word, parts);
	return outcome.ok ? outcome.value.map(({ path }) => path) : outcome.reason;
}

describe("it is found by", () => {
	const cases: [promise: string, word: string, paths: string[]][] = [
		["its kind and name", "extensions/greet", ["src/greet.ts"]],
		["its file", "./src/greet.ts", ["src/greet.ts"]],
		["its file without the ending", "src/greet", ["src/greet.ts"]],
		["its directory", "src/big/", ["src/big/index.ts"]],
		["a directory above it", "src", ["src/greet.ts", "src/big/index.ts"]],
		["the name of a skill", "skills/pdf", ["skills/pdf/SKILL.md"]],
	];
	test.each(cases)("%s", (_, word, paths) => {
		expect(meant(word)).toEqual(paths);
	});
});

test("a typo is answered with the nearest name, anything else with all names", () => {
	expect(meant("skills/pfd")).toBe("It has no skills/pfd. Did you mean skills/pdf?");
	expect(meant("zzzzzzzzzzz")).toStartWith("It has no zzzzzzzzzzz. Available: extensions/greet, ");
});

test("property: any input selects items of the package, or nothing", () => {
	fc.assert(
		fc.property(fc.string(), (word) => {
			const outcome = partsMeant(word, parts);
			if (outcome.ok) for (const part of outcome.value) expect(parts).toContain(part);
			else expect(outcome.reason).not.toBe("");
		}),
	);
});
