/** The status line says briefly what a session is doing. */
import { describe, expect, test } from "bun:test";

import type { AssistantMessage } from "@tau/ai";
import type { SessionEvent } from "@tau/session";
import { eventFrame } from "@tau/session/host";

import { ActivityFollower } from "./activity.ts";
import type { Activity } from "./views/status-lane.ts";

function follow(events: readonly SessionEvent[]): (Activity | undefined)[] {
	const shown: (Activity | undefined)[] = [];
	const follower = new ActivityFollower(
		() => 7,
		(activity) => shown.push(activity),
	);
	for (const event of events) follower.onEvent(eventFrame(event));
	return shown;
}

const call = (toolCallId: string, toolName: string) => ({ toolCallId, toolName, args: {} });

test("from the start to the end of a run", () => {
	const said = follow([
		{ type: "agent_start" },
		{ type: "turn_start" },
		{ type: "tool_execution_start", ...call("1", "bash") },
		{ type: "tool_execution_start", ...call("2", "read") },
		{
			type: "tool_execution_end",
			toolCallId: "1",
			toolName: "bash",
			result: { content: [] },
			isError: false,
		},
		{
			type: "tool_execution_end",
			toolCallId: "2",
			toolName: "read",
			result: { content: [] },
			isError: false,
		},
		{ type: "agent_end", messages: [] },
	]);
	expect(said.map((activity) => activity?.what)).toEqual([
		"waiting for the model",
		"running bash",
		"running bash, read",
		"running read",
		"waiting for the model",
		undefined,
	]);
});

test("a wait has its end time, and disappears when the last attempt has failed", () => {
	const said = follow([
		{ type: "agent_end", messages: [] },
		{ type: "auto_retry_start", attempt: 2, maxAttempts: 5, delayMs: 3000, errorMessage: "Overloaded." },
		{ type: "auto_retry_end", success: false, attempt: 2, finalError: "Overloaded." },
	]);
	expect(said).toEqual([
		undefined,
		{ what: "Overloaded.", remark: "(attempt 2 of 5)", since: 7, until: 3007 },
		undefined,
	]);
});

test("while a question is open the user is waited for, and Escape belongs to the dialog", () => {
	const request = { id: "q", kind: "questions", questions: [] } as never;
	const shown = follow([
		{ type: "agent_start" },
		{ type: "tool_execution_start", ...call("1", "ask") },
		{ type: "request_opened", request },
		{ type: "tool_execution_start", ...call("2", "read") },
		{ type: "request_closed", id: "q", answered: true },
	]);
	expect(shown.slice(2)).toMatchObject([
		{ what: "waiting for your answer", isInterruptible: false },
		{ what: "running ask, read" },
	]);
});

test("a running tool has its own seconds, without what the user took to answer", () => {
	const shown: (Activity | undefined)[] = [];
	let now = 0;
	const follower = new ActivityFollower(
		() => now,
		(activity) => shown.push(activity),
	);
	const at = (time: number, event: SessionEvent): void => {
		now = time;
		follower.onEvent(eventFrame(event));
	};
	const end = { result: { content: [] }, isError: false };
	at(0, { type: "agent_start" });
	at(10, { type: "tool_execution_start", ...call("1", "bash") });
	at(12, { type: "tool_execution_start", ...call("2", "bash") });
	at(13, { type: "request_opened", request: { id: "q", kind: "questions", questions: [] } as never });
	at(33, { type: "request_closed", id: "q", answered: true });
	at(35, { type: "tool_execution_end", toolCallId: "1", toolName: "bash", ...end });
	at(36, { type: "tool_execution_end", toolCallId: "2", toolName: "bash", ...end });
	expect(shown.map((activity) => [activity?.what, activity?.since])).toEqual([
		["waiting for the model", 0],
		["running bash", 10],
		["waiting for your answer", 0],
		["running bash", 30],
		["running bash", 32],
		["waiting for the model", 0],
	]);
});

test("a guest who may not answer is told that the host does, and can still interrupt", () => {
	const shown: (Activity | undefined)[] = [];
	const follower = new ActivityFollower(
		() => 7,
		(activity) => shown.push(activity),
		({ kind }) => kind !== "approval",
	);
	const opened = (kind: string) => ({ type: "request_opened", request: { id: kind, kind } }) as never;
	for (const event of [{ type: "agent_start" } as const, opened("approval"), opened("questions")])
		follower.onEvent(eventFrame(event));
	expect(shown.slice(1)).toEqual([
		{ what: "waiting for the host's answer", since: 7 },
		{ what: "waiting for your answer", since: 7, isInterruptible: false },
	]);
});

test("a provider's error is named before its number", () => {
	const retry = { attempt: 1, maxAttempts: 3, delayMs: 10 };
	const said = follow([
		{ type: "auto_retry_start", ...retry, errorMessage: "HTTP 529: Overloaded" },
		{ type: "auto_retry_start", ...retry, errorMessage: "The connection was closed." },
		{ type: "auto_retry_start", ...retry, errorMessage: "Refused. Is the server running?" },
	]);
	expect(said.map((activity) => activity?.what)).toEqual([
		"Overloaded (529).",
		"The connection was closed.",
		"Refused. Is the server running?",
	]);
});

describe("while an answer comes", () => {
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	const partial: AssistantMessage = {
		role: "assistant",
		content: [],
		api: "anthropic-messages",
		provider: "played",
		model: "played-1",
		usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
		stopReason: "stop",
		timestamp: 0,
	};
	const delta = (type: "thinking_delta" | "text_delta", text: string): SessionEvent => ({
		type: "message_update",
		message: partial,
		assistantMessageEvent: { type, contentIndex: 0, delta: text, partial },
	});

	test("the last headline of its thinking says what it is at", () => {
		const said = follow([
			delta("thinking_delta", "**Looking at"),
			delta("thinking_delta", " the cart**\n\nSome words."),
			delta("thinking_delta", "\n\n**Checking the tests**\n\nMore."),
			delta("text_delta", "Done."),
		]);
		expect(said.map((activity) => activity?.what)).toEqual([
			"thinking",
			"Looking at the cart",
			"Checking the tests",
			"answering",
		]);
	});

	test("its tokens are counted: about, until the provider says how many there were", () => {
		const events = [{ type: "agent_start" } as const, delta("text_delta", "x".repeat(400))];
		expect(follow(events).at(-1)?.written?.()).toBe(100);
		const message = { ...partial, usage: { ...partial.usage, output: 120 } };
		const next = { type: "turn_start" } as const;
		expect(
			follow([...events, { type: "message_end", message }, next])
				.at(-1)
				?.written?.(),
		).toBe(120);
	});
});
