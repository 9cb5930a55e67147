/** A cell of JavaScript becomes a script with the same lines, whose declarations last. */
import { expect, test } from "bun:test";

import { cellScript } from "./transform.ts";

const scripts: [code: string, script: string][] = [
	["1 + 1", "1 + 1"],
	["const a = 1, { b } = c;", "var a, b;;(a = 1, { b } = c);"],
	["let a", "var a;;(a = undefined);"],
	["class A {}\nnew A", "var A;;A = class A {};\nnew A"],
	["await 1\n2", "(async () => {await 1\nreturn (2);\n})()"],
	["import('x')", "$import('x')"],
	[
		"import x, { y as z } from 'm'",
		'var x, z;(async () => {;({ default: x, y: z } = await $import("m"));\n})()',
	],
	["import * as x from\n\t'm'\nx", 'var x;(async () => {;x = await $import("m");\n\nreturn (x);\n})()'],
	[
		"for (var i of []) await i",
		"(async () => {try {for (var i of []) await i\n} finally {globalThis.i = i;}})()",
	],
	["async () => { await 1 }", "async () => { await 1 }"],
];
test.each(scripts)("%j", (code, script) => {
	expect(cellScript(code).script).toBe(script);
});
