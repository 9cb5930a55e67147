/** What users read about errors of the system. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";

import { errorText } from "./values.ts";

function failureOf(call: () => unknown): string {
	try {
		return String(call());
	} catch (error) {
		return errorText(error);
	}
}

test("an error of the system says what cannot be done with which file, and why", () => {
	expect(failureOf(() => mkdirSync("/proc/a/b"))).toBe("cannot create /proc/a/b: no such file or directory");
	expect(failureOf(() => readFileSync("/nowhere"))).toBe("cannot open /nowhere: no such file or directory");
});

test("any other error keeps its message", () => {
	expect(errorText(new Error("EOS: a, b"))).toBe("EOS: a, b");
	expect(errorText("plain")).toBe("plain");
});
