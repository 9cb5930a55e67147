/** The events of a session are rendered for the user, in their order. */
import { describe, expect, test } from "bun:test";

import type { AssistantMessage } from "@tau/ai";
import type { TranscriptBlock } from "@tau/tui";
import type { SessionEvent } from "@tau/session";
import { eventFrame } from "@tau/session/host";
import { Live } from "@tau/wire";

import { ConversationView, type BlockSink } from "./conversation-view.ts";
import { condensedViewContext } from "./testing/condensed.ts";
import { frame } from "./testing/view-context.ts";
import { pastBlocks } from "./views/message-views.ts";
import type { ViewContext } from "./views/view-context.ts";

function answer(
	content: AssistantMessage["content"],
	more: Partial<AssistantMessage> = {},
): AssistantMessage {
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	return {
		role: "assistant",
		content,
		api: "anthropic-messages",
		provider: "played",
		model: "played-1",
		usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
		stopReason: "stop",
		timestamp: 0,
		...more,
	};
}

function sinkOf(blocks: TranscriptBlock[]): BlockSink {
	return {
		addChild: (block) => void blocks.push(block),
		removeChild: (block) => void blocks.splice(blocks.indexOf(block), 1),
	};
}

/** A view of a session, and what it shows. */
function viewIn(context: ViewContext, blocks: TranscriptBlock[]) {
	const live = new Live();
	const view = new ConversationView(context, sinkOf(blocks), () => live);
	return {
		view,
		onEvent(event: SessionEvent): void {
			const lean = eventFrame(event);
			live.apply(lean);
			view.onEvent(lean);
		},
	};
}

function shown(events: readonly SessionEvent[]): { text: string; blocks: TranscriptBlock[] } {
	const blocks: TranscriptBlock[] = [];
	const view = viewIn(condensedViewContext(), blocks);
	for (const event of events) view.onEvent(event);
	return { text: blocks.map((block) => frame(block, 60)).join("\n"), blocks };
}

const call = { type: "toolCall" as const, id: "1", name: "bash", arguments: { command: "ls" } };
const user = { role: "user" as const, content: "look", timestamp: 0 };
const result = { content: [{ type: "text" as const, text: "a b c" }] };

test("a turn with text, a call and its result", () => {
	const message = answer([{ type: "text", text: "Looking." }, call], { stopReason: "toolUse" });
	const { text, blocks } = shown([
		{ type: "message_start", message: user },
		{ type: "message_start", message },
		{
			type: "message_update",
			message,
			assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "Looking.", partial: message },
		},
		{ type: "message_end", message },
		{ type: "tool_execution_start", toolCallId: "1", toolName: "bash", args: { command: "ls" } },
		{ type: "tool_execution_end", toolCallId: "1", toolName: "bash", result, isError: false },
	]);
	expect(text).toMatchInlineSnapshot(`
	  "
	   ❯ look

	   Looking.

	   ✓ bash $ ls · a b c"
	`);
	expect(blocks.every((block) => block.isFinal?.() !== false)).toBe(true);
});

test("a resumed conversation looks the same", () => {
	const message = answer([{ type: "text", text: "Looking." }, call, { ...call, id: "2" }]);
	const results = ["1", "2"].map((toolCallId) => ({
		role: "toolResult" as const,
		toolCallId,
		toolName: "bash",
		...result,
		isError: false,
		timestamp: 0,
	}));
	const live = shown([
		{ type: "message_start", message: user },
		{ type: "message_start", message },
		{ type: "message_end", message },
		...results.flatMap(({ toolCallId }): SessionEvent[] => [
			{ type: "tool_execution_start", toolCallId, toolName: "bash", args: { command: "ls" } },
			{ type: "tool_execution_end", toolCallId, toolName: "bash", result, isError: false },
		]),
	]).text;
	const past = pastBlocks(condensedViewContext(), [user, message, ...results]).map((block) =>
		frame(block, 60),
	);
	expect(past.join("\n")).toBe(live);
});

test("a rewritten call looks the same after a resume: as it ran", () => {
	const message = answer([call]);
	const args = { command: "ls -la" };
	const ended = {
		role: "toolResult" as const,
		toolCallId: "1",
		toolName: "bash",
		...result,
		isError: false,
		rewritten: { by: ["The extension long-lists"], arguments: args },
		timestamp: 0,
	};
	const live = shown([
		{ type: "message_start", message },
		{ type: "message_end", message },
		{ type: "tool_execution_start", toolCallId: "1", toolName: "bash", args },
		{ type: "tool_execution_end", toolCallId: "1", toolName: "bash", result, isError: false },
	]).text;
	const past = pastBlocks(condensedViewContext(), [message, ended]).map((block) => frame(block, 60));
	expect(live).toContain("ls -la");
	expect(past.join("\n")).toBe(live);
});

