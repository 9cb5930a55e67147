/** Every form of import is seen, and nothing that only looks like one. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findImports } from "./imports.ts";

const forms: [source: string, kind: string][] = [
	[`import "x";`, "value"],
	[`import a from "x";`, "value"],
	[`import a, { b as c, type D } from "x";`, "value"],
	['import {\n\ta, // one\n\tb,\n} from\n\t"x";', "value"],
	[`import * as a from 'x';`, "value"],
	[`import text from "x" with { type: "text" };`, "value"],
	[`import type { A } from "x";`, "type"],
	[`import type A from "x";`, "type"],
	[`import type from "x";`, "value"],
	[`import type, { a } from "x";`, "value"],
	[`export * from "x";`, "value"],
	[`export * as a from "x";`, "value"],
	[`export { a, type B } from "x";`, "value"],
	[`export type { A } from "x";`, "type"],
	[`const a = await import("x");`, "lazy"],
	["const a = () => import(`x`).then((m) => m.a);", "lazy"],
	[`type A = typeof import("x");`, "type"],
	[`let a: import("x").A;`, "type"],
	[`const a = require("x");`, "value"],
	['const a = `${await import("x")}`;', "lazy"],
];

const nothing = [
	`// import "x";`,
	`const a = 'import "x"';`,
	'const a = `import b from "x"`;',
	`export const a = "x";`,
	`export { a };`,
	`export type A = "x";`,
	`const a = import.meta.resolve("x");`,
	"const a = await import(`./${name}.ts`);",
	`loader.import("x"); loader.require("x");`,
	`const a = { import: "x" };`,
];

describe("imports", () => {
	test.each(forms)("%p is found", (source, kind) => {
		expect(findImports(source)).toEqual([{ specifier: "x", line: 1, kind } as never]);
	});

	test.each(nothing)("%p is not an import", (source) => {
		expect(findImports(source)).toEqual([]);
	});

	test("any mixture of statements yields its imports in order", () => {
		const statement = fc.oneof(
			fc.constantFrom(...forms.map(([source]) => ({ source, count: 1 }))),
			fc.constantFrom(...nothing.map((source) => ({ source, count: 0 }))),
		);
		fc.assert(
			fc.property(fc.array(statement), (statements) => {
				const source = statements.map((each) => each.source).join("\n");
				const expected = statements.reduce((sum, each) => sum + each.count, 0);
				expect(findImports(source)).toHaveLength(expected);
			}),
		);
	});
});
