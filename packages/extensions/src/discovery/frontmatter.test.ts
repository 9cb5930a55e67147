/** The head of a Markdown file is read as it is meant, and what is wrong with it is told with the line. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { parseDocument } from "./frontmatter.ts";

test("fields and text are told apart, with every kind of line end", () => {
	for (const end of ["\n", "\r\n"]) {
		const text = ["---", "name: a", "list:", "  - x", "---", "Body", "---", ""].join(end);
		const { fields, body, problem } = parseDocument(text);
		expect(fields).toEqual({ name: "a", list: ["x"] });
		expect(body).toBe(["Body", "---", ""].join(end));
		expect(problem).toBeUndefined();
	}
});

test("a file without a head is all text, and an empty head is a head", () => {
	expect(parseDocument("no --- head")).toEqual({ fields: {}, body: "no --- head" });
	expect(parseDocument("---\n---\nx")).toEqual({ fields: {}, body: "x" });
});

test("a colon in a description is taken as it is meant, and told with its line", () => {
	const { fields, problem } = parseDocument(
		"---\nname: pdf\ndescription: Use it: always\nargument-hint: [a] [b]\n---\n",
	);
	expect(fields).toEqual({ name: "pdf", description: "Use it: always", "argument-hint": "[a] [b]" });
	expect(problem).toEqual({ line: 3, message: '"description" is not valid YAML: quote its value' });
});

test("a fault below a long field is reported with its own line", () => {
	const { problem } = parseDocument("---\na: |\n  one\n  two\nb: [1\n---\n");
	expect(problem?.line).toBe(5);
});

test("a head that is never closed is reported", () => {
	expect(parseDocument("---\nname: a\n").problem).toEqual({
		line: 1,
		message: "the front matter is not closed by a line ---",
	});
	expect(parseDocument("---\n- a\n- b\n---\n").problem?.line).toBe(2);
});

test("whatever is in a file, it is read", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), fc.string(), (head, body) => {
			expect(typeof parseDocument(`---\n${head}\n---\n${body}`).body).toBe("string");
		}),
		{ numRuns: 300 },
	);
});
