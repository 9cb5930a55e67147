/** A cell of JavaScript becomes a script with the same lines, whose declarations last. */
import { expect, test } from "bun:test";
import { runInNewContext } from "node:vm";

import { cellScript } from "./transform.ts";

const scripts: [code: string, script: string][] = [
	["1 + 1", "1 + 1"],
	["const a = 1, { b } = c;", ';(a = 1, { b } = c);$fix("a", "b");\nvoid 0'],
	["let a", ";(a = undefined);\nvoid 0"],
	["var a", ";(a);\nvoid 0"],
	["const a = 1; a = 2", ';(a = 1);$fix("a"); $constant("a", a = 2)'],
	[
		"const a = 1; await 0; a++",
		'(async () => {;(a = 1);$fix("a"); await 0; return ($constant("a", a++));\n})()',
	],
	["const a = 1; let b = a = 2", ';(a = 1);$fix("a"); ;(b = $constant("a", a = 2));\nvoid 0'],
	["const a = 1; (a) => { a = 2 }", ';(a = 1);$fix("a"); (a) => { a = 2 }'],
	["using a = b()", ';(a = $using(b(), false));$fix("a");\nvoid 0'],
	["class A {}\nnew A", ";A = class A {};\nnew A"],
	["await 1\n2", "(async () => {await 1\nreturn (2);\n})()"],
	["import('x')", "$import('x')"],
	["import x, { y as z } from 'm'", '(async () => {;({ default: x, y: z } = await $import("m"));\n})()'],
	["import * as x from\n\t'm'\nx", '(async () => {;x = await $import("m");\n\nreturn (x);\n})()'],
	[
		"for (var i of []) await i",
		"(async () => {try {for (var i of []) await i\n} finally {globalThis.i = i;}})()",
	],
	["async () => { await 1 }", "async () => { await 1 }"],
];
test.each(scripts)("%j", (code, script) => {
	expect(cellScript(code).script).toBe(script);
});

const values: [code: string, value: unknown][] = [
	["const y: number = 1; !y", false],
	["const a: number = 1; 7", 7],
	["let r: number = 5; [r, r]", [5, 5]],
	["let p: number = 2; p === 2", true],
	["let u: number = 3; u ? 'yes' : 'no'", "yes"],
	["let v: number = 3; typeof v", "number"],
	["let t: any = null; t ?? 'none'", "none"],
	["enum E { X, Y = 5 }; E.Y", 5],
	["type U = string; [1, 2]", [1, 2]],
	["interface Q { a: number }\n42", 42],
	["import type { Stats } from 'node:fs'; 9", 9],
	["const x: number = 1", undefined],
	["class C {}", undefined],
];
test.each(values)("%j shows the value of its last line", (code, value) => {
	// As the runner does it, in a context of its own.
	const { script, declared } = cellScript(code);
	const names = Object.fromEntries(declared.plain.map((name) => [name, undefined]));
	expect(runInNewContext(script, { ...names, $fix: () => {} })).toEqual(value);
});
