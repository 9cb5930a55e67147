/** Which results are shortened, to what, and what is stored of them. */
import { describe, expect, test } from "bun:test";

import fc from "fast-check";
import type { ToolResultEvent } from "@tau/extensions/api";
import { SessionManager } from "@tau/log";

import { redact, summaryOf } from "./redact.ts";
import { storedIn, storedType } from "@tau/session/export";

const text = (label: string): ToolResultEvent["content"] => [{ type: "text", text: label }];
const long = text("one\ntwo\nthree");

function shortened(more: Partial<ToolResultEvent>) {
	const log = SessionManager.inMemory("/work");
	const pi = { appendEntry: (type: string, data: unknown) => void log.appendCustomEntry(type, data) };
	const event: ToolResultEvent = {
		type: "tool_result",
		toolCallId: "call-1",
		toolName: "lookup",
		input: { query: "foo", limit: 5 },
		content: long,
		details: undefined,
		isError: false,
		...more,
	};
	return { result: redact(event, 1234.4, pi, { sessionManager: log }), log };
}

test("a long text becomes a summary of the call, and the whole is in the session", () => {
	const { result, log } = shortened({ details: { rows: 3, exitCode: 0 } });
	const entryId = log.getLeafId() ?? expect.unreachable();
	expect(result).toEqual({
		content: [{ type: "text", text: '(query: "foo", limit: 5)' }],
		details: { rows: 3, exitCode: 0, _mu: { toolCallId: "call-1", entryId } },
	});
	expect(log.getEntry(entryId)).toMatchObject({ type: "custom", customType: storedType });
	expect(storedIn(log, entryId)).toEqual({
		toolCallId: "call-1",
		toolName: "lookup",
		input: { query: "foo", limit: 5 },
		content: [{ type: "text", text: "one\ntwo\nthree" }],
		isError: false,
		timestamp: expect.any(Number),
		exitCode: 0,
		duration: 1234,
	});
});

describe("unchanged, with nothing stored in the session:", () => {
	const kept: Record<string, Partial<ToolResultEvent>> = {
		"a failure": { isError: true },
		"an error in the details": { details: { error: "no such host" } },
		"a failure by its exit code": { details: { exitCode: 2 } },
		"a failure by its status": { details: { status: "Failed" } },
		"a denied success": { details: { success: false } },
		"an image": { content: [...long, { type: "image", mimeType: "image/png", data: "AAAA" }] },
		"nothing at all": { content: [] },
		"one short line": { content: text("All is well.\n") },
		"details with no room for a mark": { details: ["a", "b"] },
	};
	for (const [what, event] of Object.entries(kept))
		test(what, () => {
			const { result, log } = shortened(event);
			expect(result).toBeUndefined();
			expect(log.getEntries()).toEqual([]);
		});
});

test("details that only look like an error do not keep a result long", () => {
	expect(shortened({ details: { error: null, status: "ok", exitCode: 0 } }).result).toBeDefined();
});

test("a summary is one line of limited length, whatever the arguments", () => {
	expect(summaryOf({})).toBe("(no arguments)");
	fc.assert(
		fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
			const summary = summaryOf(input);
			expect(summary).toMatch(/^\(.*\)$/);
			expect([...new Intl.Segmenter().segment(summary)].length).toBeLessThanOrEqual(202);
		}),
	);
});
