/** A repeated key is suspected, and similar text costs nothing. */
import { expect, test } from "bun:test";

import { seemsRepeated } from "./read-layer.ts";

test.each([
	"a: 1\na: 2\n",
	"g:\n  a: 1\n  b: 2\n  a: 3\n",
	"a: 1\n'a': 2\n",
	'a: 1\r\n"a": 2\r\n',
	"a :\na: 1",
])("%j", (text) => {
	expect(seemsRepeated(text)).toBe(true);
});

test.each([
	"",
	"a: 1\nb: 2\n",
	"g:\n  a: 1\nh:\n  a: 1\n",
	"g:\n  h:\n    a: 1\n  i:\n    a: 1\n",
	"# a: 1\na: 1\n",
	"- a: 1\n- a: 1\n",
	"url: http://a:1\n",
])("%j is not suspected", (text) => {
	expect(seemsRepeated(text)).toBe(false);
});

test("a line without an end takes linear time", () => {
	expect(seemsRepeated(`${"a".repeat(500_000)}\n${" ".repeat(500_000)}`)).toBe(false);
});
