/** The system prompt is filled in, short, and stable for a whole day. */
import { describe, expect, test } from "bun:test";
import { fill } from "@tau/utils";
import { builtinTools } from "@tau/integrations/builtin";

import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { systemPrompt } from "./system-prompt.ts";

/** The first request: see also test/cli/system-prompt.test.ts. */
const budgetTokens = 2400;
const charsPerToken = 4;

describe("a template", () => {
	test("has every occurrence of a name replaced", () => {
		expect(fill("{{a}} and {{b}} and {{a}}", { a: "1", b: "2" })).toBe("1 and 2 and 1");
	});

	test("keeps text that only looks like a name", () => {
		expect(fill("{a} {{ a }} {{}} $& $1", {})).toBe("{a} {{ a }} {{}} $& $1");
	});

	test("inserts a value literally", () => {
		expect(fill("<{{a}}>", { a: "$& {{b}} $1" })).toBe("<$& {{b}} $1>");
	});

	test("with an undefined name fails, and the error has the name", () => {
		expect(() => fill("{{a}} {{missing}}", { a: "1" })).toThrow('"missing"');
	});
});

describe("the system prompt", () => {
	const prompt = systemPrompt({ cwd: "/work/{{date}}" });

	test("has all placeholders filled, and the directory unescaped", () => {
		expect(prompt.replace("/work/{{date}}", "")).not.toMatch(/\{\{|undefined/);
		expect(prompt).toContain("/work/{{date}}");
		expect(prompt).toContain(`${process.platform} ${process.arch}`);
		expect(prompt).toBe(prompt.trim());
	});

	test("has the date in the user's time zone", () => {
		const now = new Date();
		const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) =>
			String(part).padStart(2, "0"),
		);
		expect(prompt).toContain(`Today is ${day.join("-")}.`);
	});

	test("does not change from one request to the next, so that it can be cached", () => {
		expect(systemPrompt({ cwd: "/work/{{date}}" })).toBe(prompt);
	});

	test("can be replaced, added to, and left out", () => {
		expect(systemPrompt({ cwd: "/", replace: "Be {{short}}.\n" })).toBe("Be {{short}}.");
		expect(systemPrompt({ cwd: "/", replace: "One.", append: "\nTwo." })).toBe("One.\n\nTwo.");
		expect(systemPrompt({ cwd: "/work/{{date}}", append: "More." })).toBe(`${prompt}\n\nMore.`);
		expect(systemPrompt({ cwd: "/", replace: "" })).toBe("");
		expect(systemPrompt({ cwd: "/", replace: "", append: "Only." })).toBe("Only.");
	});
});

test("the prompts of all tools are complete and have no open placeholders", async () => {
	await using env = await testToolEnv({ cwd: "/" });
	for (const tool of builtinTools) {
		const { description } = tool.bind(env);
		expect(description.length).toBeGreaterThan(20);
		expect(description).not.toMatch(/\{\{|\}\}/);
	}
});

test("the first request leaves the context to the user", async () => {
	await using env = await testToolEnv({ cwd: "/" });
	// Those for agents are in no request before there are agents, others are searched for, or belong to plan mode.
	const first = builtinTools.filter(
		({ name, isForAgents, searchHint }) => !isForAgents && searchHint === undefined && name !== "submit_plan",
	);
	const tools = first.map((tool) => {
		const { name, description, parameters } = tool.bind(env);
		return { name, description, parameters };
	});
	const chars =
		systemPrompt({ cwd: "/home/somebody/projects/something" }).length + JSON.stringify(tools).length;
	expect(chars / charsPerToken).toBeLessThanOrEqual(budgetTokens);
});
