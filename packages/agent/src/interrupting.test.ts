/**
 * An answer can be interrupted while it streams: the model gets a message and answers again, and none of its calls
 * run.
 */
import { describe, expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";

import { Agent } from "./agent.ts";
import { limits } from "./limits.ts";
import { modelAt, textOutcome, tool } from "./testing/collect.ts";
import { asks, call } from "./testing/script.ts";
import type { AgentEvent, AgentMessage } from "./types.ts";

const reminder: AgentMessage = { role: "user", content: "Use tabs.", timestamp: 2 };

interface Outcome {
	events: AgentEvent[];
	messages: readonly AgentMessage[];
	bodies: string[];
	accepted: boolean[];
	ran: string[];
}

/** Interrupts every answer at the first event for which `when` is true. */
async function runWith(
	steps: Scenario["steps"],
	when: (event: AgentEvent) => boolean,
	discard = true,
): Promise<Outcome> {
	await using played = await playModel({ steps });
	const ran: string[] = [];
	const agent = new Agent({
		model: modelAt(played.anthropicUrl),
		systemPrompt: "",
		tools: [
			tool("write", async (_id, { text }) => {
				ran.push(String(text));
				return textOutcome("done");
			}),
		],
		getApiKey: () => "key",
	});
	const events: AgentEvent[] = [];
	const accepted: boolean[] = [];
	using _ = agent.subscribe((event) => {
		if (event.type === "queue_change") return;
		events.push(event);
		if (when(event)) accepted.push(agent.interrupt({ reason: "spaces", discard, message: reminder }));
	});
	await agent.prompt({ role: "user", content: "go", timestamp: 1 });
	const bodies = played.requests.map(({ rawBody }) => rawBody);
	return { events, messages: agent.state.messages, bodies, accepted, ran };
}

const saysBad = (event: AgentEvent): boolean =>
	event.type === "message_update" &&
	event.assistantMessageEvent.type === "text_delta" &&
	event.assistantMessageEvent.delta.includes("bad");

const bad = { answer: { blocks: [{ text: "so bad, and much more" }] } };

test("a discarded answer is emitted and removed, and the next one follows in the same run", async () => {
	const { events, messages, bodies, accepted } = await runWith([bad, "Good."], saysBad);
	expect(accepted).toEqual([true]);
	expect(messages.map(({ role }) => role)).toEqual(["user", "user", "assistant"]);
	expect(bodies[1]).toContain("Use tabs.");
	expect(bodies[1]).not.toContain("so bad");
	const types = events.map(({ type }) => type);
	expect(types.filter((type) => type === "agent_start" || type === "agent_end")).toEqual([
		"agent_start",
		"agent_end",
	]);
	const ends = events.filter((event) => event.type === "message_end" && event.message.role === "assistant");
	expect(ends).toMatchObject([
		{ interrupted: { reason: "spaces", discarded: true }, message: { stopReason: "aborted" } },
		{ message: { stopReason: "stop" } },
	]);
});

test("a kept answer stays in the conversation up to the interruption", async () => {
	const { messages, bodies } = await runWith([bad, "Good."], saysBad, false);
	expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
	expect(bodies[1]).toContain("so bad");
});

test("calls of an interrupted answer are not run, even when they look complete", async () => {
	const steps = [
		asks({ text: "bad" }, call("write", { text: "wrong" })),
		asks(call("write", { text: "right" })),
		"Done.",
	];
	const { ran, events } = await runWith(steps, saysBad);
	expect(ran).toEqual(["right"]);
	expect(events.filter(({ type }) => type === "tool_execution_start")).toHaveLength(1);
});

test("an answer is interrupted only once", async () => {
	const twice = { answer: { blocks: [{ text: "bad" }, { text: "bad" }] } };
	const { accepted } = await runWith([twice, "Good."], saysBad);
	expect(accepted[0]).toBe(true);
	expect(accepted.slice(1)).not.toContain(true);
});

test("after too many interruptions, the answer is kept", async () => {
	const steps = Array.from({ length: limits.interruptionsInARow + 1 }, () => bad);
	const { accepted, messages, bodies } = await runWith(steps, saysBad);
	expect(accepted.filter(Boolean)).toHaveLength(limits.interruptionsInARow);
	expect(bodies).toHaveLength(limits.interruptionsInARow + 1);
	expect(messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
});

describe("without a streaming answer, an interruption is refused", () => {
	test.each(["agent_start", "turn_start", "turn_end", "agent_end"] as const)("at %s", async (type) => {
		const { accepted, messages } = await runWith(["Good."], (event) => event.type === type);
		expect(accepted).not.toContain(true);
		expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
	});
});

test("a stop by the user wins over an interruption", async () => {
	await using played = await playModel({ steps: [bad, "never"] });
	const agent = new Agent({
		model: modelAt(played.anthropicUrl),
		systemPrompt: "",
		tools: [],
		getApiKey: () => "key",
	});
	using _ = agent.subscribe((event) => {
		if (event.type !== "message_update" || !saysBad(event)) return;
		agent.interrupt({ reason: "spaces", discard: true, message: reminder });
		agent.abort();
	});
	await agent.prompt({ role: "user", content: "go", timestamp: 1 });
	expect(played.requests).toHaveLength(1);
	expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});
