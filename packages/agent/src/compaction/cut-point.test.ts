/** A conversation stays valid wherever it is cut: no call loses its result, and no message is lost in between. */
import { describe, expect, test } from "bun:test";

import type { AssistantMessage, ToolResultMessage } from "@tau/ai";
import fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import type { AgentMessage } from "../types.ts";
import { findCutPoint, type Piece } from "./cut-point.ts";
import { prepareCompaction } from "./prepare.ts";

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function question(text: string): AgentMessage {
	return { role: "user", content: text, timestamp: 0 };
}

function answered(text: string, calls: readonly string[] = []): AssistantMessage {
	return {
		role: "assistant",
		content: [
			{ type: "text", text },
			...calls.map((id) => ({ type: "toolCall" as const, id, name: "read", arguments: { path: id } })),
		],
		api: "test",
		provider: "test",
		model: "test",
		usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
		stopReason: calls.length > 0 ? "toolUse" : "stop",
		timestamp: 0,
	};
}

function result(toolCallId: string, text: string): ToolResultMessage {
	return {
		role: "toolResult",
		toolCallId,
		toolName: "read",
		content: [{ type: "text", text }],
		isError: false,
		timestamp: 0,
	};
}

function path(...messages: (AgentMessage | undefined)[]): Piece[] {
	return messages.map((message, index) => ({ id: `e${index}`, ...(message ? { message } : {}) }));
}

/** A text of about this many tokens. */
function long(tokens: number): string {
	return "word ".repeat(Math.ceil((tokens * 4) / 5));
}

describe("the cut", () => {
	test("keeps about as much as requested, in whole turns where possible", () => {
		const pieces = path(
			...Array.from({ length: 10 }, () => [question(long(500)), answered(long(500))]).flat(),
		);
		const cut = findCutPoint(pieces, 2500);
		expect(cut).toEqual({ firstKept: 16 });
	});

	test("goes through a turn that is longer than the kept part, and reports where that turn began", () => {
		const work = Array.from({ length: 6 }, (_, n) => [
			answered("look", [`c${n}`]),
			result(`c${n}`, long(900)),
		]);
		const pieces = path(question("before"), answered("yes"), question("a lot"), ...work.flat());
		const cut = findCutPoint(pieces, 2000);
		expect(cut).toEqual({ firstKept: 11, turnStart: 2 });
	});

	test("is never between a call and its result, however long the result is", () => {
		const pieces = path(
			question("one"),
			answered("look", ["a", "b"]),
			result("a", "x"),
			result("b", long(50_000)),
		);
		expect(findCutPoint(pieces, 1000)).toEqual({ firstKept: 1, turnStart: 0 });
	});

	test("is never between them when a message came before all results", () => {
		const pieces = path(
			question("one"),
			answered("look", ["a", "b"]),
			result("a", long(100)),
			question("quick!"),
			result("b", long(100)),
			answered("so"),
		);
		for (const keep of [1, 50, 120, 200, 300])
			expect([1, 5]).toContain(findCutPoint(pieces, keep)?.firstKept ?? 1);
	});

	test("keeps the metadata of the first kept message, such as the change of its model", () => {
		const pieces = path(
			question(long(900)),
			answered(long(900)),
			undefined,
			undefined,
			question(long(900)),
			answered("x"),
		);
		expect(findCutPoint(pieces, 800)).toEqual({ firstKept: 2 });
	});

	test("is not made if nothing can be cut off", () => {
		expect(findCutPoint([], 100)).toBeUndefined();
		expect(findCutPoint(path(undefined), 0)).toBeUndefined();
		expect(findCutPoint(path(question("short"), answered("yes")), 20_000)).toBeUndefined();
		expect(findCutPoint(path(question(long(50_000))), 20_000)).toBeUndefined();
	});
});

/** A conversation as any file may contain it: results misplaced, repeated, without a call, or missing. */
const anyPiece = fc.oneof(
	{ weight: 2, arbitrary: fc.nat(400).map((size) => question("u".repeat(size))) },
	{
		weight: 3,
		arbitrary: fc
			.tuple(fc.nat(400), fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 }))
			.map(([size, calls]) => answered("t".repeat(size), calls)),
	},
	{
		weight: 4,
		arbitrary: fc
			.tuple(fc.constantFrom("a", "b", "c", "d"), fc.nat(2000))
			.map(([id, size]) => result(id, "r".repeat(size))),
	},
	{ weight: 1, arbitrary: fc.constant(undefined) },
);

test("for any cut, each kept result has its call, and the kept and the summarized messages are all there are", () => {
	fc.assert(
		fc.property(fc.array(anyPiece, { minLength: 4, maxLength: 40 }), fc.nat(1500), (messages, keepTokens) => {
			const pieces = path(...messages);
			const prepared = prepareCompaction(pieces, { keepTokens, access: () => [] });
			if (!prepared) return;
			const at = pieces.findIndex(({ id }) => id === prepared.firstKeptEntryId);
			const keptMessages = pieces.slice(at).flatMap(({ message }) => message ?? []);
			const gone = [...prepared.messagesToSummarize, ...prepared.turnPrefixMessages];
			expect([...gone, ...keptMessages]).toEqual(messages.flatMap((message) => message ?? []));
			expect(gone.length).toBeGreaterThan(0);
			expect(keptMessages.length).toBeGreaterThan(0);
			expect(keptMessages[0]?.role).not.toBe("toolResult");
			expect(prepared.isSplitTurn).toBe(prepared.turnPrefixMessages.length > 0);
			const open = new Set<string>();
			for (const message of gone) {
				if (message.role === "assistant")
					for (const block of message.content) if (block.type === "toolCall") open.add(block.id);
			}
			const own = new Set<string>();
			for (const message of keptMessages) {
				if (message.role === "assistant")
					for (const block of message.content) if (block.type === "toolCall") own.add(block.id);
				// A result without any call may be lost.
				if (message.role === "toolResult" && open.has(message.toolCallId))
					expect(own.has(message.toolCallId)).toBe(true);
			}
		}),
		{ numRuns: samples(400) },
	);
});
