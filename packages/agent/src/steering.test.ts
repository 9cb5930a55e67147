/** Messages that a user sends during a run reach the model at the right moment, and none is lost. */
import { describe, expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";

import { MessageQueue } from "./queue.ts";
import { collect, textOutcome, tool } from "./testing/collect.ts";
import { asks, call } from "./testing/script.ts";
import type { AgentMessage, AgentTool } from "./types.ts";

function user(text: string): AgentMessage {
	return { role: "user", content: text, timestamp: 1 };
}

/** The user's messages in the order in which the model received them. */
function userMessages(messages: readonly AgentMessage[]): unknown[] {
	return messages.map((message) =>
		message.role === "toolResult"
			? message.content.map((part) => (part.type === "text" ? part.text : ""))[0]
			: message.role === "user"
				? message.content
				: "(answer)",
	);
}

async function run(
	steps: Scenario["steps"],
	tools: AgentTool[],
	queues: { steering?: MessageQueue; followUps?: MessageQueue },
) {
	await using model = await playModel({ steps });
	const collected = await collect({ url: model.anthropicUrl, tools, config: queues });
	return { ...collected, requests: model.requests.length };
}

describe("a steering message", () => {
	test("is sent after the running call; calls that had not started are skipped with a note", async () => {
		const steering = new MessageQueue("one-at-a-time");
		const first = tool(
			"first",
			async () => {
				steering.add(user("No, the other one."));
				return textOutcome("first done");
			},
			{ concurrency: "exclusive" },
		);
		const second = tool("second", async () => textOutcome("must not run"), { concurrency: "exclusive" });
		const { messages, story } = await run(
			[asks(call("first", { a: 1 }), call("second", { a: 1 })), "As you like."],
			[first, second],
			{ steering },
		);
		expect(userMessages(messages)).toEqual([
			"Go on.",
			"(answer)",
			"first done",
			"Skipped: the user sent a new message before this call started.",
			"No, the other one.",
			"(answer)",
		]);
		expect(story.filter((line) => line.startsWith("tool_execution"))).toEqual([
			"tool_execution_start first",
			"tool_execution_end first",
			"tool_execution_start second",
			"tool_execution_end second",
		]);
	});

	test("that arrives while shared calls run lets them all finish", async () => {
		const steering = new MessageQueue("one-at-a-time");
		const work = tool("work", async (_id, { name }) => {
			if (name === "a") steering.add(user("Also this."));
			return textOutcome(`${String(name)} done`);
		});
		const { messages } = await run(
			[asks(call("work", { name: "a" }), call("work", { name: "b" })), "Fine."],
			[work],
			{ steering },
		);
		expect(userMessages(messages)).toEqual([
			"Go on.",
			"(answer)",
			"a done",
			"b done",
			"Also this.",
			"(answer)",
		]);
	});

	test("that arrives during the last answer is still answered", async () => {
		const steering = new MessageQueue("one-at-a-time");
		steering.add(user("One more thing."));
		const { messages, requests } = await run(["Done.", "And that."], [], { steering });
		expect(userMessages(messages)).toEqual(["Go on.", "(answer)", "One more thing.", "(answer)"]);
		expect(requests).toBe(2);
	});
});

describe("several queued messages", () => {
	const cases: ["one-at-a-time" | "all", unknown[]][] = [
		["one-at-a-time", ["Go on.", "(answer)", "one", "(answer)", "two", "(answer)"]],
		["all", ["Go on.", "(answer)", "one", "two", "(answer)"]],
	];
	test.each(cases)("are sent %s", async (mode, expected) => {
		for (const name of ["steering", "followUps"] as const) {
			const queue = new MessageQueue(mode);
			queue.add(user("one"));
			queue.add(user("two"));
			const { messages } = await run(["a", "b", "c"], [], { [name]: queue });
			expect(userMessages(messages)).toEqual(expected);
			expect(queue.waiting).toBe(0);
		}
	});

	test("are sent with steering messages before follow-ups", async () => {
		const [steering, followUps] = [new MessageQueue("all"), new MessageQueue("all")];
		followUps.add(user("later"));
		steering.add(user("now"));
		const { messages } = await run(["a", "b", "c"], [], { steering, followUps });
		expect(userMessages(messages)).toEqual(["Go on.", "(answer)", "now", "(answer)", "later", "(answer)"]);
	});
});

test("a follow-up waits until the model has no calls left", async () => {
	const followUps = new MessageQueue("all");
	followUps.add(user("Then stop."));
	const echo = tool("echo", async () => textOutcome("ok"));
	const { messages } = await run([asks(call("echo", { a: 1 })), "Done.", "Bye."], [echo], { followUps });
	expect(userMessages(messages)).toEqual(["Go on.", "(answer)", "ok", "(answer)", "Then stop.", "(answer)"]);
});

test("a failure leaves queued messages in the queues", async () => {
	const [steering, followUps] = [new MessageQueue("all"), new MessageQueue("all")];
	steering.add(user("now"));
	followUps.add(user("later"));
	const { messages } = await run([{ fault: { http: 500 } }], [], { steering, followUps });
	expect(userMessages(messages)).toEqual(["Go on.", "(answer)"]);
	expect([steering.waiting, followUps.waiting]).toEqual([1, 1]);
});

describe("a queue", () => {
	test("returns the newest message, and emits every change", () => {
		let changes = 0;
		const queue = new MessageQueue("all", () => void changes++);
		expect(queue.dequeueLast()).toBeUndefined();
		for (const text of ["one", "two", "three"]) queue.add(user(text));
		expect(queue.dequeueLast()).toEqual(user("three"));
		expect(queue.clear()).toEqual([user("one"), user("two")]);
		expect({ waiting: queue.waiting, changes }).toEqual({ waiting: 0, changes: 5 });
	});

	test("delivers equal messages one by one", () => {
		const queue = new MessageQueue("one-at-a-time");
		const same = user("again");
		queue.add(same);
		queue.add({ ...same });
		expect([queue.take().length, queue.take().length, queue.take().length]).toEqual([1, 1, 0]);
	});
});