describe("consecutive file reads", () => {
	const paths = ["a.ts", "b.ts", "gone.ts", "c.ts"];
	const reads = paths.map((path, at) => ({
		type: "toolCall" as const,
		id: `r${at}`,
		name: "read",
		arguments: { path },
	}));
	const isError = (path: unknown): boolean => path === "gone.ts";
	const ends = reads.map(({ id, arguments: args }): SessionEvent => ({
		type: "tool_execution_end",
		toolCallId: id,
		toolName: "read",
		result: { content: [{ type: "text", text: isError(args.path) ? "No such file." : "text" }] },
		isError: isError(args.path),
	}));
	const begun = reads.flatMap((read): SessionEvent[] => {
		const message = answer([read], { stopReason: "toolUse" });
		return [
			{ type: "message_start", message },
			{ type: "message_end", message },
			{ type: "tool_execution_start", toolCallId: read.id, toolName: "read", args: read.arguments },
		];
	});

	test("are one line, and a failed one is separate", () => {
		const { text, blocks } = shown([...begun, ...ends, { type: "agent_end", messages: [] }]);
		expect(text).toMatchInlineSnapshot(`
		  "
		   ✓ read ×3 a.ts, b.ts, c.ts

		   ✗ read gone.ts
		     No such file."
		`);
		expect(blocks.every((block) => block.isFinal?.() !== false)).toBe(true);
	});

	test("have a line each while they run, and fold as they end", () => {
		const { text, blocks } = shown([...begun, ...ends.slice(0, 2)]);
		expect(text.split("\n").map((row) => row.slice(3))).toEqual([
			"",
			"read ×2 a.ts, b.ts",
			"read gone.ts",
			"read c.ts",
		]);
		// More may join them, and what is in the terminal's scrollback cannot be changed.
		expect(blocks.map((block) => block.isFinal?.())).toEqual([false]);
	});

	test("that end after something else has started are drawn as they ended", () => {
		const blocks: TranscriptBlock[] = [];
		const view = viewIn(condensedViewContext(), blocks);
		for (const event of begun) view.onEvent(event);
		view.view.notice("Meanwhile.", "info");
		expect(blocks.map((block) => frame(block, 60)).join("\n")).toContain("read c.ts");
		for (const event of ends) view.onEvent(event);
		expect(blocks.map((block) => block.isFinal?.() !== false)).toEqual([true, true]);
		expect(frame(blocks[0] ?? expect.unreachable(), 60)).toContain("✓ read ×3 a.ts, b.ts, c.ts");
	});

	test("look the same after a resume", () => {
		const messages = reads.flatMap((read) => [
			answer([read], { stopReason: "toolUse" }),
			{
				role: "toolResult" as const,
				toolCallId: read.id,
				toolName: "read",
				content: [{ type: "text" as const, text: isError(read.arguments.path) ? "No such file." : "text" }],
				isError: isError(read.arguments.path),
				timestamp: 0,
			},
		]);
		const past = pastBlocks(condensedViewContext(), messages).map((block) => frame(block, 60));
		expect(past.join("\n")).toBe(shown([...begun, ...ends, { type: "agent_end", messages: [] }]).text);
	});

	test("are shown separately with their results if results are expanded", () => {
		const blocks: TranscriptBlock[] = [];
		const viewContext = condensedViewContext();
		viewContext.expandTools = true;
		const view = viewIn(viewContext, blocks);
		for (const event of [...begun, ...ends]) view.onEvent(event);
		expect(blocks.map((block) => frame(block, 60)).join("\n")).toMatchInlineSnapshot(`
		  "
		   ✓ read a.ts
		     text

		   ✓ read b.ts
		     text

		   ✗ read gone.ts
		     No such file.

		   ✓ read c.ts
		     text"
		`);
	});
});

describe("an error that is tried again", () => {
	const failure = { kind: "overloaded" as const, message: "HTTP 529: Overloaded" };
	const failed = answer([], { stopReason: "error", failure });
	const retry = { attempt: 1, maxAttempts: 3, delayMs: 10, errorMessage: failure.message };
	const answered: SessionEvent[] = [
		{ type: "message_start", message: failed },
		{ type: "message_end", message: failed },
	];

	test("is not left in the transcript", () => {
		expect(shown(answered).text).toContain("Overloaded");
		expect(shown([...answered, { type: "auto_retry_start", ...retry }]).text).not.toContain("Overloaded");
		const compacting = { type: "compaction_start" as const, reason: "overflow" as const, willRetry: true };
		expect(shown([...answered, compacting]).text).not.toContain("Overloaded");
	});

	test("stays when it was the last try", () => {
		const events: SessionEvent[] = [...answered, { type: "auto_retry_start", ...retry }, ...answered];
		expect(shown(events).text.match(/Overloaded/g)).toHaveLength(1);
	});

	test("is not shown when the session is opened again", () => {
		const view = condensedViewContext();
		const past = (messages: AssistantMessage[]): string =>
			pastBlocks(view, messages)
				.map((block) => frame(block, 60))
				.join("\n");
		expect(past([failed, answer([{ type: "text", text: "Done." }])])).toBe("\n Done.");
		expect(past([failed])).toContain("Overloaded");
	});
});

