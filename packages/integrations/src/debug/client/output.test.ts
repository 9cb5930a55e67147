import { expect, test } from "bun:test";

import { DebuggeeOutput } from "./output.ts";

test("a log point does not cut a line of the program in two", () => {
	const output = new DebuggeeOutput();
	for (const category of ["console", "stdout"]) {
		output.add("bill", "stdout");
		// A look at all of it does not end the line.
		expect(output.all).toEndWith("bill");
		output.add("[log] the bill is 120\n", category);
		output.add(" 120\n", "stdout");
		expect(output.unseen(1000)).toBe("[log] the bill is 120\nbill 120\n");
	}
});

test("a prompt without a line feed is shown, and the next stream begins a line of its own", () => {
	const output = new DebuggeeOutput();
	output.add("Name? ", "stdout");
	expect(output.unseen(1000)).toBe("Name? ");
	output.add("Ada\n", "stdout");
	output.add("Age? ", "stdout");
	expect(output.unseen(1000)).toBe("Ada\nAge? ");
	output.add("warning\n", "stderr");
	expect(output.all).toBe("Name? Ada\nAge? \nwarning\n");
});

test("an endless line keeps its end", () => {
	const output = new DebuggeeOutput();
	for (let i = 0; i < 300; i++) output.add("x".repeat(1000), "stdout");
	output.add("end", "stdout");
	expect(output.all.length).toBeLessThanOrEqual(64_000);
	expect(output.unseen(10)).toMatch(/^\[\d+ characters omitted\]\nxxxxxxxend$/);
});
