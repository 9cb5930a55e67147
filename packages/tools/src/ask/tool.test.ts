/** A question reaches the person and the answer the model; where nobody can answer, the model is told and goes on. */
import { expect, test } from "bun:test";

import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import type { AskUser, Question } from "../tool/env.ts";
import { ask } from "./tool.ts";

const questions = [
	{
		question: "Which one?",
		options: [{ label: "red", description: "warm" }, { label: "blue" }],
		recommended: 1,
	},
	{ question: "Why?" },
];

test("what was chosen and what was written comes back, question by question", async () => {
	let seen: readonly Question[] = [];
	const user: AskUser = async (asked) => {
		seen = asked;
		return [
			{ id: "1", chosen: ["red"], text: "a dark one" },
			{ id: "2", chosen: [], text: "because\u001b[31m" },
		];
	};
	await using env = await testToolEnv({ ask: user });
	const result = await callTool(ask.bind(env), { questions });
	expect(textOf(result)).toBe("Which one?\n> red\n> a dark one\n\nWhy?\n> because");
	expect(result.isError).toBeUndefined();
	expect(seen.map(({ id, multiple, recommended }) => ({ id, multiple, recommended }))).toEqual([
		{ id: "1", multiple: false, recommended: 1 },
		{ id: "2", multiple: false, recommended: undefined },
	]);
});

test("without a user the model is told to decide", async () => {
	await using env = await testToolEnv();
	const result = await callTool(ask.bind(env), { questions });
	expect(result.isError).toBe(true);
	expect(textOf(result)).toContain("No user is available to answer");
});

test("a user who does not want to answer is respected", async () => {
	await using env = await testToolEnv({ ask: async () => undefined });
	expect(textOf(await callTool(ask.bind(env), { questions }))).toContain("declined to answer");
});

test("a question that was left open is said to be", async () => {
	await using env = await testToolEnv({ ask: async () => [{ id: "1", chosen: ["blue"] }] });
	expect(textOf(await callTool(ask.bind(env), { questions }))).toEndWith("Why?\n(no answer)");
});

test("after the time that was set the model continues, also when the screen does not listen", async () => {
	await using env = await testToolEnv({ ask: () => new Promise(() => {}) });
	await env.settings.set("ask.timeoutSeconds", 1, "session");
	const result = await callTool(ask.bind(env), { questions });
	expect(textOf(result)).toContain("The user did not answer within 1 s");
});

test("an abort ends the waiting", async () => {
	await using env = await testToolEnv({ ask: () => new Promise(() => {}) });
	const controller = new AbortController();
	const waiting = callTool(ask.bind(env), { questions }, controller.signal);
	controller.abort();
	expect(waiting).rejects.toThrow();
});

test("a recommendation that is not among the options is refused", async () => {
	await using env = await testToolEnv({ ask: async () => [] });
	const bad = [{ question: "Which?", options: [{ label: "one" }], recommended: 3 }];
	expect(textOf(await callTool(ask.bind(env), { questions: bad }))).toContain("does not exist");
});
