/** Nothing outside a tool's own folder knows the tool by its name. */
import { describe, expect, test } from "bun:test";
import { toolNames } from "./checks/tool-names.ts";
import { problemsIn, report, type Files } from "./fixture.ts";
import { repository } from "./tree.ts";

const path = "packages/session/src/a.ts";
const tools: Files = Object.fromEntries(
	["read", "write", "edit", "bash", "grep", "ask"].map((name) => [`packages/tools/src/${name}/tool.ts`, ""]),
);

test("the repository knows no tool by its name", async () => {
	expect(await report(toolNames, repository)).toBe("");
});

describe("is caught:", () => {
	const bad = [
		`if (event.toolName === "bash") f();`,
		`if (tool !== "edit") f();`,
		`return "bash" === call.name;`,
		`switch (tool) { case "edit": f(); }`,
		`switch (event.toolName) { default: case "ask": f(); }`,
		`if (!tools.includes("read")) f();`,
		`turn.tools.has("bash");`,
		`["edit", "write"].some((name) => f(name));`,
		`const kinds = { read: "read", write: "written", edit: "edited" };`,
		`const names = { bash: "Bash", read: "Read" };`,
		`interface Inputs { bash: { command: string }; grep: { pattern: string } }`,
	];
	test.each(bad)("%s", async (source) => {
		const problems = await problemsIn(toolNames, { ...tools, [path]: `\n${source}` });
		expect(problems).toEqual([
			expect.stringMatching(/^packages\/session\/src\/a\.ts:2 knows the tool "\w+" by its name/),
		]);
	});
});

test("other uses of the same words, tests, a tool's own folder and the listed files pass", async () => {
	const files: Files = {
		...tools,
		[path]: [
			`if (touch.kind === "read" || approval === "write") f();`,
			`switch (answer) { case "ask": f(); }`,
			`const limits = { read: 1, write: 2 };`,
			`register("read", tool);`,
			`const scopes = ["read", "write", "exec"];`,
			`// name === "bash"`,
		].join("\n"),
		"packages/session/src/a.test.ts": `name === "bash";`,
		"packages/tools/src/bash/guard.ts": `name === "bash";`,
		"packages/extensions/src/api/guards.ts": `toolName === "bash";`,
		"packages/bundled/src/demo/plan.ts": `tools.has("bash");`,
	};
	expect(await problemsIn(toolNames, files)).toEqual([]);
});
