/** The status lane says in a word what a session is doing. */
import { expect, test } from "bun:test";
import type { SessionEvent } from "@tau/session";

import { ActivityFollower } from "./activity.ts";
import type { Activity } from "./views/status-lane.ts";

function follow(events: readonly SessionEvent[]): (Activity | undefined)[] {
	const shown: (Activity | undefined)[] = [];
	const follower = new ActivityFollower(
		() => 7,
		(activity) => shown.push(activity),
	);
	for (const event of events) follower.onEvent(event);
	return shown;
}

const call = (toolCallId: string, toolName: string) => ({ toolCallId, toolName, args: {} });

test("from the first word to the last", () => {
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

test("a wait says until when, and goes when the last try has failed", () => {
	const said = follow([
		{ type: "agent_end", messages: [] },
		{ type: "auto_retry_start", attempt: 2, maxAttempts: 5, delayMs: 3000, errorMessage: "Overloaded." },
		{ type: "auto_retry_end", success: false, attempt: 2, finalError: "Overloaded." },
	]);
	expect(said).toEqual([
		undefined,
		{ what: "Overloaded. Retrying (attempt 2 of 5)", since: 7, until: 3007 },
		undefined,
	]);
});
