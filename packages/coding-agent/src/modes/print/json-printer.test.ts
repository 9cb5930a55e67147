/** JSON lines contain everything once: a client can follow along, and the output is linear in the answer. */
import { expect, test } from "bun:test";

import type { AssistantMessage, AssistantMessageEvent } from "@tau/ai";
import { playModel, type Scenario } from "@tau/ai/testing";
import type { SessionEvent } from "@tau/session";
import { builtinTools } from "@tau/integrations/builtin";

import { testToolEnv } from "../../../../../test/support/tool-env.ts";
import { testModel, testSession } from "../../../../../test/support/session.ts";
import { jsonPrinter } from "./json-printer.ts";

/** Plays the scenario and returns the lines, as text and parsed. */
async function linesOf(scenario: Scenario): Promise<{ text: string; events: SessionEvent[] }> {
	await using played = await playModel(scenario);
	let text = "";
	await using env = await testToolEnv({ cwd: "/" });
	const tools = builtinTools.map((tool) => tool.bind(env));
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), { tools });
	using _printer = session.subscribe(
		jsonPrinter({
			isTerminal: false,
			write: (line) => {
				text += line;
			},
		}).onEvent,
	);
	await session.prompt({ text: "go" });
	const events = text
		.trimEnd()
		.split("\n")
		.map((line): SessionEvent => JSON.parse(line));
	return { text, events };
}

function updates(events: SessionEvent[]): AssistantMessageEvent[] {
	return events.flatMap((event) => (event.type === "message_update" ? [event.assistantMessageEvent] : []));
}

test("the deltas of a stream add up to the message at its end", async () => {
	const said = "One\ntwo \u2028 three 😀 \x1b[31m four";
	const { events } = await linesOf({
		steps: [
			{
				answer: {
					blocks: [
						{ text: said, chunks: 9 },
						{ toolCall: { name: "read", arguments: { path: "/" } }, chunks: 3 },
					],
				},
			},
			"done",
		],
	});
	const deltas = updates(events).flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
	expect(deltas.join("")).toBe(`${said}done`);
	const ended = events.flatMap((event) =>
		event.type === "message_end" && event.message.role === "assistant" ? [event.message.content] : [],
	);
	expect(ended[0]).toMatchObject([
		{ type: "text", text: said },
		{ type: "toolCall", name: "read", arguments: { path: "/" } },
	]);
	expect(ended[1]).toEqual([{ type: "text", text: "done" }]);
});

test("events come in the documented order", async () => {
	const { events } = await linesOf({ steps: ["hello"] });
	const order = events.map((event) =>
		event.type === "message_update" ? event.assistantMessageEvent.type : event.type,
	);
	expect(order.filter((type, index) => type !== "text_delta" || order[index - 1] !== "text_delta")).toEqual([
		"agent_start",
		"turn_start",
		"message_start",
		"message_end",
		"message_start",
		"text_start",
		"text_delta",
		"text_end",
		"message_end",
		"turn_end",
		"agent_end",
	]);
});

test("a message that has only started is empty", async () => {
	const { events } = await linesOf({ steps: ["hello"] });
	const started = events.filter((event) => event.type === "message_start");
	expect(started.map(({ message }) => message)).toMatchObject([
		{ role: "user", content: "go" },
		{ role: "assistant", content: [] },
	]);
});

test("an update does not repeat the message so far", async () => {
	const { events } = await linesOf({ steps: [{ answer: { blocks: [{ text: "abc", chunks: 3 }] } }] });
	for (const event of events) {
		if (event.type !== "message_update") continue;
		expect(event.message).not.toHaveProperty("content");
		expect(event.assistantMessageEvent).not.toHaveProperty("partial");
	}
	expect(updates(events).length).toBeGreaterThan(2);
});

test("twice the answer in twice the chunks costs twice the bytes", async () => {
	const bytes = async (chunks: number): Promise<number> => {
		const text = "0123456789".repeat(chunks);
		return (await linesOf({ steps: [{ answer: { blocks: [{ text, chunks }] } }] })).text.length;
	};
	const [one, two, four] = [await bytes(200), await bytes(400), await bytes(800)];
	// Unread deltas may be merged, so the number of lines varies; quadratic output would be far above this.
	expect(four - two).toBeLessThan(3 * (two - one) + 20_000);
	expect(four).toBeLessThan(800 * 1000);
});

test("a slow reader pauses the run instead of filling the memory", () => {
	const waiting = Promise.resolve();
	const printer = jsonPrinter({ isTerminal: false, write: () => waiting });
	expect(printer.onEvent({ type: "agent_start" })).toBe(waiting);
});

test("an answer of a child is sent by its deltas too, however deep the child is", () => {
	const partial = {
		role: "assistant",
		content: [{ type: "text", text: "all that was said so far" }],
		api: "test",
		provider: "test",
		model: "test",
		usage: {
			input: 0,
			output: 0,
			cacheRead: 0,
			cacheWrite: 0,
			totalTokens: 0,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
		},
		stopReason: "stop",
		timestamp: 0,
	} satisfies AssistantMessage;
	const update: SessionEvent = {
		type: "message_update",
		message: partial,
		assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "far", partial },
	};
	const lines: string[] = [];
	const { onEvent } = jsonPrinter({ isTerminal: false, write: (line) => void lines.push(line) });
	void onEvent({ type: "child_event", id: "a", event: { type: "child_event", id: "b", event: update } });
	const [line = ""] = lines;
	expect(line).not.toContain("all that was said");
	expect(JSON.parse(line).event.event.assistantMessageEvent).toEqual({
		type: "text_delta",
		contentIndex: 0,
		delta: "far",
	});
});

test("a call has its id and name from its first line on, and the run its outcome in the last", async () => {
	const call = { toolCall: { name: "ls", arguments: { path: "/" }, id: "t1" } };
	const { events } = await linesOf({ steps: [{ answer: { blocks: [call] } }, "Done."] });
	const start = updates(events).find(({ type }) => type === "toolcall_start");
	expect(start).toMatchObject({ contentIndex: 0, id: "t1", name: "ls" });
	expect(events.at(-1)).toMatchObject({ type: "agent_end", stopReason: "stop" });
	const failed = await linesOf({ steps: [{ fault: { http: 401 } }] });
	expect(failed.events.at(-1)).toMatchObject({
		type: "agent_end",
		stopReason: "error",
		errorMessage: expect.stringContaining("HTTP 401"),
	});
});
