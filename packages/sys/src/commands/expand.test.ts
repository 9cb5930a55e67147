/** Words are expanded as bash expands them, or not at all. */
import { expect, test } from "bun:test";

import fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { literalArg } from "./args.ts";
import { expandWord } from "./expand.ts";
import { ShellState } from "./shell-state.ts";
import { NotUnderstood } from "./syntax/cursor.ts";
import { parseScript } from "./syntax/parser.ts";

/** What a word may be made of; `{a},b}`, `$x{a,b}` and `x=~` have surprised us. */
const pieces =
	`{ } , .. a b -o ' " \\ $x \${x} $y ~ = $'\\x41' {a,b} {1..3} \\\n $ # + @ : / {,} {a} '' \\{ \\, x= [ ] $"t" {a, ,b} é`.split(
		" ",
	);
const home = "/home/u";
const seed = Number(process.env.TAU_TEST_SEED ?? 20_261_116);

/** Undefined where the judge does not claim to know the words. */
function judged(word: string): string[] | undefined {
	try {
		const { items } = parseScript(`p ${word}`);
		const node = items[0]?.node;
		if (items.length !== 1 || node?.kind !== "simple" || node.redirects.length > 0) return undefined;
		const known = [["x", literalArg("vx")] as const, ["y", literalArg("a b")] as const];
		const state = new ShellState(["/"], known);
		const args = node.words.slice(1).flatMap((each) => expandWord(each, { state, home }));
		const values = args.flatMap(({ value }) => (value === undefined ? [] : [value]));
		return values.length === args.length ? values : undefined;
	} catch (error) {
		if (error instanceof NotUnderstood) return undefined;
		throw error;
	}
}

async function expandedByBash(words: readonly string[]): Promise<string[][]> {
	const script = `cd /; x=vx y='a b' HOME=${home}; p() { (($# == 0)) || printf '%s\\0' "$@"; }; for w; do eval "p $w"; printf '\\1'; done`;
	const bash = Bun.spawn(["bash", "-c", script, "_", ...words], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "ignore",
	});
	const output = await bash.stdout.text();
	return output
		.split("\u{1}")
		.slice(0, -1)
		.map((each) => each.split("\0").slice(0, -1));
}

test("a word that the judge knows is the one that bash makes of it", async () => {
	const words = fc
		.sample(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 7 }), {
			numRuns: samples(6_000),
			seed,
		})
		.map((some) => some.join(""))
		.filter((word) => judged(word) !== undefined);
	expect(words.length).toBeGreaterThan(samples(1_000));
	const expanded = await expandedByBash(words);
	const different = words.filter((word, index) => !Bun.deepEquals(judged(word), expanded[index]));
	expect(different).toEqual([]);
});
