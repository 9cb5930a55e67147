/** The hooks of an application are called at the right moment, and a check that fails blocks the call. */
import { expect, test } from "bun:test";

import { stream, type StreamFunction } from "@tau/ai";
import { playModel, type Scenario } from "@tau/ai/testing";

import { collect, textOutcome, tool, type CollectOptions } from "./testing/collect.ts";
import { asks, call, resultTexts } from "./testing/script.ts";
import type { ToolGate } from "./tool-gate.ts";
import type { AgentLoopConfig, AgentMessage } from "./types.ts";

async function run(steps: Scenario["steps"], conversation: Partial<CollectOptions>) {
	await using model = await playModel({ steps });
	const collected = await collect({ url: model.anthropicUrl, ...conversation });
	return { ...collected, bodies: model.requests.map((request) => request.rawBody) };
}

function gated(gate: Partial<ToolGate>): Partial<AgentLoopConfig> {
	return { toolGates: () => [{ name: "a gate", ...gate }] };
}

const oneCall = [asks(call("echo", { text: "a" })), "Done."];
const echo = tool("echo", async (_id, { text }) => textOutcome(String(text)));

test("a blocked call does not run, and the model gets the reason", async () => {
	let ran = false;
	const guarded = tool("echo", async () => {
		ran = true;
		return textOutcome("ran");
	});
	const { messages } = await run(oneCall, {
		tools: [guarded],
		config: gated({
			judge: ({ arguments: { text } }) =>
				text === "a" ? { allow: false, reason: "Not in this house." } : undefined,
		}),
	});
	expect({ ran, texts: resultTexts(messages) }).toEqual({ ran: false, texts: ["Not in this house."] });
});

test("a check that throws blocks the call", async () => {
	const { messages } = await run(oneCall, {
		tools: [echo],
		config: gated({
			judge: () => {
				throw new Error("the rules cannot be read");
			},
		}),
	});
	expect(resultTexts(messages)).toEqual([
		"echo was not run, because a check failed: the rules cannot be read",
	]);
});

test("a result can be changed before the model sees it", async () => {
	const { messages, events } = await run(oneCall, {
		tools: [echo],
		config: gated({
			change: (_call, result) => ({ ...result, content: [{ type: "text", text: "hidden" }] }),
		}),
	});
	expect(resultTexts(messages)).toEqual(["hidden"]);
	const ended = events.find((event) => event.type === "tool_execution_end");
	expect(ended?.type === "tool_execution_end" && ended.result.content).toEqual([
		{ type: "text", text: "hidden" },
	]);
});

test("a call that throws has a result too, which can be inspected and changed", async () => {
	const broken = tool("echo", async () => {
		throw new Error("no such file");
	});
	const { messages } = await run(oneCall, {
		tools: [broken],
		config: gated({
			change: (_call, { content, isError }) => ({
				content: [...content, { type: "text", text: `failed: ${isError}` }],
				isError: true,
			}),
		}),
	});
	expect(resultTexts(messages)).toEqual(["no such filefailed: true"]);
	expect(messages.find(({ role }) => role === "toolResult")).toMatchObject({ isError: true });
});

test("arguments that were corrected are reported to the model", async () => {
	const lenient = tool("echo", async (_id, { text }) => textOutcome(String(text)), {
		validate: () => ({ ok: true, value: { text: 5 }, notes: ['text was "5", taken as a number'] }),
	});
	const { bodies } = await run(oneCall, { tools: [lenient] });
	expect(bodies[1]).toContain("taken as a number");
});

test("the context is transformed for the model only", async () => {
	const history: AgentMessage[] = [{ role: "user", content: "a secret", timestamp: 0 }];
	const { bodies, messages } = await run(["Fine."], {
		history,
		config: { transformContext: (all) => all.slice(1) },
	});
	expect(bodies[0]).not.toContain("a secret");
	expect(bodies[0]).toContain("Go on.");
	expect(messages.length).toBe(2);
});

test("a transform that fails ends the run as a failed answer", async () => {
	const { messages } = await run(["Fine."], {
		config: { transformContext: () => Promise.reject(new Error("no room")) },
	});
	expect(messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "error", errorMessage: "no room" });
});

test("a request can be changed before it is sent, and is sent by what answers for its model", async () => {
	const ignored: StreamFunction = () => {
		throw new Error("Something else answers for this model.");
	};
	const { messages, bodies } = await run(["Yes."], {
		config: {
			stream: Object.assign(ignored, { for: () => stream }),
			beforeRequest: (request) => ({
				...request,
				context: { ...request.context, systemPrompt: "Be very brief." },
			}),
		},
	});
	expect(messages.at(-1)).toMatchObject({ content: [{ text: "Yes." }] });
	expect(bodies[0]).toContain("Be very brief.");
});

test("a change of a request that throws ends the run with the reason", async () => {
	const { messages } = await run(["Yes."], {
		config: {
			beforeRequest: () => {
				throw new Error("the request cannot be changed");
			},
		},
	});
	expect(messages.at(-1)).toMatchObject({
		stopReason: "error",
		errorMessage: "the request cannot be changed",
	});
});
