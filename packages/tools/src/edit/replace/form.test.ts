/** A unique text is replaced; a whitespace mistake is tolerated if it is safe, and everything else is explained. */
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { callTool, testToolEnv, textOf } from "../../../../../test/support/tool-env.ts";
import { edit } from "../tool.ts";
import {
	forgivenBlanks,
	indentedCode,
	keptLineEnds,
	lineEndEdit,
} from "../../../../../test/support/edit-calls.ts";

interface Outcome {
	file: string;
	text: string;
	isError: boolean;
	details: Record<string, unknown>;
}

async function replace(before: string, ...edits: Record<string, unknown>[]): Promise<Outcome> {
	await using env = await testToolEnv();
	const path = env.resolve("f.txt");
	writeFileSync(path, before);
	const result = await callTool(edit.bind(env), { path: "f.txt", edits });
	return {
		file: readFileSync(path, "utf8"),
		text: textOf(result),
		isError: result.isError === true,
		details: (result.details ?? {}) as Record<string, unknown>,
	};
}

describe("a unique text", () => {
	test("is replaced, and the result says where", async () => {
		const outcome = await replace("one\ntwo\nthree\n", { oldText: "two", newText: "2\nzwei" });
		expect(outcome.file).toBe("one\n2\nzwei\nthree\n");
		expect(outcome.text).toBe("Edited f.txt: lines 2-3 (+2 -1).");
		expect(outcome.details).toEqual({
			diff: " 1 one\n-2 two\n+2 2\n+3 zwei\n 4 three",
			patch: "--- f.txt\n+++ f.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+zwei\n three",
			truncated: false,
			firstChangedLine: 2,
			files: [{ path: "f.txt", kind: "edited", added: 2, removed: 1 }],
		});
	});

	test("may be part of a line, or be removed", async () => {
		expect((await replace("let a = 1;\n", { oldText: " = 1", newText: "" })).file).toBe("let a;\n");
		const gone = await replace("a\nb\nc\n", { oldText: "b\n", newText: "" });
		expect([gone.file, gone.text]).toEqual(["a\nc\n", "Edited f.txt: deleted after line 1 (+0 -1)."]);
	});

	test("is literal: nothing in it is a pattern", async () => {
		expect((await replace("a.*b $1\n", { oldText: ".*", newText: "$&$1$$" })).file).toBe("a$&$1$$b $1\n");
	});

	test.each(keptLineEnds)("%s: kept", async (_, before, after) => {
		expect((await replace(before, lineEndEdit)).file).toBe(after);
	});
});

describe("several edits", () => {
	test("all refer to the original file", async () => {
		const edits = [
			{ oldText: "three", newText: "one" },
			{ oldText: "one", newText: "three" },
		];
		const { file, text } = await replace("one\ntwo\nthree\n", ...edits);
		expect([file, text]).toEqual(["three\ntwo\none\n", "Edited f.txt: lines 1, 3 (+2 -2)."]);
	});

	test("are applied together or not at all", async () => {
		const edits = [
			{ oldText: "one", newText: "1" },
			{ oldText: "zwei", newText: "2" },
		];
		const { file, text } = await replace("one\ntwo\n", ...edits);
		expect(file).toBe("one\ntwo\n");
		expect(text).toStartWith("edits[1].oldText does not occur in f.txt.");
		expect(text).toEndWith("Nothing was changed.");
	});

	test("that overlap are rejected", async () => {
		const edits = [
			{ oldText: "one two", newText: "x" },
			{ oldText: "two", newText: "y" },
		];
		const { file, text } = await replace("one two\n", ...edits);
		expect(file).toBe("one two\n");
		expect(text).toBe("Two edits touch the same text in line 1. Combine them. Nothing was changed.");
	});
});

describe("text that occurs several times", () => {
	test("is rejected with the line numbers", async () => {
		const { file, text, isError } = await replace("a\nb\na\n", { oldText: "a", newText: "x" });
		expect([file, isError]).toEqual(["a\nb\na\n", true]);
		expect(text).toBe(
			"oldText occurs 2 times in f.txt, at lines 1, 3. Include more surrounding lines, or set `all`.\nNothing was changed.",
		);
	});

	test("is replaced everywhere with `all`", async () => {
		const { file, text } = await replace("a\nb\naa\n", { oldText: "a", newText: "x", all: true });
		expect([file, text]).toEqual(["x\nb\nxx\n", "Edited f.txt: lines 1, 3 (+2 -2)."]);
	});
});

