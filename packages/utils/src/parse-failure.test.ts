/** The message about a file that cannot be parsed quotes nothing of the file that may be a key. */
import { expect, test } from "bun:test";

import { parseFailure } from "./parse-failure.ts";

const parsers: Record<string, (text: string) => unknown> = {
	JSON: (text) => JSON.parse(text) as unknown,
	JSONC: (text) => Bun.JSONC.parse(text),
	YAML: (text) => Bun.YAML.parse(text),
	TOML: (text) => Bun.TOML.parse(text),
};
const texts = [
	'{"a": S3CR3T-abc}',
	'{"apiKey": "S3CR3T',
	'{"a":1} S3CR3T',
	'{"k": "x" "S3CR3T"}',
	'{"k": "x", S3CR3T: 1 2}',
	"a: b: S3CR3T",
	"k: *S3CR3T",
	"k = S3CR3T",
	"k S3CR3T.and.more",
	"{S3CR3T hunter-two",
];

test("no parser's message shows a value of the file", () => {
	let failures = 0;
	for (const [name, parse] of Object.entries(parsers))
		for (const text of texts)
			try {
				parse(text);
			} catch (error) {
				failures++;
				const shown = parseFailure(error, text);
				expect([name, text, shown]).toEqual([
					name,
					text,
					expect.not.stringMatching(/S3CR3T|hunter|abc|and\.more/),
				]);
				expect(shown.length).toBeGreaterThan(10);
			}
	expect(failures).toBeGreaterThan(20);
});

test("what is no word of the file stays", () => {
	const error = new Error(`JSONC Parse error: Expected "," but found "}"`);
	expect(parseFailure(error, '{"a": 1 }}')).toBe(error.message);
	expect(parseFailure(new Error("Unterminated string literal"), '{"string": "')).toBe(
		"Unterminated string literal",
	);
});
