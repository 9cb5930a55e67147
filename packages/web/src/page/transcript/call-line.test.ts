/** The line of a call says what it is about. */
import { expect, test } from "bun:test";

import { callLine } from "./call-line.ts";

function subject(args: Record<string, unknown>): string {
	return callLine({ kind: "call", key: "k", id: "c", name: "tool", args, phase: "done" }).subject;
}

test("a search shows what is searched for, and where", () => {
	expect(subject({ path: "src", pattern: "total" })).toBe("total in src");
	expect(subject({ pattern: "**/*.ts" })).toBe("**/*.ts");
	expect(subject({ path: "src/cart.ts", content: "a" })).toBe("src/cart.ts");
});

test("a list of tasks shows their names, or what they are told", () => {
	const tasks = [{ name: "tests", assignment: "Find the tests." }, { assignment: "Find the docs." }];
	expect(subject({ context: "The cart.", tasks })).toBe("tests, Find the docs.");
	expect(subject({ context: "The cart.", tasks: [null, 3] })).toBe("The cart.");
});

test("a run of tests says what it came to, whether it failed or not", () => {
	const call = { kind: "call", key: "k", id: "c", name: "bash", args: { command: "npm test" } } as const;
	const result = {
		content: [
			{ type: "text" as const, text: "ok a\nFAILED b\n1 passed, 1 failed\n\nCommand exited with code 1" },
		],
		details: { outcome: "1 passed, 1 failed" },
	};
	expect(callLine({ ...call, phase: "failed", result }).outcome).toBe("1 passed, 1 failed");
	expect(callLine({ ...call, phase: "done", result }).outcome).toBe("1 passed, 1 failed");
	expect(callLine({ ...call, phase: "failed", result: { ...result, details: {} } }).outcome).toBe(
		"Command exited with code 1",
	);
});
