/** The files on a prompt's way are counted from the calls that a traced session has recorded. */
import { expect, test } from "bun:test";

import { wayIn, wayOut, type Reached } from "./reached.ts";

const start = "coding-agent/src/cli/run.ts:run";
const keys = [
	"agent/src/loop.ts:ask",
	"session/src/run/agent-session.ts:#converse",
	"tui/src/tui.ts:takeInput",
];
const sent: Reached = { id: "fetch", callers: ["ai/src/stream.ts:a", "ai/src/stream.ts:b", ...keys, start] };

test("a file counts once, and the start of the program not at all", () => {
	expect(wayIn([{ id: "fetch", callers: ["sys/src/x.ts:y", start] }, sent])).toEqual([
		"tui/src/tui.ts",
		"session/src/run/agent-session.ts",
		"agent/src/loop.ts",
		"ai/src/stream.ts",
	]);
});

test("the way of an answer goes through two queues, and ends where it is drawn", () => {
	const push = "utils/src/event-stream.ts:push";
	const post = ["ai/src/transport/http.ts:post", ...sent.callers];
	const reached: Reached[] = [
		{ id: push, callers: ["ai/src/message-builder.ts:flush", "ai/src/answer-body.ts:take", ...post] },
		{ id: push, callers: ["agent/src/loop.ts:emit", ...keys, start] },
		{ id: "tui/src/terminal/output.ts:#take", callers: ["tui/src/tui.ts:draw", start] },
		{
			id: "tui/src/terminal/output.ts:#take",
			callers: [
				"tui/src/tui.ts:draw",
				"utils/src/dispose.ts:timer",
				"interactive/src/views/answer.ts:update",
				...keys.slice(1),
				start,
			],
		},
	];
	expect(wayOut(reached)).toEqual([
		"ai/src/transport/http.ts",
		"ai/src/answer-body.ts",
		"ai/src/message-builder.ts",
		"agent/src/loop.ts",
		"session/src/run/agent-session.ts",
		"interactive/src/views/answer.ts",
		"tui/src/tui.ts",
	]);
});
