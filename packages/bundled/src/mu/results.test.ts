/** The results of a session, as its log has them. */
import { expect, test } from "bun:test";

import type { AssistantMessage } from "@tau/ai";
import { SessionManager } from "@tau/log";

import { limits } from "./limits.ts";
import { recentResults } from "./results.ts";
import { storedType } from "@tau/session/export";

const nobody = { of: () => undefined };

function said(log: SessionManager, id: string, args: Record<string, unknown>): void {
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	const message: AssistantMessage = {
		role: "assistant",
		content: [{ type: "toolCall", id, name: "lookup", arguments: args }],
		api: "anthropic-messages",
		provider: "played",
		model: "played-1",
		usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
		stopReason: "toolUse",
		timestamp: 0,
	};
	log.appendMessage(message);
}

function gave(log: SessionManager, toolCallId: string, text: string, more: object = {}): void {
	const one = { role: "toolResult" as const, toolCallId, toolName: "lookup", isError: false, timestamp: 5 };
	log.appendMessage({ ...one, content: [{ type: "text", text }], ...more });
}

test("the newest comes first, with its arguments, and a shortened one is complete", () => {
	const log = SessionManager.inMemory("/work");
	said(log, "1", { query: "a" });
	gave(log, "1", "short", { isError: true, details: { exitCode: 3 } });
	said(log, "2", { query: "b" });
	const content = [{ type: "text", text: "whole" }];
	log.appendCustomEntry(storedType, { toolCallId: "2", toolName: "lookup", content, duration: 1500 });
	gave(log, "2", '(query: "b")');
	expect(recentResults(log, { of: (id) => (id === "1" ? 20 : undefined) })).toMatchObject([
		{ toolCallId: "2", input: { query: "b" }, content, isError: false, duration: 1500, timestamp: 5 },
		{ toolCallId: "1", input: { query: "a" }, isError: true, exitCode: 3, duration: 20 },
	]);
});

test("a command of an earlier run still says how long it took", () => {
	const log = SessionManager.inMemory("/work");
	gave(log, "1", "done", { details: { exitCode: 0, durationMs: 2500 } });
	gave(log, "2", "done", { details: { durationMs: "long" } });
	expect(recentResults(log, nobody).map(({ duration }) => duration)).toEqual([undefined, 2500]);
});

test("images are named but not stored, and entries of other extensions do no harm", () => {
	const log = SessionManager.inMemory("/work");
	for (const data of [
		undefined,
		null,
		7,
		{ toolCallId: 1 },
		{ toolCallId: "1", toolName: "x", content: [1] },
	])
		log.appendCustomEntry(storedType, data);
	gave(log, "2", "", { content: [{ type: "image", mimeType: "image/png", data: "AAAA" }] });
	expect(recentResults(log, nobody)).toMatchObject([
		{ toolCallId: "2", content: [{ type: "image", mimeType: "image/png", dataLength: 4 }], input: {} },
	]);
});

test("the number of results has a limit, each with its call", () => {
	const log = SessionManager.inMemory("/work");
	for (let at = 0; at < limits.viewedResults + 30; at++) {
		said(log, `${at}`, { at });
		gave(log, `${at}`, "text");
	}
	const viewedResults = recentResults(log, nobody);
	expect(viewedResults).toHaveLength(limits.viewedResults);
	expect(viewedResults.every(({ toolCallId, input }) => input.at === Number(toolCallId))).toBe(true);
	expect(viewedResults[0]?.toolCallId).toBe(`${limits.viewedResults + 29}`);
});

test("messages that are torn or come from another program are ignored, and the others are listed", () => {
	const log = SessionManager.inMemory("/work");
	const odd: unknown[] = [
		null,
		"text",
		{ role: "assistant" },
		{
			role: "assistant",
			content: [null, { type: "toolCall" }, { type: "toolCall", id: "1", arguments: null }],
		},
		{ role: "toolResult", toolCallId: 5, toolName: "x", content: [] },
		{ role: "toolResult", toolCallId: "1", toolName: "none", content: null },
		{ role: "toolResult", toolCallId: "2", toolName: "words", content: "words" },
		{
			role: "toolResult",
			toolCallId: "3",
			toolName: "parts",
			content: [null, { type: "text" }, { type: "image" }],
		},
	];
	// As they are in the file, whatever the types say.
	for (const message of odd) Reflect.apply(log.appendMessage, log, [message]);
	gave(log, "4", "sound");
	expect(recentResults(log, nobody).map(({ toolName, content }) => [toolName, content])).toEqual([
		["lookup", [{ type: "text", text: "sound" }]],
		["parts", []],
		["words", [{ type: "text", text: "words" }]],
		["none", []],
	]);
});
