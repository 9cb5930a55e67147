/** Exports contain the conversation, and its text cannot become markup. */
import fc from "fast-check";
import { describe, expect, test } from "bun:test";

import { SessionManager } from "@tau/log";
import { answered, said } from "@tau/log/testing";
import { shareDocument } from "./document.ts";
import { toJson } from "./export-session.ts";
import { toMarkdown } from "./markdown.ts";
import { toNotebook } from "./notebook.ts";
import { exportSource, type ExportSource } from "./source.ts";
import { walkTree } from "./walk.ts";

/** A question, two answers to it of which the second is in use, thinking, a call and its result. */
function talk(text = "hello"): ExportSource {
	using session = SessionManager.inMemory("/work");
	const first = session.appendMessage(said(text));
	session.appendMessage(answered("the answer that was left"));
	session.branch(first);
	session.appendMessage(
		answered("", {
			content: [
				{ type: "thinking", thinking: `thinking of ${text}` },
				{ type: "toolCall", id: "1", name: "bash", arguments: { command: text } },
			],
		}),
	);
	session.appendMessage({
		role: "toolResult",
		toolCallId: "1",
		toolName: "bash",
		content: [{ type: "text", text }],
		isError: true,
		timestamp: 3,
	});
	session.appendSessionInfo(text);
	return exportSource(session);
}

describe("Markdown", () => {
	test("contains the current branch, with the roles", () => {
		const text = toMarkdown(talk());
		expect(text).toStartWith("# hello\n");
		expect(text).toContain("\n## User\n\nhello\n\n## Assistant\n\n> thinking of hello\n\n**bash**\n\n```\n");
		expect(text).toContain("**bash (failed)**");
		expect(text).not.toContain("the answer that was left");
	});

	test("a fence in the output of a tool does not end the block", () => {
		const text = toMarkdown(talk("a\n````\nb"));
		expect(text).toContain("`````\na\n````\nb\n`````\n");
	});
});

test("a call with changed arguments shows who changed them, and what ran", () => {
	using session = SessionManager.inMemory("/work");
	const wrote = { type: "toolCall" as const, id: "1", name: "bash", arguments: { command: "rm -rf build" } };
	session.appendMessage(answered("", { content: [wrote] }));
	session.appendMessage({
		role: "toolResult",
		toolCallId: "1",
		toolName: "bash",
		content: [{ type: "text", text: "moved" }],
		isError: false,
		rewritten: { by: ["The extension trash"], arguments: { command: "trash build" } },
		timestamp: 1,
	});
	const text = toMarkdown(exportSource(session));
	expect(text).toMatch(/rm -rf build[^]*changed by: The extension trash[^]*trash build[^]*moved/);
});

test("a template call shows the typed command, and separately its expansion", () => {
	using session = SessionManager.inMemory("/work");
	session.appendMessage({ ...said("Review a.ts with care."), called: "/review a.ts" });
	const source = exportSource(session);
	expect(toMarkdown(source)).toMatch(/## User\n\n\/review a\.ts\n\n\*\*expanded\*\*[^]*with care/);
});

test("a tool result is complete, also if the screen shortens it", () => {
	using session = SessionManager.inMemory("/work");
	session.appendMessage(said("look"));
	const content = [{ type: "text", text: "all of it" }];
	const data = { toolCallId: "1", toolName: "lookup", input: {}, content };
	const entryId = session.appendCustomEntry("mu_tool_result_full_v1", data);
	const result = { role: "toolResult" as const, toolName: "lookup", isError: false, timestamp: 3 };
	const short = [{ type: "text" as const, text: "(short)" }];
	for (const toolCallId of ["1", "lost"]) {
		const details = { _mu: { toolCallId, entryId } };
		session.appendMessage({ ...result, toolCallId, content: short, details });
	}
	for (const text of [toMarkdown(exportSource(session)), JSON.stringify(shareDocument(session, "all"))])
		expect(text).toMatch(/all of it[^]*\(short\)/);
});

test("JSON contains the header and the entries of the branch unchanged", () => {
	const source = talk();
	const read = JSON.parse(toJson(source));
	expect(read).toEqual(JSON.parse(JSON.stringify({ session: source.header, entries: source.branch })));
	expect(read.entries).toHaveLength(4);
});

test("control sequences are removed from Markdown", () => {
	const source = talk("red \u001b[31mtext\u001b]0;title\u0007 \u009b1m");
	expect(toMarkdown(source)).not.toMatch(/[\u001b\u0007\u009b]/);
});

test("entries of any shape are exported", () => {
	using session = SessionManager.inMemory("/work");
	session.appendMessage(said("begin"));
	const [head] = session.getBranch();
	const source = exportSource(session);
	fc.assert(
		fc.property(fc.constantFrom("message", "compaction", "label", "odd"), fc.object(), (type, fields) => {
			const entry = Object.assign({}, head, { message: fields, summary: fields }, { ...fields, type });
			const odd = { ...source, branch: [entry] };
			expect(toMarkdown(odd)).toStartWith("# ");
			expect(JSON.parse(toNotebook(odd))).toHaveProperty("cells");
		}),
	);
});

test("a very deep session is exported", () => {
	using session = SessionManager.inMemory("/work");
	for (let count = 0; count < 20_000; count++) session.appendThinkingLevelChange("low");
	expect([...walkTree(session.getTree(), new Set())]).toHaveLength(20_000);
});
