/** A mistake in a settings file is reported with its line. */
import { expect, test } from "bun:test";

import { errorLine } from "./error-line.ts";

test.each<[string, number | undefined]>([
	['{\n"a": 1,\n"b": [}\n}\n', 3],
	['{ // note\n"a": {\n"b": x\n}}\n', 3],
	["nonsense", 1],
	['{"a": 1}', undefined],
	['{\n"a": [1,\n', 2],
])("JSON %j", (text, line) => {
	expect(errorLine(text, Bun.JSONC.parse)).toBe(line);
});

test("TOML with a value missing below a multi-line string", () => {
	expect(errorLine('a = """\nx\ny"""\nb = \nc = 1\n', Bun.TOML.parse)).toBe(4);
});
