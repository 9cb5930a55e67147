/** The demo model in the real program: a new user with an empty home sees it work. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch, withoutRetries } from "../support/launch.ts";

/** A user without configured models. */
async function newcomer() {
	const tau = await launch({ steps: [] });
	writeFileSync(join(tau.agentDir, "models.yml"), "");
	return tau;
}

test("a question about the project is answered by real tool calls, and the answer names the demo", async () => {
	await using tau = await newcomer();
	writeFileSync(join(tau.project, "package.json"), '{"name": "pear-tree", "description": "Grows pears"}');
	mkdirSync(join(tau.project, "src"));
	writeFileSync(join(tau.project, "src/main.ts"), "export {};\n");
	const text = await tau.run(["-p", "what is in this project"]);
	expect(text).toMatchObject({ code: 0, err: "" });
	for (const fact of ["pear-tree", "Grows pears", "TypeScript", "demo"]) expect(text.out).toContain(fact);
	const { out } = await tau.run(["-p", "--mode", "json", "what is in this project"]);
	const called = out
		.trimEnd()
		.split("\n")
		.map((line): { type: string; toolName?: string } => JSON.parse(line))
		.filter(({ type }) => type === "tool_execution_end")
		.map(({ toolName }) => toolName);
	expect(new Set(called)).toEqual(new Set(["bash", "read"]));
});

test("a file is actually created and changed", async () => {
	await using tau = await newcomer();
	await tau.run(["-p", "create notes.txt with buy apples"]);
	await tau.run(["-p", "replace apples with pears in notes.txt"]);
	expect(await Bun.file(join(tau.project, "notes.txt")).text()).toContain("buy pears");
});

test("an unsupported request points to a real model", async () => {
	await using tau = await newcomer();
	const { out } = await tau.run(["-p", "write a novel about the sea"]);
	for (const name of ["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "tau login"]) expect(out).toContain(name);
	expect(out).toContain(join(tau.agentDir, "models.yml"));
});

test("it never replaces a requested model that fails", async () => {
	await using tau = await launch({ steps: [{ fault: { http: 500 } }] });
	withoutRetries(tau);
	const { code, out, err } = await tau.run(["-p", "hi", "--model", "played/played-1"]);
	expect({ code, out }).toEqual({ code: 1, out: "" });
	expect(err).toContain("HTTP 500");
});
