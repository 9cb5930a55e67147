/** The checked-in schema is the one that the program uses, and every line of a run matches it. */
import { expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";
import { z } from "zod";
import { autoRetry, budgetGuard, type Behavior, type SessionEvent } from "@tau/session";
import { SessionManager } from "@tau/log";
import { builtinTools } from "@tau/integrations/builtin";
import { printSchema } from "@tau/wire";

import { testToolEnv } from "../../../../../test/support/tool-env.ts";
import { testModel, testSession } from "../../../../../test/support/session.ts";
import { jsonPrinter } from "./json-printer.ts";
import schema from "./schema.json" with { type: "json" };

test("schema.json is the output of `bun scripts/schemas.ts`: run it if this fails", () => {
	expect<object>(schema).toEqual(printSchema());
});

/** Interrupts the first answer that has text, and adds a message of its own. */
const objecting: Behavior = {
	name: "objecting",
	attach: (session) =>
		session.onBefore(["message_update"], (event) => {
			if (event.assistantMessageEvent.type !== "text_delta") return;
			if (!event.assistantMessageEvent.delta.includes("wrong")) return;
			session.interrupt({
				reason: "that is wrong",
				discard: true,
				message: {
					role: "custom",
					customType: "objection",
					content: "No.",
					display: false,
					timestamp: Date.now(),
				},
			});
		}),
};

async function linesOf(
	scenario: Scenario,
	act: (event: SessionEvent, session: ReturnType<typeof testSession>) => void = () => {},
): Promise<string[]> {
	await using played = await playModel(scenario);
	await using env = await testToolEnv();
	const lines: string[] = [];
	using session = testSession(testModel({ baseUrl: played.anthropicUrl, reasoning: true }), {
		tools: builtinTools.map((tool) => tool.bind(env)),
		behaviors: [
			objecting,
			autoRetry({ maxAttempts: 1, baseDelayMs: 0, maxDelayMs: 0 }),
			budgetGuard({ maxTurns: 4 }),
		],
	});
	using _act = session.subscribe((event) => act(event, session));
	using _printer = session.subscribe(
		jsonPrinter({ isTerminal: false, write: (line) => void lines.push(line) }).onEvent,
	);
	await session.prompt({ text: "go", images: [{ type: "image", mimeType: "image/png", data: "AAAA" }] });
	return lines;
}

const call = (name: string, args: Record<string, unknown> | string) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});
const hanging = {
	answer: { blocks: [{ text: "a long answer", chunks: 13 }] },
	fault: { pauseMs: 60_000, afterChunks: 3 },
};

const runs: [what: string, scenario: Scenario, act?: Parameters<typeof linesOf>[1]][] = [
	["an answer", { steps: ["Hello."] }],
	[
		"thinking, text and calls",
		{
			steps: [
				{
					answer: {
						blocks: [
							{ thinking: "hm", signature: "s" },
							{ redactedThinking: "xyz" },
							{ text: "Look:" },
							{ toolCall: { name: "bash", arguments: { command: "echo one; sleep 0.2; echo two" } } },
							{ toolCall: { name: "read", arguments: { path: "." } } },
						],
						usage: { input: 9, output: 8, cacheRead: 7, cacheWrite: 6 },
					},
				},
				"done",
			],
		},
	],
	[
		"calls that go wrong",
		{ steps: [call("none", {}), call("read", { path: 7 }), call("bash", "{broken"), "x"] },
	],
	["a failure", { steps: [{ fault: { http: 401 } }] }],
	["a retry", { steps: [{ fault: { http: 529 } }, "At last."] }],
	["a retry in vain", { steps: [{ fault: { http: 529 }, times: "always" }] }],
	["an answer that is too long", { steps: [{ answer: { blocks: [{ text: "x" }], stopReason: "length" } }] }],
	["an answer that is torn", { steps: [{ fault: { tornAtByte: 700 }, answer: "torn" }, "whole"] }],
	["a spent budget", { steps: [{ ...call("read", { path: "." }), times: "always" }] }],
	["an answer that is cut short", { steps: ["this is wrong", "right"] }],
	[
		"an abort",
		{ steps: [hanging] },
		(event, session) => {
			if (event.type === "message_update") session.abort();
		},
	],
	[
		"steering and following",
		{ steps: [call("read", { path: "." }), "one", "two"] },
		(event, session) => {
			if (event.type === "tool_execution_start") session.steer({ text: "left" });
			if (event.type === "tool_execution_end") session.followUp({ text: "and then" });
		},
	],
];

const line = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);

function problemsOf(text: string): unknown[] {
	const parsed = line.safeParse(JSON.parse(text));
	return parsed.success ? [] : [{ text: text.slice(0, 500), issues: parsed.error.issues }];
}

test.each(runs.map(([what, ...run]) => ({ what, run })))(
	"every line of $what matches the schema",
	async ({ run }) => {
		const lines = await linesOf(...run);
		expect(lines.length).toBeGreaterThan(5);
		expect(lines.flatMap(problemsOf)).toEqual([]);
	},
);

test("the runs cover every event except those of titles, notices and compactions", async () => {
	const types = new Set<unknown>();
	for (const [, scenario, act] of runs) {
		for (const text of await linesOf(scenario, act)) types.add(JSON.parse(text).type);
	}
	expect([...types].toSorted()).toEqual([
		"agent_end",
		"agent_start",
		"auto_retry_end",
		"auto_retry_start",
		"budget_exhausted",
		"message_end",
		"message_start",
		"message_update",
		"queue_update",
		"tool_execution_end",
		"tool_execution_start",
		"tool_execution_update",
		"turn_end",
		"turn_start",
	]);
});

test.each<[string, object]>([
	["a notice", { type: "notice", level: "info", message: "saved" }],
	["a title", { type: "session_info_changed", name: "Work" }],
	["the beginning of a compaction", { type: "auto_compaction_start", reason: "overflow", willRetry: true }],
	[
		"its end",
		{
			type: "compaction_end",
			reason: "manual",
			result: { summary: "x", firstKeptEntryId: "a", tokensBefore: 9, details: {} },
			aborted: false,
			willRetry: false,
		},
	],
	[
		"its failure",
		{ type: "auto_compaction_end", result: null, aborted: false, willRetry: false, errorMessage: "no" },
	],
	["the header of a session", SessionManager.inMemory("/work").getHeader()],
])("%s matches the schema", (_, event) => {
	expect(problemsOf(JSON.stringify(event))).toEqual([]);
});

test.each<[string, object]>([
	["an event of an unknown type", { type: "nonsense" }],
	["an update without its news", { type: "message_update", message: { role: "assistant" } }],
	["an end without its message", { type: "message_end" }],
])("%s does not match the schema", (_, event) => {
	expect(problemsOf(JSON.stringify(event))).not.toEqual([]);
});
