/** A file may contain anything instead of a message; the session continues all the same. */
import { expect, test } from "bun:test";

import fc from "fast-check";

import { convertToLlm } from "@tau/session/run";
import { SessionManager } from "../session-manager.ts";
import { sanitizeMessage } from "./sanitize-message.ts";
import { answered, entry, folder, header, said } from "../testing/sample.ts";

function contextOf(entries: readonly object[]) {
	using room = folder();
	const lines = entries.map((fields, index) =>
		entry(`${index}`, index === 0 ? null : `${index - 1}`, fields),
	);
	using session = SessionManager.open(room.file([header, ...lines]));
	return session.buildSessionContext().messages;
}

test("a message without its content, its text or its numbers is sanitized before it reaches the model", () => {
	const usage = { ...answered("").usage, output: null };
	const messages = contextOf([
		{ message: null },
		{ message: 5 },
		{ message: { role: "user" } },
		{ message: { role: "assistant", content: null } },
		{ message: { ...answered("kept"), usage, content: [{ type: "text" }, { type: "text", text: "kept" }] } },
		{ message: { role: "user", content: [{ type: "image" }, null, { type: "text", text: "too" }] } },
		{ message: { role: "toolResult", content: "no call" } },
		{ message: { role: "toolResult", toolCallId: "1", content: "bare" } },
		{ message: { role: "bashExecution" } },
		{ type: "custom_message", customType: "x" },
		{ type: "branch_summary", summary: 7 },
	]);
	expect(messages).toMatchObject([
		{ role: "user", content: [] },
		{ role: "assistant", content: [], usage: { input: 0, cost: { total: 0 } } },
		{ content: [{ type: "text", text: "kept" }], usage: { input: 1, output: 0, totalTokens: 2 } },
		{ content: [{ type: "text", text: "too" }] },
		{ role: "toolResult", toolName: "", content: [{ type: "text", text: "bare" }] },
		{ role: "bashExecution", command: "", output: "" },
		{ role: "custom", content: [] },
		{ role: "branchSummary", summary: "" },
	]);
	expect(() => convertToLlm(messages)).not.toThrow();
});

test("a valid message, or one with an extension's role, is unchanged", () => {
	const own = { role: "myExtension", anything: [1] };
	for (const message of [said("a"), answered("b"), own])
		expect(sanitizeMessage(message) as unknown).toBe(message);
});

test("property: whatever replaces a message, the rest can be sent to a model", () => {
	const role = fc.constantFrom(
		"user",
		"assistant",
		"toolResult",
		"bashExecution",
		"custom",
		"compactionSummary",
	);
	const type = fc.constantFrom("text", "image", "thinking", "toolCall", 5);
	const part = fc.record({ type, text: fc.jsonValue(), data: fc.jsonValue() }, { requiredKeys: [] });
	const content = fc.oneof(fc.jsonValue(), fc.array(fc.oneof(part, fc.jsonValue())));
	const broken = fc.record(
		{ role, content, usage: fc.jsonValue(), summary: fc.jsonValue() },
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(fc.array(fc.oneof(broken, fc.jsonValue())), (messages) => {
			const reported = convertToLlm(messages.flatMap((message) => sanitizeMessage(message) ?? []));
			for (const { content: parts } of reported) {
				for (const block of typeof parts === "string" ? [] : parts) {
					if (block.type === "text") expect(block.text).toBeString();
				}
			}
		}),
	);
});
