/** Everything after `$` that is code is run; what is probably something else is asked about. */
import { describe, expect, test } from "bun:test";

import { cellIn, doubtIn } from "./typed-cell.ts";

const python = [
	"$for i in range(3): print(i)",
	"$a, b = 1, 2",
	"$[i for i in range(9)]",
	"$N = 5",
	"$MAX = 5",
	"$MAX + 1",
	"$MAX / 2",
	"$x += 1",
	"$def f(): return 1",
	'$"abc".upper()',
	'$Path("a").read_text()',
	"$6*7",
	"$6 * 7",
	"$3.14 * r**2",
	"$1_000 + 0x1f",
	"$x > 3",
	"$x",
	"$x.y[0]",
	"$x == 1 and y is not None",
	"$if x: print(1)",
	'$with open("a") as f: print(f.read())',
	"$import os",
	"$from pathlib import Path as P",
	"$print('it runs', file=out)  # this is a comment of four words",
	"$print(f'{x} of these words', r\"and those\")",
	"$async def f(): await g()",
	"$lambda x: x",
	"$not x",
	"$-x",
	"$(1 + 2)",
	"${1: 2}",
	"$@cache\ndef f(n):\n    return n if n < 2 else f(n - 1)",
	'$"""three words here\nand more"""',
	"$match x:\n    case 1: print(1)",
	"$type Row = list[int]",
	"$del x",
	"$raise ValueError('no such thing')",
	"$ 6*7",
	"$ for i in range(3): print(i)",
	"$ x",
	"$ N = 5",
	"$ def f(): pass",
	"$find = 3",
	"$ls",
	"$env['A']",
	"$head if x else tail",
	"$tail - head",
	"$größe = 1",
	"$%timeit x",
];

test.each(python)("%s is Python", (text) => {
	expect(cellIn(text)).toEqual({
		language: "python",
		code: text.slice(1).trimStart(),
		isPrivate: false,
	});
	expect(doubtIn(text)).toBeUndefined();
});

describe("a prompt is asked about", () => {
	test.each([
		"$5",
		"$5,000",
		"$5k",
		"$3.50.",
		"$5 is too much",
		"$5 or less",
		"$5/month",
		"$20-30 per seat",
		"$HOME",
		"$HOME/bin",
		"${HOME}/bin",
		"$PATH is wrong",
		"$?",
		"$foo is never set",
		"$scope.apply doesn't work",
		"$x\nWhy does this fail in the build?",
	])("%s", (text) => {
		expect(cellIn(text)).toBeUndefined();
		expect(doubtIn(text)?.looksLike).toBe("prompt");
	});
});

describe("a command that was copied from a terminal is asked about", () => {
	test.each([
		"$ npm test",
		"$ ls",
		"$ ls -la",
		"$ls -la",
		"$ make",
		"$ cd ..",
		"$ cd /tmp",
		"$ cat a.txt | grep x",
		'$ echo "hi"',
		"$ ./run.sh && ./check.sh",
		"$ cargo build --release",
	])("%s", (text) => {
		expect(cellIn(text)).toBeUndefined();
		expect(doubtIn(text)?.looksLike).toBe("shell");
	});
});

test("$$ runs whatever follows, and $js JavaScript", () => {
	expect(cellIn("$$5")).toEqual({ language: "python", code: "5", isPrivate: true });
	expect(cellIn("$$npm test")).toEqual({ language: "python", code: "npm test", isPrivate: true });
	expect(cellIn("$js const x = 1")).toEqual({ language: "js", code: "const x = 1", isPrivate: false });
	expect(cellIn("$$js x")).toEqual({ language: "js", code: "x", isPrivate: true });
	expect(cellIn("$js = 1")).toEqual({ language: "python", code: "js = 1", isPrivate: false });
	for (const text of ["", "$", "$ ", "a $b", "5"]) {
		expect(cellIn(text)).toBeUndefined();
		expect(doubtIn(text)).toBeUndefined();
	}
});
