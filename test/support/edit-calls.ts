/** Calls of `edit` that succeed, with their files: for the tests of the modes and of the guard. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Replaced by `lineEndEdit` in files of each kind. */
export const keptLineEnds: [what: string, before: string, after: string][] = [
	["Windows line ends", "one\r\ntwo\r\n", "one\r\n2\r\nzwei\r\n"],
	["a byte order mark", "\ufeffone\ntwo\n", "\ufeffone\n2\nzwei\n"],
	["an open last line", "one\ntwo", "one\n2\nzwei"],
	["carriage returns alone", "one\rtwo\r", "one\r2\rzwei\r"],
	["mixed line ends", "one\ntwo\r\nthree\n", "one\n2\nzwei\r\nthree\n"],
];

export const lineEndEdit = { oldText: "one\ntwo", newText: "one\r\n2\r\nzwei" };

export const indentedCode = "class A {\n\trun() {\n\t\tone();\n\t\ttwo();\n\t}\n}\n";

/** Edits of `indentedCode`. */
export const forgivenBlanks: [what: string, oldText: string, newText: string, after: string][] = [
	[
		"blanks at line ends",
		"\t\tone();  \n\t\ttwo();",
		"\t\tone();\n\t\t2();",
		indentedCode.replace("two", "2"),
	],
	[
		"no indentation at all: the new lines get the file's",
		"one();\ntwo();",
		"if (x) {\n\tthree();\n}",
		indentedCode.replace("\t\tone();\n\t\ttwo();", "\t\tif (x) {\n\t\t\tthree();\n\t\t}"),
	],
	[
		"blanks where the file has tabs, one step deeper too",
		"    run() {\n        one();\n        two();\n    }",
		"    run() {\n        for (;;) {\n            one();\n        }\n    }",
		indentedCode.replace("\t\tone();\n\t\ttwo();", "\t\tfor (;;) {\n\t\t\tone();\n\t\t}"),
	],
	[
		"too much of it",
		"\t\t\t\tone();\n\t\t\t\ttwo();",
		"\t\t\t\t1();\n\t\t\t\t\t2();",
		indentedCode.replace("one", "1").replace("\ttwo", "\t\t2"),
	],
	[
		"blank lines around",
		"\n\n\t\tone();\n\t\ttwo();  \n\n",
		"\n\n\t\t1();\n\n",
		indentedCode.replace("one();\n\t\ttwo", "1"),
	],
];

export const five = "one\ntwo\nthree\nfour\nfive\n";

/** Edits of `five` by line numbers. */
export const lineEdits: [what: string, edits: Record<string, unknown>[], after: string][] = [
	["are replaced", [{ from: 2, to: 3, text: "x" }], "one\nx\nfour\nfive\n"],
	["are replaced one by one", [{ from: 2, text: "x\ny" }], "one\nx\ny\nthree\nfour\nfive\n"],
	["go away with an empty text", [{ from: 1, to: 4, text: "" }], "five\n"],
	["become an empty one with a line feed", [{ from: 2, text: "\n" }], "one\n\nthree\nfour\nfive\n"],
	["are put behind one", [{ after: 5, text: "six\n" }], `${five}six\n`],
	["are put at the top", [{ after: 0, text: "zero" }], `zero\n${five}`],
	[
		"change in several places, counted as they were",
		[
			{ from: 5, text: "5" },
			{ after: 1, text: "1.5" },
			{ from: 2, to: 3, text: "" },
		],
		"one\n1.5\nfour\n5\n",
	],
	[
		"are put in one place in the order of the call",
		[
			{ after: 1, text: "a" },
			{ after: 1, text: "b" },
		],
		"one\na\nb\ntwo\nthree\nfour\nfive\n",
	],
	[
		"are taken with numbers that were copied",
		[{ from: 2, to: 3, text: "2:x\n3:y" }],
		"one\nx\ny\nfour\nfive\n",
	],
];

/** Edits by line numbers at the end of a file. */
export const lastLineEdits: [before: string, edit: Record<string, unknown>, after: string][] = [
	["a\nb", { after: 2, text: "c" }, "a\nb\nc"],
	["a\nb", { from: 2, text: "" }, "a"],
	["a\nb", { from: 2, text: "c\n" }, "a\nc"],
	["", { after: 0, text: "a" }, "a\n"],
	["a\r\nb\r\n", { from: 1, text: "x\ny" }, "x\r\ny\r\nb\r\n"],
	["a\rb\r", { from: 2, text: "x\ny" }, "a\rx\ry\r"],
	["\ufeffa\n", { from: 1, text: "x" }, "\ufeffx\n"],
];

const fixtures = join(import.meta.dir, "../../packages/tools/src/edit/apply-patch/fixtures");

/** Patches with the directory in which each is applied; many are rejected. */
export const patchFixtures: { name: string; directory: string; input: string }[] = readdirSync(fixtures)
	.toSorted()
	.map((name) => ({
		name,
		directory: join(fixtures, name, "input"),
		input: readFileSync(join(fixtures, name, "patch.txt"), "utf8"),
	}));