test("a long turn ends with a line that says how long it took, a short one does not", () => {
	const ended = (ms: number): string => {
		const blocks: TranscriptBlock[] = [];
		const viewContext = condensedViewContext();
		const view = viewIn(viewContext, blocks);
		view.onEvent({ type: "agent_start" });
		viewContext.clock.pass(ms);
		view.onEvent({ type: "agent_end", messages: [] });
		view.onEvent({ type: "phase_changed", phase: "idle", previous: "settling" });
		return blocks.map((block) => frame(block, 60)).join("\n");
	};
	expect(ended(4000)).toBe("");
	expect(ended(24_000)).toMatch(/^\n · 24s · \d\d:\d\d$/);
});

test("calls that are lines touch; what has a body has a blank row around it", () => {
	const end = (id: string, text: string, isError: boolean): SessionEvent => ({
		type: "tool_execution_end",
		toolCallId: id,
		toolName: "bash",
		result: { content: [{ type: "text", text }] },
		isError,
	});
	const start = (id: string): SessionEvent => ({
		type: "tool_execution_start",
		toolCallId: id,
		toolName: "bash",
		args: { command: id },
	});
	const events = ["a", "b", "c", "d"].flatMap((id) => [
		start(id),
		end(id, id === "c" ? "broken" : "", id === "c"),
		{ type: "notice", message: "note", level: "info" } as SessionEvent,
	]);
	// A notice is a line as well.
	expect(shown(events).text).toBe(
		[
			"",
			" ✓ bash $ a",
			" · note",
			"",
			" ✓ bash $ b",
			" · note",
			"",
			" ✗ bash $ c",
			"   broken",
			"",
			" · note",
			"",
			" ✓ bash $ d",
			" · note",
		].join("\n"),
	);
});

test("a failure has two sentences: the reason and what helps", () => {
	const failure = { kind: "auth" as const, message: "HTTP 401: invalid x-api-key" };
	const message = answer([], { stopReason: "error", failure });
	const { text } = shown([
		{ type: "message_start", message },
		{ type: "message_end", message },
	]);
	expect(text).toContain("invalid x-api-key. Check the");
});

test("an interrupted answer leaves no call waiting, and says why it ended", () => {
	const failure = { kind: "auth" as const, message: "The key is wrong." };
	const message = answer([{ type: "text", text: "I w" }, call], { stopReason: "error", failure });
	const { text, blocks } = shown([
		{ type: "message_start", message },
		{ type: "message_end", message },
		{ type: "agent_end", messages: [] },
	]);
	expect(text).toContain("· bash $ ls");
	expect(text).toContain("played/played-1: The key is wrong. Check the key");
	expect(blocks.every((block) => block.isFinal?.() !== false)).toBe(true);
});

test("an abort, a summary and a spent budget are shown", () => {
	const stopped = answer([], { stopReason: "aborted" });
	const { text } = shown([
		{ type: "message_start", message: stopped },
		{ type: "message_end", message: stopped },
		{
			type: "compaction_end",
			reason: "manual",
			aborted: false,
			willRetry: false,
			result: {
				summary: "s",
				shortSummary: "Learn Greek.",
				firstKeptEntryId: "x",
				tokensBefore: 45_000,
				details: undefined,
			},
		},
		{ type: "budget_exhausted", limit: "cost", message: "The budget is spent." },
	]);
	expect(text).toContain("! Interrupted.");
	expect(text).toContain("── compacted from 45k tokens · Learn Greek. ─");
	expect(text).toContain("! The budget is spent.");
});

test("text of a model, a tool or a user cannot contain control sequences", () => {
	const evil = "\u001b[2J\u001b]0;gotcha\u0007\u009b31mwipe";
	const message = answer([
		{ type: "text", text: evil },
		{ ...call, arguments: { command: evil } },
	]);
	const { blocks } = shown([
		{ type: "message_start", message: { ...user, content: evil } },
		{ type: "message_start", message },
		{ type: "message_end", message },
		{ type: "tool_execution_start", toolCallId: "1", toolName: "bash", args: { command: evil } },
		{
			type: "tool_execution_end",
			toolCallId: "1",
			toolName: "bash",
			result: { content: [{ type: "text", text: evil }] },
			isError: true,
		},
		{ type: "notice", level: "warning", message: evil },
	]);
	const rows = blocks.flatMap((block) => block.render(60)).join("\n");
	expect(rows).toContain("wipe");
	expect(rows).not.toMatch(/\u001b\[2J|\u001b\]0;|\u009b/);
});

test("a message that began before the view was there is shown once, when it ends", () => {
	const joined = (leafId: string | null): string => {
		const blocks: TranscriptBlock[] = [];
		const context = condensedViewContext();
		const { view, onEvent } = viewIn(context, blocks);
		const isInPast = leafId === "e2";
		view.join({ blocks: isInPast ? pastBlocks(context, [user]) : [], openCalls: new Map() }, true, leafId);
		onEvent({ type: "message_end", message: user, entryId: "e2" });
		return blocks.map((block) => frame(block, 60)).join("\n");
	};
	for (const leafId of ["e1", "e2", null]) expect(joined(leafId).match(/look/g)).toHaveLength(1);
});
