/** The frontmatter of a Markdown file is parsed leniently, and mistakes are reported with their line. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { samples } from "../../../../test/support/depth.ts";
import { parseDocument } from "./frontmatter.ts";

test("fields and text are separated, with every kind of line ending", () => {
	for (const end of ["\n", "\r\n"]) {
		const text = ["---", "name: a", "list:", "  - x", "---", "Body", "---", ""].join(end);
		const { fields, body, problem } = parseDocument(text);
		expect(fields).toEqual({ name: "a", list: ["x"] });
		expect(body).toBe(["Body", "---", ""].join(end));
		expect(problem).toBeUndefined();
	}
});

test("a file without frontmatter is all text, and empty frontmatter is accepted", () => {
	expect(parseDocument("no --- head")).toEqual({ fields: {}, body: "no --- head" });
	expect(parseDocument("---\n---\nx")).toEqual({ fields: {}, body: "x" });
});

test("an unquoted colon in a description is accepted, and reported with its line", () => {
	const { fields, problem } = parseDocument(
		"---\nname: pdf\ndescription: Use it: always\nargument-hint: [a] [b]\n---\n",
	);
	expect(fields).toEqual({ name: "pdf", description: "Use it: always", "argument-hint": "[a] [b]" });
	expect(problem).toEqual({ line: 3, message: '"description" is not valid YAML: quote its value' });
});

test("a mistake below a long field is reported with its own line", () => {
	const { problem } = parseDocument("---\na: |\n  one\n  two\nb: [1\n---\n");
	expect(problem?.line).toBe(5);
});

test("frontmatter that is never closed is reported", () => {
	expect(parseDocument("---\nname: a\n").problem).toEqual({
		line: 1,
		message: "the front matter is not closed by a line ---",
	});
	expect(parseDocument("---\n- a\n- b\n---\n").problem?.line).toBe(2);
});

test("property: every file can be read", () => {
	fc.assert(
		fc.property(fc.string({ unit: anyCharacter }), fc.string(), (head, body) => {
			expect(typeof parseDocument(`---\n${head}\n---\n${body}`).body).toBe("string");
		}),
		{ numRuns: samples(300) },
	);
});
