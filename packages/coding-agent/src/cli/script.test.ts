/** When a Tau process that an extension starts is a runtime, and when it is Tau. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { isScript } from "./script.ts";

test("only the absolute path of an existing script makes it a runtime", () => {
	expect(isScript(import.meta.path)).toBe(true);
	for (const first of [
		undefined,
		"script.test.ts",
		"--mode",
		import.meta.dir,
		join(import.meta.dir, "gone.mjs"),
		join(import.meta.dir, "../../package.json"),
	])
		expect(isScript(first)).toBe(false);
});
