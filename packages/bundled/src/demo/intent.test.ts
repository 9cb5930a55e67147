/** Prompts are understood as users mean them. */
import { describe, expect, test } from "bun:test";

import fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { type Intent, readIntent } from "./intent.ts";

const meant: Readonly<Record<string, Intent>> = {
	"What is in this project?": { kind: "describe" },
	"what's in here": { kind: "describe" },
	"what is in src/a.ts?": { kind: "read", path: "src/a.ts" },
	"what's in the file notes": { kind: "read", path: "notes" },
	"describe the current repo": { kind: "describe" },
	"what does this project do?": { kind: "describe" },
	"can you summarize this codebase please": { kind: "describe" },
	Hello: { kind: "greet" },
	"who are you?": { kind: "greet" },
	"tour please": { kind: "tour" },
	"take a quick tour": { kind: "tour" },
	"find foo": { kind: "find", what: "foo" },
	"where is `loadConfig` defined?": { kind: "find", what: "loadConfig" },
	"search for “two words” in this project": { kind: "find", what: "two words" },
	"find all uses of the function paint()": { kind: "find", what: "paint()" },
	"read README": { kind: "read", path: "README" },
	"show me the file src/a.ts": { kind: "read", path: "src/a.ts" },
	"show 'my file.txt' lines 2-3": { kind: "read", path: "my file.txt", from: 2, to: 3 },
	"cat @src/a.ts": { kind: "read", path: "src/a.ts" },
	"read a.ts:9": { kind: "read", path: "a.ts", from: 9, to: 9 },
	"show the first 4 lines of a.ts": { kind: "read", path: "a.ts", from: 1, to: 4 },
	'call grep {"pattern": "x"}': { kind: "call", tool: "grep", arguments: { pattern: "x" } },
	"use the tool todo": { kind: "call", tool: "todo", arguments: {} },
	"run the tests": { kind: "test", fix: false },
	"Please run all tests.": { kind: "test", fix: false },
	"run the tests and fix what fails": { kind: "test", fix: true },
	"run test -f a.txt": { kind: "run", command: "test -f a.txt", loose: false },
	"run the linter on all files": { kind: "other" },
	"run ls -la": { kind: "run", command: "ls -la", loose: false },
	"$ ls": { kind: "run", command: "ls", loose: false },
	'run "ls -la"': { kind: "run", command: "ls -la", loose: false },
	'run "a b" "c"': { kind: "run", command: '"a b" "c"', loose: false },
	"Run the command: git log": { kind: "run", command: "git log", loose: false },
	"replace foo with bar baz in a.txt": { kind: "replace", path: "a.txt", before: "foo", after: "bar baz" },
	'replace "a with b" with "c in d" in "e f.txt"': {
		kind: "replace",
		path: "e f.txt",
		before: "a with b",
		after: "c in d",
	},
	"in a.txt, change 1 to 2": { kind: "replace", path: "a.txt", before: "1", after: "2" },
	'replace the word "x" with "" in the file a.txt': {
		kind: "replace",
		path: "a.txt",
		before: "x",
		after: "",
	},
	"replace ```\na\nb\n``` with ```\nc\n``` in a.txt": {
		kind: "replace",
		path: "a.txt",
		before: "a\nb",
		after: "c",
	},
	"create a.txt with hello": { kind: "create", path: "a.txt", text: "hello\n" },
	'create "a b.txt" with "x"': { kind: "create", path: "a b.txt", text: "x" },
	"create a new file called notes with the text: hi": { kind: "create", path: "notes", text: "hi\n" },
	"create a.md:\n# A": { kind: "create", path: "a.md", text: "# A\n" },
	"create a.ts with\n```ts\nx;\n```": { kind: "create", path: "a.ts", text: "x;\n" },
	"write 'hi' to a.txt": { kind: "create", path: "a.txt", text: "hi" },
	"create an empty file empty.txt": { kind: "create", path: "empty.txt", text: "" },
	"think hard about life": { kind: "think", about: "life" },
	"stream 2k lines": { kind: "stream", lines: 2_000 },
	"stream 10,000 lines of markdown": { kind: "stream", lines: 10_000 },
};

const notMeant = [
	"create a web server with express",
	"create login with google",
	"show me the money",
	"write a poem to me",
	"replace everything",
	"add tests/",
	"make it faster",
	"run",
	"find",
	"",
	"help",
];

describe("a prompt means", () => {
	for (const [prompt, intent] of Object.entries(meant)) {
		test(`${JSON.stringify(prompt)}: ${intent.kind}`, () => expect(readIntent(prompt)).toEqual(intent));
	}
	for (const prompt of notMeant) {
		test(`${JSON.stringify(prompt)}: nothing the demo knows`, () =>
			expect(readIntent(prompt).kind).toBe("other"));
	}
});

test("property: a quoted replacement is parsed exactly, whatever is in the quotes", () => {
	const quoted = fc
		.string({ unit: anyCharacter, maxLength: 30 })
		.map((value) => value.replaceAll(/["\0]/g, "x"));
	fc.assert(
		fc.property(quoted, quoted, (before, after) => {
			fc.pre(before !== "");
			const prompt = `replace "${before}" with "${after}" in a.txt`;
			expect(readIntent(prompt)).toEqual({ kind: "replace", path: "a.txt", before, after });
		}),
	);
});

test("property: any prompt has a meaning", () => {
	const word = fc.constantFrom(
		"replace",
		"with",
		"in",
		"create",
		"find",
		"read",
		"run",
		'"',
		"`",
		"```",
		"\n",
		"a.txt",
		"lines",
		"1-2",
		" ",
		"the",
		"file",
	);
	fc.assert(
		fc.property(
			fc.array(fc.oneof(word, fc.string({ unit: anyCharacter, maxLength: 8 })), { maxLength: 20 }),
			(words) => {
				expect(readIntent(words.join(" ")).kind).toBeString();
				expect(readIntent(words.join("")).kind).toBeString();
			},
		),
	);
});
