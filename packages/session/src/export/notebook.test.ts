/** A session with cells can be continued in Jupyter. */
import { expect, test } from "bun:test";

import { SessionManager } from "@tau/log";
import { toNotebook } from "./notebook.ts";
import { exportSource } from "./source.ts";

test("cells of Python are cells with their outputs, and the conversation is text", () => {
	using session = SessionManager.inMemory("/work");
	const result = {
		role: "toolResult",
		toolCallId: "1",
		toolName: "eval",
		isError: false,
		timestamp: 1,
	} as const;
	session.appendMessage({ role: "user", content: "What is x?", timestamp: 1 });
	session.appendMessage({
		...result,
		content: [
			{ type: "text", text: "41\n42" },
			{ type: "image", data: "AAAA", mimeType: "image/png" },
		],
		details: { language: "python", code: "print(41)\nx = 42\nx" },
	});
	session.appendMessage({
		...result,
		content: [{ type: "text", text: "1" }],
		details: { language: "js", code: "1" },
	});
	session.appendMessage({
		role: "pythonExecution",
		code: "x + 1",
		output: "43",
		exitCode: 0,
		cancelled: false,
		truncated: false,
		timestamp: 1,
	});
	const { cells, nbformat } = JSON.parse(toNotebook(exportSource(session)));
	expect(nbformat).toBe(4);
	expect(
		cells.map(({ cell_type, source }: { cell_type: string; source: string[] }) => [
			cell_type,
			source.join(""),
		]),
	).toEqual([
		["markdown", expect.stringContaining("# Session")],
		["markdown", "**You:** What is x?"],
		["code", "print(41)\nx = 42\nx"],
		["markdown", "```js\n1\n```\n\n```\n1\n```"],
		["code", "x + 1"],
	]);
	expect(cells[2].outputs).toEqual([
		{ output_type: "stream", name: "stdout", text: ["41\n", "42"] },
		{ output_type: "display_data", data: { "image/png": "AAAA" }, metadata: {} },
	]);
});
