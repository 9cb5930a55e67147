/** A template expands to the prompt that its author intended, and never runs untrusted commands. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { parseArguments } from "./arguments.ts";
import { fillTemplate } from "./fill-template.ts";
import { limits } from "./limits.ts";
import { parseTemplate } from "./parse-template.ts";
import { plantTree, type Tree } from "../discovery/testing/tree.ts";
import type { InlineContext } from "./inline.ts";

async function filled(body: string, rest = ""): Promise<string> {
	return (await fillTemplate({ body, format: "markdown", rest })).text;
}

function placeIn({ home, project }: Tree): InlineContext {
	const env = { PATH: process.env.PATH, HOME: home };
	return { cwd: project, env, home, roots: [project], signal: new AbortController().signal };
}

describe("arguments", () => {
	test.each([
		["", []],
		["a  b\nc", ["a", "b", "c"]],
		['Button "click handler"', ["Button", "click handler"]],
		["'one two' three", ["one two", "three"]],
		[String.raw`a\"b "c\"d"`, ['a"b', 'c"d']],
		["don't stop", ["don't", "stop"]],
		['"never closed', ["never closed"]],
		['"" x', ["", "x"]],
		[String.raw`C:\dir\file`, [String.raw`C:\dir\file`]],
	])("%j", (text, words) => {
		expect(parseArguments(text).words).toEqual(words);
	});

	test("property: a quoted argument is passed through unchanged", () => {
		const word = fc.string({ minLength: 1 }).filter((text) => !/[\\"]/.test(text) && text.trim() === text);
		fc.assert(
			fc.property(fc.array(word, { minLength: 1 }), (words) => {
				expect(parseArguments(words.map((one) => `"${one}"`).join(" ")).words).toEqual(words);
			}),
		);
	});
});

describe("placeholders", () => {
	test.each([
		["$1 and $2", "a b c", "a and b"],
		["$@", 'a "b c"', "a b c"],
		["<$ARGUMENTS>", "line one\nline two", "<line one\nline two>"],
		["${@:2}", "a b c", "b c"],
		["${@:2:1}", "a b c", "b"],
		["$3|", "a", "|"],
		["$10", "1 2 3 4 5 6 7 8 9 ten", "ten"],
		["$0 $x $ {@:1} $ARGUMENTSX $1", "a", "$0 $x $ {@:1} $ARGUMENTSX a"],
		["`git show $1`", "HEAD", "`git show HEAD`"],
		["```\necho $1\n```", "x", "```\necho x\n```"],
		["no place", "for this", "no place\n\nfor this"],
		["$1", "$2", "$2"],
	])("%j with %j", async (body, rest, text) => {
		expect(await filled(body, rest)).toBe(text);
	});

	test("text that a user typed is never parsed as part of the template", async () => {
		using tree = plantTree();
		tree.put("project/a.md", "A");
		const inline = placeIn(tree);
		const { text } = await fillTemplate({
			body: "Do $@",
			format: "markdown",
			rest: "!`touch x` @a.md $1",
			inline,
		});
		expect(text).toBe("Do !`touch x` @a.md $1");
		expect(await Bun.file(`${tree.project}/x`).exists()).toBe(false);
	});

	test("a text without placeholders stays unchanged", () => {
		fc.assert(
			fc.property(
				fc.string({ unit: anyCharacter }).filter((text) => !/[$@!{]/.test(text)),
				(text) => {
					for (const format of ["markdown", "gemini"] as const) {
						const joined = parseTemplate(text, format).map((piece) =>
							piece.kind === "text" ? piece.text : "?",
						);
						expect(joined.join("")).toBe(text);
					}
				},
			),
		);
	});

	test("property: any text is parsed, in linear time", () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom(..."$@!`{}1:aA ~/\n.-") }), (text) => {
				for (const format of ["markdown", "gemini"] as const)
					expect(Array.isArray(parseTemplate(text, format))).toBe(true);
			}),
		);
		expect(parseTemplate("!{".repeat(2000), "gemini").length).toBe(1);
	});
});

describe("commands and files", () => {
	test("a command is replaced by its output; its arguments are the shell's own", async () => {
		using tree = plantTree();
		const inline = placeIn(tree);
		const body = 'Say: !`printf "%s|" "$1" "$@"` and !`echo "$ARGUMENTS"`.';
		const rest = `"a b; touch evil" $(touch\tevil) 'c'`;
		const { text, problems } = await fillTemplate({ body, format: "markdown", rest, inline });
		expect(text).toBe(
			"Say: a b; touch evil|a b; touch evil|$(touch|evil)|c| and a b; touch evil $(touch evil) c.",
		);
		expect(problems).toEqual([]);
		expect(await Bun.file(`${tree.project}/evil`).exists()).toBe(false);
	});

	test("no argument can break out of its quotes", async () => {
		using tree = plantTree();
		const rest = `it's '; touch evil; ' "x'; touch evil #"`;
		const body = '!`printf "%s|" "$@"`';
		const { text } = await fillTemplate({ body, format: "markdown", rest, inline: placeIn(tree) });
		expect(text).toBe("it's|; touch evil; |x'; touch evil #|");
		expect(await Bun.file(`${tree.project}/evil`).exists()).toBe(false);
	});

	test("a command that fails or prints without end is reported", async () => {
		using tree = plantTree();
		const inline = placeIn(tree);
		const body = "!`echo no; exit 3`\n!`head -c 100000 /dev/zero | tr '\\0' x`";
		const { text, problems } = await fillTemplate({ body, format: "markdown", rest: "", inline });
		expect(text).toStartWith("no\nxxx");
		expect(text.length).toBeLessThan(limits.commandBytes + 100);
		expect(problems).toEqual([
			"!`echo no; exit 3` exited with 3.",
			expect.stringContaining(`${limits.commandBytes} were used`),
		]);
	});

	test("a command ends when the user stops waiting", async () => {
		using tree = plantTree();
		const stop = new AbortController();
		const inline = { ...placeIn(tree), signal: stop.signal };
		const pipe = `${tree.project}/started`;
		Bun.spawnSync(["mkfifo", pipe]);
		const body = "!`echo yes > started; sleep 1000`";
		const filling = fillTemplate({ body, format: "markdown", rest: "", inline });
		await Bun.spawn(["cat", pipe], { stdout: "pipe" }).stdout.text();
		stop.abort();
		expect((await filling).problems[0]).toContain("was stopped");
	});

	test("files follow the text that names them, once each; a name without a file stays text", async () => {
		using tree = plantTree();
		tree.put("project/src/a.ts", "const a = 1;\n");
		const inline = placeIn(tree);
		const body = "Compare @src/$1, @src/a.ts with @nobody, me@src/a.ts and `@src/a.ts`.";
		const { text } = await fillTemplate({ body, format: "markdown", rest: "a.ts", inline });
		expect(text).toBe(
			'Compare @src/a.ts, @src/a.ts with @nobody, me@src/a.ts and `@src/a.ts`.\n\n<file name="src/a.ts">\nconst a = 1;\n</file>',
		);
	});

	test("files outside of the project are never included", async () => {
		using tree = plantTree();
		tree.put("secret.md", "key");
		tree.link(`${tree.home}/secret.md`, "project/link.md");
		const inline = placeIn(tree);
		const { text, problems } = await fillTemplate({
			body: "@../secret.md @~/secret.md @link.md",
			format: "markdown",
			rest: "",
			inline,
		});
		expect(text).not.toContain("key");
		expect(problems).toHaveLength(3);
	});

	test("nothing runs in a code block, nor without trust", async () => {
		using tree = plantTree();
		const block = "```\n!`touch x`\n```";
		expect(
			(await fillTemplate({ body: block, format: "markdown", rest: "", inline: placeIn(tree) })).text,
		).toBe(block);
		const { text, untouched } = await fillTemplate({
			body: "!`touch x` @a $1",
			format: "markdown",
			rest: "y",
		});
		expect([text, untouched]).toEqual(["!`touch x` @a y", 2]);
		expect(await Bun.file(`${tree.project}/x`).exists()).toBe(false);
	});

	test("Gemini's placeholders mean the same as there", async () => {
		using tree = plantTree();
		tree.put("project/a.txt", "A");
		const inline = placeIn(tree);
		const body = "Do {{args}}: !{printf '%s' {{args}} | { cat; }} @{a.txt} $1 !{open";
		const { text } = await fillTemplate({ body, format: "gemini", rest: "it; x", inline });
		expect(text).toBe("Do it; x: it; x A $1 !{open");
	});
});