describe("whitespace differences are tolerated", () => {
	test.each(forgivenBlanks)("%s", async (_, oldText, newText, after) => {
		const { file, text, isError } = await replace(indentedCode, { oldText, newText });
		expect(isError ? text : file).toBe(after);
		expect(text).toContain("Matched ignoring");
	});

	test("including look-alike characters", async () => {
		const edit_ = { oldText: 'He said "so" - twice', newText: "Silence" };
		expect((await replace("He said “so” – twice\n", edit_)).file).toBe("Silence\n");
	});

	test("unless two positions match", async () => {
		const { file, text } = await replace("  a();\n\ta();\n", { oldText: "    a();", newText: "b();" });
		expect(file).toBe("  a();\n\ta();\n");
		expect(text).toContain("ignoring whitespace it occurs at lines 1, 2");
	});

	test("unless the indentation of the file is ambiguous", async () => {
		const before = "if x:\n  a()\n    b()\n";
		const { file, text } = await replace(before, { oldText: "a()\nb()", newText: "a()\nc()\nb()" });
		expect(file).toBe(before);
		expect(text).toContain("occurs with different indentation at line 2");
	});

	test("while unchanged lines keep their whitespace", async () => {
		const { file } = await replace("a  \nb\nc\t\n", { oldText: "a\nb\nc", newText: "a\nB\nc" });
		expect(file).toBe("a  \nB\nc\t\n");
	});
});

describe("indentation that differs from the file", () => {
	const python = "def f():\n    if a:\n        if b:\n            one()\n            two()\n";

	test("regression: a missing level is not mistaken for another level width", async () => {
		const { file } = await replace(python, {
			oldText: "        one()\n",
			newText: "        if c:\n            one()\n",
		});
		expect(file).toBe(python.replace("            one()\n", "            if c:\n                one()\n"));
	});

	test("regression: one line with too little indentation is not mistaken for the end of a longer line", async () => {
		const edit_ = { oldText: "    one()", newText: "    if c:\n        one()" };
		const { file, text } = await replace(python, edit_);
		expect(file).toBe(python.replace("one()", "if c:\n                one()"));
		expect(text).toContain("Matched ignoring indentation; the new text was indented to fit.");
	});

	test("a line is removed with all of its indentation", async () => {
		const { file } = await replace(python, { oldText: "one()\n", newText: "" });
		expect(file).toBe(python.replace("            one()\n", ""));
	});

	test("the line that starts like the text is matched, not a deeper one", async () => {
		const before = "    x()\n        x()\n";
		expect((await replace(before, { oldText: "    x()", newText: "    y()" })).file).toBe(
			"    y()\n        x()\n",
		);
		const within = "a x()\n  x()\n";
		expect((await replace(within, { oldText: " x()", newText: "" })).isError).toBe(true);
	});

	test("new lines that are indented like the file stay unchanged if the first line lacks its indentation", async () => {
		const code = "class A {\n    one();\n    two();\n}\n";
		const { file } = await replace(code, { oldText: "one();", newText: "one();\n    1.5();" });
		expect(file).toBe(code.replace("one();", "one();\n    1.5();"));
	});

	test("if both interpretations are possible, nothing is changed", async () => {
		const list = "- a\n  - b\n  - c\n";
		const { file, text } = await replace(list, { oldText: "- b", newText: "- b\n  - d" });
		expect(file).toBe(list);
		expect(text).toBe(
			"oldText occurs at line 2 of f.txt with more indentation, so it is unclear how newText should be indented. " +
				"Copy the lines with their full indentation.\nNothing was changed.",
		);
	});
});

describe("text that does not exist", () => {
	test("is shown beside the nearest match", async () => {
		const before = "function add(a, b) {\n\treturn a + b;\n}\n\nfunction sub(a, b) {\n\treturn a - b;\n}\n";
		const { text } = await replace(before, {
			oldText: "function sub(a, b) {\n\treturn a-b;\n}",
			newText: "",
		});
		expect(text).toBe(
			[
				"oldText does not occur in f.txt. The closest match is at line 5; - is oldText, + is the file:",
				" function sub(a, b) {",
				"-\treturn a-b;",
				"+\treturn a - b;",
				" }",
				"Nothing was changed.",
			].join("\n"),
		);
	});

	test("is matched by its letters if no line is equal", async () => {
		const { text } = await replace("alpha\nconst total = items.length;\nomega\n", {
			oldText: "const totals = item.length;",
			newText: "",
		});
		expect(text).toContain("The closest match is at line 2");
	});

	test("without a similar text is only reported as missing", async () => {
		const { text } = await replace("alpha\n", { oldText: "zzzz", newText: "" });
		expect(text).toBe("oldText does not occur in f.txt.\nNothing was changed.");
	});
});

test("an edit that changes nothing is reported as such", async () => {
	const { text, isError } = await replace("a\n", { oldText: "a", newText: "a" });
	expect([text, isError]).toEqual(["Nothing changed: f.txt already reads like that.", true]);
});

test("empty text is rejected by name", async () => {
	expect((await replace("a\n", { oldText: "", newText: "b" })).text).toContain("edits.0.oldText");
});
