/** A question reaches the user and the answer the model; if nobody can answer, the model is informed and continues. */
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

test("selected options and typed text are returned, question by question", async () => {
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

test("a user may decline to answer", async () => {
	await using env = await testToolEnv({ ask: async () => undefined });
	expect(textOf(await callTool(ask.bind(env), { questions }))).toContain("declined to answer");
});

test("an unanswered question is marked", async () => {
	await using env = await testToolEnv({ ask: async () => [{ id: "1", chosen: ["blue"] }] });
	expect(textOf(await callTool(ask.bind(env), { questions }))).toEndWith("Why?\n(no answer)");
});

test("after the timeout the model continues, also if the UI ignores it", async () => {
	await using env = await testToolEnv({ ask: () => new Promise(() => {}) });
	await env.settings.set("ask.timeoutSeconds", 1, "session");
	const result = await callTool(ask.bind(env), { questions });
	expect(textOf(result)).toContain("The user did not answer within 1 s");
});

test("an abort ends the wait", async () => {
	await using env = await testToolEnv({ ask: () => new Promise(() => {}) });
	const controller = new AbortController();
	const waiting = callTool(ask.bind(env), { questions }, controller.signal);
	controller.abort();
	expect(waiting).rejects.toThrow();
});

test("a recommendation that is not among the options is rejected", async () => {
	await using env = await testToolEnv({ ask: async () => [] });
	const bad = [{ question: "Which?", options: [{ label: "one" }], recommended: 3 }];
	expect(textOf(await callTool(ask.bind(env), { questions: bad }))).toContain("does not exist");
});
