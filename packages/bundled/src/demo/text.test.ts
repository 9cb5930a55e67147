/** Tool results are parsed as the tools mean them. */
import { expect, test } from "bun:test";

import { exitCode, filePart, printed } from "./text.ts";
import type { Outcome } from "./turn.ts";

function outcome(text: string, more: Partial<Outcome> = {}): Outcome {
	return { tool: "bash", arguments: { command: "x" }, text, failed: true, image: false, ...more };
}

test("line numbers are removed, followed by a tab or two spaces, and nothing else", () => {
	expect(filePart("     9\t  a\n    10\t\n    11\t12\t13")).toEqual({
		first: 9,
		lines: ["  a", "", "12\t13"],
		notices: [],
	});
	expect(filePart("     1  {\n     2    x\n     3  }").lines).toEqual(["{", "  x", "}"]);
});

test("a tool's own notes are not taken for a line of the file", () => {
	const part = filePart("     1\ta\n     2\tb\n[lines 1-2 of 9; continue with offset 3]");
	expect(part).toEqual({
		first: 1,
		lines: ["a", "b"],
		notices: ["[lines 1-2 of 9; continue with offset 3]"],
	});
	expect(filePart("a.txt is empty.")).toEqual({ first: 1, lines: [], notices: ["a.txt is empty."] });
	expect(filePart("")).toEqual({ first: 1, lines: [], notices: [] });
});

test("the exit code comes from the details, else from the tool's last line, never from the output", () => {
	expect(exitCode(outcome("exit code 5\n\nCommand exited with code 3"))).toBe(3);
	expect(exitCode(outcome("killed", { exitCode: 9 }))).toBe(9);
	expect(exitCode(outcome("exited with code 3\n\nCommand interrupted by the user."))).toBeUndefined();
	expect(exitCode(outcome("exited with code 3", { failed: false }))).toBe(0);
});

test("the output of a command is shown without the tool's notes", () => {
	expect(printed(outcome("a\nb\n\nCommand exited with code 3"))).toBe("a\nb");
	expect(printed(outcome("(no output)\n\nCommand exited with code 3"))).toBe("");
	expect(printed(outcome("last: exit 0\n", { failed: false }))).toBe("last: exit 0");
});
