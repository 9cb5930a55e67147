/** An invalid pattern is reported with the position of the error. */
import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";

import { readPatternError } from "./pattern-error.ts";
import { search } from "./search.ts";

const wrong: [pattern: string, at: number, message: string][] = [
	["foo(", 3, "unclosed group"],
	["a(b(c)", 1, "unclosed group"],
	["(?:a(", 4, "unclosed group"],
	["foo)", 3, "unopened group"],
	["a[b", 1, "unclosed character class"],
	["[z-a]", 1, "invalid character class range, the start must be <= the end"],
	["*a", 0, "repetition operator missing expression"],
	["x\\p{Foo}", 1, "Unicode property not found"],
	["a\\", 1, "incomplete escape"],
	["(?=x", 0, "missing closing parenthesis"],
	["(a)\\1(", 5, "missing closing parenthesis"],
	["ok\nfoo)", 6, "unopened group"],
	["ok\n[z-a]", 4, "invalid character class range, the start must be <= the end"],
	["a\0b", 1, "it contains a NUL; write \\x00"],
];
test.each(wrong)("%j", async (pattern, at, message) => {
	const outcome = await search({ pattern, paths: ["."], cwd: tmpdir() }, () => {});
	expect(outcome).toEqual({ ok: false, reason: "pattern", at, message });
});

test("a pattern too long for a command is rejected", async () => {
	const outcome = await search({ pattern: "x".repeat(70_000), paths: ["."], cwd: tmpdir() }, () => {});
	expect(outcome).toMatchObject({
		ok: false,
		reason: "pattern",
		message: "it is longer than 65536 characters",
	});
});

describe("error messages of other versions", () => {
	test("of a version that does not put the pattern into a group", () => {
		const stderr = "regex parse error:\n    [z-a]\n     ^^^\nerror: invalid character class range\n";
		expect(readPatternError(stderr, "[z-a]")).toEqual({ message: "invalid character class range", at: 1 });
	});

	test("of a version that reports no position", () => {
		const stderr = "rg: the literal '\"\\n\"' is not allowed in a regex\n\nConsider enabling multiline mode.";
		expect(readPatternError(stderr, "a\\nb")).toEqual({
			message: "the literal '\"\\n\"' is not allowed in a regex",
		});
	});

	test("about something else are ignored", () => {
		expect(readPatternError("rg: ./x: Permission denied (os error 13)", "x")).toBeUndefined();
	});
});
