/** The cost of a session includes all of its branches, without reading the messages. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

import type { AssistantMessage } from "@tau/ai";
import fc from "fast-check";

import { limits } from "../limits.ts";
import { SessionManager } from "../session-manager.ts";
import { folder, type Folder } from "../testing/sample.ts";

let home: Folder;
beforeEach(() => {
	home = folder();
});
afterEach(() => home[Symbol.dispose]());

function answer(text: string, tokens: number, more: Partial<AssistantMessage> = {}): AssistantMessage {
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	return {
		role: "assistant",
		content: [{ type: "text", text }],
		api: "anthropic-messages",
		provider: "played",
		model: "m",
		usage: { ...none, output: tokens, totalTokens: tokens, cost: { ...none, total: tokens } },
		stopReason: "stop",
		timestamp: 1,
		...more,
	};
}

const tokensOf = (session: SessionManager): unknown[] =>
	[...session.spent()].map(({ usage, isTurn }) => (isTurn ? usage?.totalTokens : [usage?.totalTokens]));

const long = "x".repeat(3 * limits.spentBytes);

test("abandoned branches count, in the order of the file, also after a resume", () => {
	const path = join(home.path, "s.jsonl");
	{
		using session = SessionManager.open(path);
		const first = session.appendMessage({ role: "user", content: "hi", timestamp: 0 });
		session.appendMessage(answer("short", 1));
		session.branch(first);
		session.appendMessage(answer(long, 2));
		session.branch(first);
		session.appendMessage(answer("last", 4));
		expect(tokensOf(session)).toEqual([1, 2, 4]);
	}
	using again = SessionManager.open(path);
	expect(tokensOf(again)).toEqual([1, 2, 4]);
});

test("what pi spent on summaries and beside the conversation counts too", () => {
	const path = join(home.path, "s.jsonl");
	{
		using session = SessionManager.open(path);
		session.appendMessage(answer("a", 1));
	}
	const { usage } = answer("", 8);
	for (const type of ["usage", "compaction", "branch_summary"]) {
		const entry = { type, id: `x-${type}`, parentId: null, timestamp: "2026-01-01", provider: "p", usage };
		appendFileSync(path, `${JSON.stringify(entry)}\n`);
	}
	using again = SessionManager.open(path);
	expect(tokensOf(again)).toEqual([1, [8], [8], [8]]);
});

test("usage in tool results, and text that looks like it, does not count", () => {
	const path = join(home.path, "s.jsonl");
	const bait = `],"api":"x","usage":{"totalTokens":99},"stopReason":"stop"}}`;
	{
		using session = SessionManager.open(path);
		session.appendMessage({
			role: "toolResult",
			toolCallId: "1",
			toolName: "task",
			content: [{ type: "text", text: long + bait }],
			details: { answers: [answer(long, 99)] },
			isError: false,
			timestamp: 0,
		});
		session.appendMessage(answer(long + bait, 3));
		const call = { type: "toolCall" as const, id: "1", name: "t", arguments: { a: [], api: "x", b: [long] } };
		session.appendMessage(answer("", 5, { content: [call] }));
		// So long that the end of its line does not contain its usage.
		session.appendMessage(answer(long, 6, { stopReason: "error", errorMessage: long }));
	}
	using again = SessionManager.open(path);
	expect(tokensOf(again)).toEqual([3, 5, 6]);
});

test("the text of a short message is not read either", () => {
	const path = join(home.path, "s.jsonl");
	const line = (message: object): string =>
		JSON.stringify({
			type: "message",
			id: crypto.randomUUID(),
			parentId: null,
			timestamp: "2026-01-01",
			message,
		});
	const result = { role: "toolResult", toolCallId: "1", toolName: "task", isError: false, timestamp: 0 };
	const lines = [
		JSON.stringify({ type: "session", version: 3, id: "a", timestamp: "", cwd: "/" }),
		// Its text is no JSON, which whoever read it would notice.
		line(answer("torn", 1)).replace("torn", "\\q"),
		line({ role: "user", content: '],"api":"x","usage":{"totalTokens":99}}', timestamp: 0 }),
		line({ ...result, content: [], details: { answers: [answer("", 99)] } }),
		line({ ...result, content: [], usage: { totalTokens: 2 }, details: { answers: [answer("", 99)] } }),
		line(answer("last", 4)),
	];
	appendFileSync(path, `${lines.join("\n")}\n`);
	const opened = SessionManager.tryOpen(path, { access: "read" });
	if (!opened.ok) throw new Error(opened.reason);
	using log = opened.session;
	expect(tokensOf(log)).toEqual([1, [2], 4]);
});

test("property: usage is counted with keys in any order and any text", () => {
	let at = 0;
	fc.assert(
		fc.property(
			fc.string({ unit: "grapheme", maxLength: 50 }),
			fc.nat(3),
			fc.boolean(),
			fc.nat(1000),
			(text, repeat, isTurned, tokens) => {
				const assistantMessage = answer(text.repeat(1 + repeat * 100), tokens);
				const message = isTurned
					? Object.fromEntries(Object.entries(assistantMessage).toReversed())
					: assistantMessage;
				const entry = { type: "message", id: `id-${at++}`, parentId: null, timestamp: "2026-01-01", message };
				const one = join(home.path, `one-${at}.jsonl`);
				appendFileSync(
					one,
					`${JSON.stringify({ type: "session", version: 3, id: "a", timestamp: "", cwd: "/" })}\n`,
				);
				appendFileSync(one, `${JSON.stringify(entry)}\n`);
				const opened = SessionManager.tryOpen(one, { access: "read" });
				if (!opened.ok) throw new Error(opened.reason);
				using log = opened.session;
				expect(tokensOf(log)).toEqual([tokens]);
			},
		),
		{ numRuns: 60 },
	);
});
