import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseScenario } from "./parse-scenario.ts";

function errorOf(scenario: unknown): string {
	const parsed = parseScenario(scenario);
	return "error" in parsed ? parsed.error : "no error";
}

function stepOf(step: unknown) {
	const parsed = parseScenario({ steps: [step] });
	if ("error" in parsed) throw new Error(parsed.error);
	return parsed.script.steps[0];
}

test("a plain string is a step, an answer and a block of text", () => {
	const written = { answer: { blocks: [{ text: "hi" }] }, times: 1 };
	expect(stepOf("hi")).toEqual(written);
	expect(stepOf({ answer: "hi" })).toEqual(written);
	expect(stepOf({ answer: { blocks: ["hi"] } })).toEqual(written);
});

test("a scenario with every field is unchanged", () => {
	const blocks = [
		{ thinking: "hm", signature: "s", chunks: 2 },
		{ redactedThinking: "opaque" },
		{ text: "hello", chunks: 3 },
		{ toolCall: { name: "bash", arguments: { command: "ls" }, id: "call_1" }, chunks: 4 },
		{ toolCall: { name: "bash", arguments: '{"command":' } },
	];
	const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
	const answer = { blocks, usage, stopReason: "length", model: "m", delayMs: 0.5, id: "msg_1" };
	const when = { request: 2, path: "/v1/messages", bodyContains: "x", protocol: "anthropic-messages" };
	const faults = [
		{ http: 429, body: { a: 1 }, retryAfter: 3 },
		{ http: 503, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT" },
		{ overflow: true },
		{ silent: true },
		{ errorEvent: { type: "overloaded_error", message: "Overloaded" }, afterChunks: 0 },
		{ tornAtByte: 0 },
		{ malformedLine: "data: {", afterChunks: 1 },
		{ pauseMs: 10, afterChunks: 2 },
		{ truncated: true },
	];
	const steps = faults.map((fault) => ({ when, answer, fault, times: 3 }));
	const scenario = { steps, reasoningField: "reasoning_content" };
	const parsed: unknown = parseScenario(structuredClone(scenario));
	expect(parsed).toEqual({ script: scenario });
});

test("always and Infinity both mean that a step never runs out, and a fallback never does", () => {
	expect(stepOf({ answer: "a", times: "always" })?.times).toBe(Infinity);
	expect(stepOf({ answer: "a", times: Infinity })?.times).toBe(Infinity);
	const parsed: unknown = parseScenario({ steps: [], fallback: "later" });
	expect(parsed).toMatchObject({ script: { fallback: { times: Infinity } } });
});

test.each([
	[null, "scenario must be an object"],
	[{ steps: {} }, "steps must be a list"],
	[{ steps: [], step: 1 }, "scenario.step is not a field"],
	[{ steps: ["a", "b", {}] }, "steps[2] needs an answer or a fault"],
	[{ steps: [{ anwser: "a" }] }, "steps[0].anwser is not a field"],
	[{ steps: [{ answer: "a", times: 0 }] }, "steps[0].times must be a whole number above 0"],
	[{ steps: [{ answer: { blocks: [{ txt: "a" }] } }] }, "steps[0].answer.blocks[0] needs one of text,"],
	[{ steps: [{ answer: { blocks: ["", { text: 1 }] } }] }, "steps[0].answer.blocks[1].text must be a string"],
	[{ steps: [{ answer: { blocks: [{ text: "a", thinking: "b" }] } }] }, "has text and thinking"],
	[
		{ steps: [{ answer: { blocks: [{ text: "a", chunks: 0 }] } }] },
		"blocks[0].chunks must be a whole number",
	],
	[{ steps: [{ answer: { blocks: [], stopReason: "end_turn" } }] }, "stopReason must be one of stop, length"],
	[
		{ steps: [{ answer: { blocks: [{ toolCall: { name: "a" } }] } }] },
		"toolCall.arguments must be an object",
	],
	[{ steps: [{ fault: { http: 418 } }] }, "steps[0].fault.http must be one of 400, 401"],
	[{ steps: [{ fault: { silent: false } }] }, "steps[0].fault.silent can only be true"],
	[
		{ steps: [{ fault: { tornAtByte: 3 } }] },
		"steps[0] needs an answer, because its fault happens in the middle",
	],
	[{ steps: [{ answer: "a", fault: { pauseMs: 1 } }] }, "steps[0].fault.afterChunks must be a whole number"],
	[
		{ steps: [], fallback: { when: { request: 0 }, answer: "a" } },
		"fallback.when.request must be a whole number",
	],
])("the error in %j is reported with its path", (scenario, message) => {
	expect(errorOf(scenario)).toContain(message);
});

test("a field whose name is not one line is still reported in one", () => {
	expect(errorOf({ steps: [{ answer: "a", "b\nc": 1 }] })).toStartWith('steps[0]["b\\nc"] is not a field');
});

test("for any file, the result is a script or one line", () => {
	const key = fc.constantFrom(
		"steps",
		"answer",
		"fault",
		"blocks",
		"text",
		"http",
		"when",
		"toolCall",
		"times",
	);
	const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
	const { tree } = fc.letrec((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 5 },
			leaf,
			fc.array(tie("tree"), { maxLength: 3 }),
			fc.dictionary(fc.oneof(key, fc.string()), tie("tree"), { maxKeys: 3 }),
		),
	}));
	fc.assert(
		fc.property(tree, fc.boolean(), (drawn, asSteps) => {
			const parsed = parseScenario(asSteps ? { steps: [drawn] } : drawn);
			expect("script" in parsed || !parsed.error.includes("\n")).toBe(true);
		}),
	);
});
