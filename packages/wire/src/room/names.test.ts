/** Names that strangers choose for themselves. */
import { expect, test } from "bun:test";

import { cleanName, distinctName } from "./names.ts";

test.each([
	["  Ann  \n Lee ", "Ann Lee"],
	["Eve\u001b[2J\u202e", "Eve [2J"],
	["\u3164\u115f\u00ad\ufe0f", ""],
	[`A${"\u0301".repeat(60)}nn`, "\u00c1\u0301\u0301nn"],
	["x".repeat(100_000), "x".repeat(64)],
	["Zo\u00eb \u65e5\u672c \u{1f600}", "Zo\u00eb \u65e5\u672c \u{1f600}"],
])("the name %j is shown as %j", (name, shown) => {
	expect(cleanName(name)).toBe(shown);
});

test("nobody takes the name of somebody who is there by spaces, case, width or what cannot be seen", () => {
	for (const name of ["ann", "A nn", "\uff21nn", "Ann\u3164"])
		expect(distinctName(cleanName(name), ["Ann"])).toEndWith("(2)");
});
