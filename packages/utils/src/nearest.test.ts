/** Suggestions for mistyped words. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { nearest } from "./nearest.ts";

const flags = ["--model", "--mode", "--help", "--version", "--no-session", "--print"];

test.each([
	["--modle", "--model"],
	["--hlep", "--help"],
	["--vers", "--version"],
	["--MODEL", "--model"],
	["--no-sesion", "--no-session"],
])("%p suggests %p first", (typed, expected) => {
	expect(nearest(typed, flags)[0]).toBe(expected);
});

test("a word that is far from every candidate gets no suggestion", () => {
	expect(nearest("zebra", flags)).toEqual([]);
	expect(nearest("", flags)).toEqual([]);
	expect(nearest("x".repeat(100_000), ["x".repeat(100_000)])).toEqual([]);
});

test("at most the requested number of suggestions, best first", () => {
	expect(nearest("--mod", flags, 1)).toEqual(["--mode"]);
	expect(nearest("--mod", flags)).toEqual(["--mode", "--model"]);
});

test("one typing error in a long enough word is always corrected", () => {
	const word = fc.stringMatching(/^[a-z]{5,12}$/);
	fc.assert(
		fc.property(word, fc.nat(), fc.constantFrom("drop", "swap", "double"), (right, seed, slip) => {
			const at = seed % (right.length - 1);
			const [first = "", second = ""] = [right[at], right[at + 1]];
			const middle = slip === "drop" ? second : slip === "swap" ? second + first : first + first + second;
			const typed = right.slice(0, at) + middle + right.slice(at + 2);
			expect(nearest(typed, ["0123456789", right])).toEqual([right]);
		}),
	);
});
