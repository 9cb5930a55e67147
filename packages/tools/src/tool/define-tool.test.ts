/** One value provides the model's schema, the loop's validation, and the user's one-line view. */
import { afterAll, describe, expect, test } from "bun:test";
import { z } from "zod";

import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { defineTool, type ToolContext } from "./define-tool.ts";
import { builtinTools } from "@tau/integrations/builtin";
import { limits } from "./limits.ts";
import { errorResult, textResult } from "./result.ts";

let seen: { params: unknown; context: ToolContext } | undefined;

const sample = defineTool({
	name: "sample",
	label: "Sample",
	prompt: "\n  Words for a model.\n\n",
	concurrency: "shared",
	approval: "write",
	parameters: z.object({
		path: z.string().min(1).describe("where"),
		count: z.number().int().default(3),
		mode: z.enum(["fast", "slow"]).optional(),
	}),
	async execute(params, context) {
		seen = { params, context };
		context.update(textResult("half"));
		return errorResult("whole", { n: 1 });
	},
	view: { call: ({ path, count }) => `sample ${path ?? "…"} ${count ?? "…"}` },
});

const env = await testToolEnv({ cwd: "/work", env: { A: "1" }, resolve: (path) => `/work/${path}` });
afterAll(() => env[Symbol.asyncDispose]());
const bound = sample.bind(env);

test.each([
	["read", { path: "a\0b" }],
	["write", { path: "a\0b", content: "" }],
	["ls", { path: "\0" }],
	["bash", { command: "ls\0; rm x" }],
])("%s refuses a NUL in its own words", (name, args) => {
	const tool = builtinTools.find((each) => each.name === name)?.bind(env);
	expect(tool?.validate(args)).toEqual({
		ok: false,
		reason: "A path or command cannot contain a NUL character.",
	});
});

describe("the schema", () => {
	test("contains what the model needs, no dialect and no bound that every sensible call keeps", () => {
		expect(bound.parameters).toEqual({
			type: "object",
			properties: {
				path: { type: "string", description: "where" },
				count: expect.objectContaining({ type: "integer", default: 3 }),
				mode: { type: "string", enum: ["fast", "slow"] },
			},
			required: ["path"],
		});
	});

	test.each(
		builtinTools.map((tool): [string, string] => [tool.name, JSON.stringify(tool.bind(env).parameters)]),
	)("of %s has no $schema", (_, json) => {
		expect(json).not.toContain("$schema");
		expect(json).toContain('"type":"object"');
	});

	test("is created once, however often it is used", () => {
		expect(sample.bind(env).parameters).toBe(bound.parameters);
	});
});

describe("arguments", () => {
	const bad: [what: string, input: Record<string, unknown>, reason: string][] = [
		["a missing one is named", {}, "path: Invalid input: expected string, received undefined."],
		["a wrong type is named", { path: 7 }, "path: Invalid input: expected string, received number."],
		[
			"a wrong choice lists the right ones",
			{ path: "a", mode: "odd" },
			'mode: Invalid option: expected one of "fast"|"slow".',
		],
		["all wrong ones are named", { path: "", count: 1.5 }, "path: Too small"],
		["another name is answered with the right ones", { file: "a" }, "Expected: path, count, mode."],
	];
	test.each(bad)("%s", (_, input, reason) => {
		const valid = bound.validate(input);
		expect(valid.ok).toBe(false);
		expect(valid.ok ? "" : valid.reason).toContain(reason);
	});

	test("two wrong ones are both reported", () => {
		const valid = bound.validate({ path: 1, count: "x" });
		expect(valid.ok ? "" : valid.reason).toMatch(/^path: .+; count: .+ Expected: path, count, mode\.$/);
	});

	test("valid ones get their defaults, and unknown keys are dropped and reported", () => {
		expect(bound.validate({ path: "a" })).toEqual({ ok: true, value: { path: "a", count: 3 } });
		expect(bound.validate({ path: "a", stranger: 1 })).toEqual({
			ok: true,
			value: { path: "a", count: 3 },
			notes: ['"stranger" is not an argument of this tool; it was ignored'],
		});
	});
});

test("execute gets the environment, the signal and an update callback", async () => {
	const updates: unknown[] = [];
	const { signal } = new AbortController();
	const result = await bound.execute("call-1", { path: "a", count: 3 }, signal, (partial) =>
		updates.push(partial),
	);
	expect(result).toEqual({ content: [{ type: "text", text: "whole" }], details: { n: 1 }, isError: true });
	expect(updates).toEqual([{ content: [{ type: "text", text: "half" }] }]);
	expect(seen?.params).toEqual({ path: "a", count: 3 });
	expect(seen?.context).toMatchObject({ toolCallId: "call-1", cwd: "/work", env: { A: "1" } });
	expect(seen?.context.signal).toBe(signal);
	expect(seen?.context.resolve("x")).toBe("/work/x");
});

test("the model and the loop get the same values as in the definition", () => {
	expect(bound).toMatchObject({
		name: "sample",
		label: "Sample",
		description: "Words for a model.",
		concurrency: "shared",
	});
	expect(sample).toMatchObject({ name: "sample", approval: "write" });
});

describe("a user sees a call in one line", () => {
	const calls: [what: string, args: Record<string, unknown>, line: string][] = [
		["with its arguments", { path: "a", count: 2 }, "sample a 2"],
		["while they are still coming", {}, "sample … 3"],
		["without those that are wrong", { path: 7, count: "x" }, "sample … …"],
		["without terminal sequences", { path: "a\nb\x1b[31mc", count: 1 }, "sample a bc 1"],
	];
	test.each(calls)("%s", (_, args, line) => {
		expect(sample.describeCall(args)).toBe(line);
	});

	test("of limited length", () => {
		expect(sample.describeCall({ path: "x".repeat(100_000) }).length).toBeLessThanOrEqual(limits.callChars);
	});
});
