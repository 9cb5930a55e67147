import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";

import { samples } from "../../../../../test/support/depth.ts";
import { fixtureLines } from "../fixtures/read.ts";
import { NotUnderstood } from "./cursor.ts";
import { parseScript } from "./parser.ts";

const folder = await mkdtemp(join(tmpdir(), "tau-parser-"));
afterAll(() => rm(folder, { recursive: true, force: true }), 60_000);

/** Whether bash accepts each script, without running any of them. */
async function acceptedByBash(scripts: readonly string[]): Promise<boolean[]> {
	await Promise.all(scripts.map((script, index) => writeFile(join(folder, String(index)), `${script}\n`)));
	const loop = `cd "$1"; for ((i = 0; i < ${scripts.length}; i++)); do bash -n $i 2> /dev/null && echo yes || echo no; done`;
	const bash = Bun.spawn(["bash", "-c", loop, "_", folder], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "ignore",
	});
	const answers = (await bash.stdout.text()).trim().split("\n");
	return answers.map((answer) => answer === "yes");
}

function isUnderstood(script: string): boolean {
	try {
		parseScript(script);
		return true;
	} catch (error) {
		if (error instanceof NotUnderstood) return false;
		throw error;
	}
}

const pieces = [
	"ls",
	"rm a",
	"echo $x",
	"$(",
	")",
	"(",
	"{ ",
	"; }",
	"`",
	"'a'",
	'"b"',
	'"',
	"'",
	";",
	"&&",
	"||",
	"|",
	"&",
	"\n",

	"if true",
	"; then ",
	"; fi",
	"for x in a b",
	"; do ",
	"; done",
	"case x in ",
	"x) ",
	";; esac",
	"while false",
	"!",

	"time ",
	"<<EOF\n",
	"EOF\n",
	"> f",
	"2>&1",
	"<(",
	"x=1 ",
	"a=(1 2)",
	"$((",
	"))",
	"((1+1))",
	"[[ a == b ]]",
	"${x:-y}",

	"${x",
	"}",
	"f() ",
	"#",
	"\\\n",
	"$'a\\'b'",
	"{a,b}",
	"*",
	"~",
	"elif ",
	"else ",
	"function g ",
	"< in",
	"<<< w",
	"&> o",
	">&2",
	"-p",
	"in ",
	"do ",
	"done",
	"\\;",
	" ",
];

/** The same scripts each time: `TAU_TEST_SEED` looks for others. */
const seed = Number(process.env.TAU_TEST_SEED ?? 20_261_115);

describe("the parser of shell commands", () => {
	test("refuses a list behind a redirection, where bash accepts it in some cases only", () => {
		for (const script of ["a=(1 2) 2>&1 a=(1 2) done", "a=1 > f b=(1)", "declare > f b=(1)"])
			expect(isUnderstood(script)).toBe(false);
	});

	test("understands nothing that bash rejects, in scripts of random pieces", async () => {
		const scripts = fc
			.sample(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 }), {
				numRuns: samples(1200),
				seed,
			})
			.map((some) => some.join(" "));
		const accepted = await acceptedByBash(scripts);
		expect(scripts.filter((script, index) => isUnderstood(script) && !accepted[index])).toEqual([]);
	});

	test("agrees with bash on every command of the corpus, but for what it refuses on purpose", async () => {
		const scripts = [
			...fixtureLines("corpus.txt").filter((line) => !line.startsWith("#")),
			...fixtureLines("strace.txt"),
		];
		const accepted = await acceptedByBash(scripts);
		const different = scripts.filter((script, index) => isUnderstood(script) !== accepted[index]);
		expect(different).toEqual(["echo ${!x}", 'echo "$\\\n(rm a)"', "cat <<EOF\n$(rm a\nEOF", "coproc rm a"]);
	});

	test("reads quotes and escapes as bash does", () => {
		const words = (script: string): string[] => {
			const node = parseScript(script).items[0]?.node;
			if (node?.kind !== "simple") throw new Error("not simple");
			return node.words.map((word) => word.parts.map((part) => part.text).join(""));
		};
		expect(words(`a 'b c' "d e" f\\ g $'h\\ti\\x41\\'' j"k"'l'm`)).toEqual([
			"a",
			"b c",
			"d e",
			"f g",
			"h\tiA'",
			"jklm",
		]);
		expect(words('a "b\\"c\\$d\\e" # comment')).toEqual(["a", 'b"c$d\\e']);
		expect(words("a\\\nb c \\\n d")).toEqual(["ab", "c", "d"]);
	});
});
