/** Scripts written for Claude Code and codex read what Tau prints. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "bun:test";

import { launch } from "../support/launch.ts";

const model = ["--model", "played/played-1"];
const withBash = {
	steps: [
		{
			answer: {
				blocks: [
					{ thinking: "Look first." },
					{ text: "Let me look." },
					{ toolCall: { name: "bash", arguments: { command: "echo seen; exit 3" }, id: "t1" } },
				],
			},
		},
		"It says seen.",
	],
};

type Line = Record<string, unknown> & { type: string };

function linesOf(out: string): Line[] {
	return out
		.trimEnd()
		.split("\n")
		.map((line): Line => JSON.parse(line));
}

describe("--output-format", () => {
	test("json is the result of the run alone", async () => {
		await using tau = await launch(withBash);
		const { code, out } = await tau.run(["-p", "what?", "--output-format", "json", ...model]);
		const [result, ...rest] = linesOf(out);
		expect({ code, rest }).toEqual({ code: 0, rest: [] });
		expect(result).toMatchObject({
			type: "result",
			subtype: "success",
			is_error: false,
			result: "It says seen.",
			num_turns: 2,
			permission_denials: [],
			usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
			session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
		});
	});

	test("stream-json is the session, its messages in the vendor's form, and the result", async () => {
		await using tau = await launch(withBash);
		const { out } = await tau.run(["-p", "what?", "--output-format", "stream-json", "--verbose", ...model]);
		const lines = linesOf(out);
		expect(lines.map(({ type }) => type)).toEqual(["system", "assistant", "user", "assistant", "result"]);
		expect(lines[0]).toMatchObject({ subtype: "init", cwd: tau.project, model: "played-1" });
		expect(lines[0]?.["tools"]).toContain("bash");
		expect(lines[1]).toMatchObject({
			parent_tool_use_id: null,
			message: {
				role: "assistant",
				stop_reason: "tool_use",
				content: [
					{ type: "thinking", thinking: "Look first." },
					{ type: "text", text: "Let me look." },
					{ type: "tool_use", id: "t1", name: "bash", input: { command: "echo seen; exit 3" } },
				],
			},
		});
		expect(lines[2]).toMatchObject({
			message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", is_error: true }] },
		});
		expect(new Set(lines.map((line) => line["session_id"])).size).toBe(1);
	});

	test("a failure is a result with its reason and exit code 1", async () => {
		await using tau = await launch({ steps: [{ fault: { http: 401 } }] });
		const { code, out } = await tau.run(["-p", "hi", "--output-format", "json", ...model]);
		expect(code).toBe(1);
		expect(linesOf(out)).toMatchObject([
			{ subtype: "error_during_execution", is_error: true, errors: [expect.stringContaining("401")] },
		]);
	});

	test("a value that fits a schema is in the result", async () => {
		await using tau = await launch({ steps: ['{"n":3}'] });
		const schema = '{"type":"object","properties":{"n":{"type":"number"}}}';
		const { out } = await tau.run([
			"-p",
			"n?",
			"--output-format",
			"json",
			"--output-schema",
			schema,
			...model,
		]);
		expect(linesOf(out)).toMatchObject([{ subtype: "success", structured_output: { n: 3 } }]);
	});

	test("with --mode it is a usage error", async () => {
		await using tau = await launch({ steps: [] });
		const { code, err } = await tau.run(["-p", "hi", "--mode", "json", "--output-format", "json", ...model]);
		expect({ code, err }).toEqual({
			code: 2,
			err: "tau: --mode and --output-format cannot be combined: both say how to print.\n",
		});
	});
});

describe("--input-format stream-json", () => {
	const user = (content: unknown): string =>
		`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
	const flags = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", ...model];

	test("each line is a prompt of one conversation, with a result of its own", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		const stdin = user("first") + user([{ type: "text", text: "second" }]);
		const { code, out } = await tau.run(flags, { stdin });
		const results = linesOf(out).filter(({ type }) => type === "result");
		expect({ code, results: results.map((line) => line["result"]) }).toEqual({
			code: 0,
			results: ["One.", "Two."],
		});
		expect(linesOf(out).filter(({ type }) => type === "system")).toHaveLength(1);
		expect(tau.played.requests[1]?.rawBody).toContain("first");
		expect(tau.played.requests[1]?.rawBody).toContain("second");
	});

	test.each([
		["no JSON", "hello\n", "line 1: it is not a JSON object"],
		["no message", '{"type":"user"}\n', "line 1: it has no message"],
		["nothing said", `\n${user([])}`, "line 2: message.content has no text and no image"],
	])("%s names the line", async (_name, stdin, reason) => {
		await using tau = await launch({ steps: [] });
		const { code, err } = await tau.run(flags, { stdin });
		expect(code).toBe(2);
		expect(err).toContain(reason);
	});

	test("beside a prompt of the command line it is a usage error", async () => {
		await using tau = await launch({ steps: [] });
		const { code, err } = await tau.run([...flags, "and this"]);
		expect(code).toBe(2);
		expect(err).toContain("give none here");
	});
});

describe("--mode codex-json", () => {
	test("a turn is its items and its usage", async () => {
		await using tau = await launch({
			steps: [
				...withBash.steps.slice(0, 1),
				{
					answer: {
						blocks: [
							{ toolCall: { name: "write", arguments: { path: "a.txt", content: "hi\n" }, id: "t2" } },
							{ toolCall: { name: "ls", arguments: { path: "." }, id: "t3" } },
						],
					},
				},
				"Done.",
			],
		});
		writeFileSync(join(tau.project, "b.txt"), "b\n");
		const { code, out } = await tau.run(["-p", "go", "--mode", "codex-json", ...model]);
		const lines = linesOf(out);
		expect(code).toBe(0);
		expect(lines[0]).toMatchObject({ type: "thread.started", thread_id: expect.any(String) });
		expect(lines[1]).toEqual({ type: "turn.started" });
		expect(lines.at(-1)).toMatchObject({
			type: "turn.completed",
			usage: { output_tokens: expect.any(Number) },
		});
		const done = lines.flatMap(({ type, item }) => (type === "item.completed" ? [item] : []));
		expect(done).toMatchObject([
			{ type: "reasoning", text: "Look first." },
			{ type: "agent_message", text: "Let me look." },
			{ type: "command_execution", command: "echo seen; exit 3", exit_code: 3, status: "failed" },
			{ type: "file_change", changes: [{ path: join(tau.project, "a.txt") }], status: "completed" },
			{ type: "mcp_tool_call", server: "tau", tool: "ls", status: "completed" },
			{ type: "agent_message", text: "Done." },
		]);
		const started = lines.filter(({ type }) => type === "item.started");
		expect(started).toHaveLength(3);
	});

	test("a failure ends the turn with its reason", async () => {
		await using tau = await launch({ steps: [{ fault: { http: 401 } }] });
		const { code, out } = await tau.run(["-p", "hi", "--mode", "codex-json", ...model]);
		expect(code).toBe(1);
		expect(linesOf(out).at(-1)).toMatchObject({
			type: "turn.failed",
			error: { message: expect.stringContaining("401") },
		});
	});
});
