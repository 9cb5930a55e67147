/** Conversations of Claude Code and Codex become sessions: complete, once, and ready to continue. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	appendFileSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";

import type { AgentMessage } from "@tau/agent";

import { SessionManager, type SessionEntry } from "../log/index.ts";
import { folder, said, type Folder } from "../log/testing/sample.ts";
import { readClaude } from "./claude.ts";
import { readCodex } from "./codex.ts";
import { detect } from "./detect.ts";
import { findSources, importFile, sourceDirectory, type ImportOutcome } from "./index.ts";
import { sourceLines } from "./source-lines.ts";
import type { Transcript } from "./transcript.ts";

const fixtures = join(import.meta.dir, "fixtures");
const claude = join(fixtures, "7d9f1b8e-2c44-4d0e-9a61-0c5f3b7e1a10.jsonl");
const codex = join(fixtures, "rollout-2025-12-01T10-00-00-019ad9c4-5b1e-7c70-8f0e-6a3d2f9b4e55.jsonl");
const oldCodex = join(fixtures, "rollout-2025-07-01T08-00-00-5973b6c0-94b8-487b-a530-2aeb6098ae0e.jsonl");

let home: Folder;
let sessionsDirectory: string;
beforeEach(() => {
	home = folder();
	// In an agent directory of its own, so that its blobs are its own too.
	sessionsDirectory = join(home.path, "sessions/--work--");
});
afterEach(() => home[Symbol.dispose]());

function bring(file: string, existing?: string): ImportOutcome {
	return importFile(file, { directory: sessionsDirectory, existing: () => existing });
}

function sessionOf(outcome: ImportOutcome): string {
	if (!("session" in outcome)) throw new Error(outcome.reason);
	return outcome.session;
}

function brought(file: string): SessionManager {
	return SessionManager.open(sessionOf(bring(file)), sessionsDirectory);
}

/** A message with its role, in short. */
function transcriptOf(messages: readonly AgentMessage[]): string[] {
	return messages.map((message) => {
		if ("summary" in message) return `${message.role}: ${message.summary}`;
		if (!("content" in message)) return message.role;
		const { role, content } = message;
		const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
		return `${role}: ${blocks.map(formatBlock).join(" | ")}`;
	});
}

type Block = Exclude<Extract<AgentMessage, { role: "user" | "assistant" }>["content"], string>[number];

function formatBlock(block: Block): string {
	switch (block.type) {
		case "text":
			return block.text;
		case "thinking":
			return `(${block.thinking})`;
		case "toolCall":
			return `${block.name} ${JSON.stringify(block.arguments)}`;
		case "image":
			return `<${block.mimeType} ${block.data.length}>`;
	}
}

function answers(session: SessionManager) {
	return session
		.getEntries()
		.flatMap((entry) =>
			entry.type === "message" && entry.message.role === "assistant" ? [entry.message] : [],
		);
}

function textOf(entry: SessionEntry): string {
	return entry.type === "message" ? (transcriptOf([entry.message])[0] ?? "") : entry.type;
}

describe("a transcript of Claude Code", () => {
	test("has the current branch, with an answer for each of its messages", () => {
		using session = brought(claude);
		expect(session.getBranch().map(textOf)).toEqual([
			"user: The cart total is wrong. Find out why.",
			"model_change",
			'assistant: (Look at the cart first.) | I will read the cart. | Read {"file_path":"/work/shop/cart.ts"} | Bash {"command":"npm test"}',
			"toolResult: 1  export const total = 0;",
			"toolResult: 1 failed | <image/png 2144>",
			"assistant: The total is a constant.",
			"user: Just sum the prices.",
			"assistant: Done.",
			"compaction",
			"custom_message",
			"user: Now write a test.",
			"model_change",
			"assistant: () | There is one now.",
		]);
		expect(transcriptOf(session.buildSessionContext().messages)).toEqual([
			"compactionSummary: The cart total was a constant; it is summed now.",
			"custom: Caveat: what follows was made by local commands.",
			"user: Now write a test.",
			"assistant: () | There is one now.",
		]);
		expect(session.getProblems()).toEqual([]);
	});

	test("keeps rewound messages and subagents as branches", () => {
		using session = brought(claude);
		const inUse = new Set(session.getBranch().map(({ id }) => id));
		const left = session.getEntries().filter(({ id }) => !inUse.has(id));
		expect(left.map(textOf)).toEqual([
			"user: Look for other constants.",
			"model_change",
			"assistant: There are none.",
			"user: It should look like this. | <image/png 2144>",
			"assistant: ",
		]);
		expect(session.getTree()).toHaveLength(2);
	});

	test("has its directory, times, title, models, usage, signatures and failures", () => {
		using session = brought(claude);
		expect(session.getHeader()).toMatchObject({
			id: "7d9f1b8e-2c44-4d0e-9a61-0c5f3b7e1a10",
			cwd: "/work/shop",
			timestamp: "2025-11-03T09:00:01.500Z",
			importedFrom: { program: "claude", file: claude },
		});
		expect(session.getSessionName()).toBe("The cart");
		expect(session.buildSessionContext().model).toEqual({ provider: "anthropic", modelId: "claude-model-b" });
		const [first, , , failed, , last] = answers(session);
		expect(first).toMatchObject({
			model: "claude-model-a",
			stopReason: "toolUse",
			usage: { input: 4, output: 87, cacheRead: 2000, cacheWrite: 100, totalTokens: 2191 },
			timestamp: Date.parse("2025-11-03T09:00:02.500Z"),
		});
		expect(first?.content[0]).toMatchObject({ thinkingSignature: "c2lnbmVk" });
		expect(failed).toMatchObject({
			content: [],
			stopReason: "error",
			errorMessage: "API Error: Overloaded",
			model: "claude-model-a",
		});
		expect(last).toMatchObject({ stopReason: "length" });
		expect(last?.content[0]).toEqual({
			type: "thinking",
			thinking: "",
			thinkingSignature: "aGlkZGVu",
			redacted: true,
		});
		const result = session.getEntries().findLast((entry) => textOf(entry).startsWith("toolResult"));
		expect(result).toMatchObject({ message: { toolName: "Bash", toolCallId: "toolu_b", isError: true } });
	});

	test("counts unknown lines, and is not stopped by them", () => {
		expect(bring(claude)).toMatchObject({
			kind: "imported",
			unknown: new Map([
				["novel-thing", 1],
				["unreadable", 1],
			]),
		});
	});

	test("continues where it stopped, also if a subagent's message is last", () => {
		const file = home.file(
			readFileSync(claude, "utf8")
				.split("\n")
				.filter((line) => /"(u-1|u-9|s-1|s-2)","timestamp"/.test(line))
				.toSorted((a, b) => Number(a.includes("s-")) - Number(b.includes("s-"))),
			"a.jsonl",
		);
		using session = brought(file);
		expect(transcriptOf(session.buildSessionContext().messages).at(-1)).toBe(
			"assistant: The total is a constant.",
		);
		session.appendMessage(said("and on"));
		expect(session.getBranch().map(textOf).slice(-3)).toEqual([
			"assistant: The total is a constant.",
			"custom",
			"user: and on",
		]);
	});
});

describe("a rollout of Codex", () => {
	test("has the conversation without duplicates, and rewound turns as a branch", () => {
		using session = brought(codex);
		expect(session.getBranch().map(textOf)).toEqual([
			"custom",
			"custom",
			"custom",
			"model_change",
			"thinking_level_change",
			"user: List the files.",
			'assistant: (**Listing**) | shell {"command":["bash","-lc","ls"]} | shell {"input":"not json"}',
			"toolResult: cart.ts\n",
			"toolResult: no such command",
			'assistant: apply_patch {"input":"*** Begin Patch\\n*** End Patch"}',
			"toolResult: Success.",
			'assistant: web_search {"type":"search","query":"cart"}',
			"toolResult: [Not in the rollout]",
			"assistant: There is cart.ts.",
			"model_change",
			"user: Never mind the picture.",
			"assistant: Gladly.",
			"compaction",
			"user: What now?",
			"assistant: Nothing.",
		]);
		const inUse = new Set(session.getBranch().map(({ id }) => id));
		const left = session.getEntries().filter(({ id }) => !inUse.has(id));
		expect(left.map(textOf)).toEqual(["user: <b>Use this</b> | <image/png 2144>", "assistant: A picture."]);
		expect(transcriptOf(session.buildSessionContext().messages)).toEqual([
			"compactionSummary: We listed the files of the shop.",
			"user: What now?",
			"assistant: Nothing.",
		]);
	});

	test("has its directory, time, title, models, thinking, usage and failures", () => {
		using session = brought(codex);
		expect(session.getHeader()).toMatchObject({
			id: "019ad9c4-5b1e-7c70-8f0e-6a3d2f9b4e55",
			cwd: "/work/shop",
			timestamp: "2025-12-01T10:00:00.100Z",
		});
		expect(session.getSessionName()).toBe("Files of the shop");
		const { model, thinkingLevel } = session.buildSessionContext();
		expect(model).toEqual({ provider: "openai", modelId: "gpt-model-b" });
		expect(thinkingLevel).toBe("high");
		const [first, , , fourth] = answers(session);
		expect(first).toMatchObject({
			stopReason: "toolUse",
			usage: { input: 200, cacheRead: 1000, output: 30, totalTokens: 1230 },
		});
		expect(fourth).toMatchObject({ stopReason: "stop", usage: { input: 100, cacheRead: 1400, output: 9 } });
		const failed = session.getEntries().find((entry) => textOf(entry).includes("no such command"));
		expect(failed).toMatchObject({ message: { isError: true, toolName: "shell" } });
		expect(bring(codex, session.getSessionFile())).toMatchObject({ unknown: new Map([["of_tomorrow", 1]]) });
	});

	test("of the first versions is imported too", () => {
		using session = brought(oldCodex);
		expect(transcriptOf(session.buildSessionContext().messages)).toEqual([
			"user: Hello?",
			"assistant: Hello.",
		]);
		expect(session.getSessionId()).toBe("5973b6c0-94b8-487b-a530-2aeb6098ae0e");
		expect(session.getEntries()[0]?.timestamp).toBe("2025-07-01T08:00:00.000Z");
	});
});

describe("imported again", () => {
	test("it exists once, and large images are blobs", () => {
		const session = sessionOf(bring(claude));
		const before = readFileSync(session);
		expect(bring(claude, session)).toMatchObject({ kind: "current", session });
		expect(readdirSync(sessionsDirectory)).toEqual([basename(session)]);
		expect(readFileSync(session)).toEqual(before);
		expect(before.toString()).toContain('"data":"blob:sha256:');
		expect(readdirSync(join(home.path, "blobs"))).toHaveLength(1);
	});

	function growing(): { file: string; session: string; grow: () => void } {
		const file = join(home.path, basename(codex));
		copyFileSync(codex, file);
		const item = { type: "message", role: "user", content: [{ type: "input_text", text: "One more." }] };
		const line = { timestamp: "2025-12-02T10:00:00.000Z", type: "response_item", payload: item };
		return {
			file,
			session: sessionOf(bring(file)),
			grow: () => appendFileSync(file, `${JSON.stringify(line)}\n`),
		};
	}

	test("messages added in its own program are imported", () => {
		const { file, session, grow } = growing();
		grow();
		expect(bring(file, session)).toMatchObject({ kind: "updated", session });
		using opened = SessionManager.open(session);
		expect(opened.getBranch().map(textOf).at(-1)).toBe("user: One more.");
		expect(opened.getHeader().cwd).toBe("/work/shop");
	});

	test("messages added in Tau stay, whether the other file grew or not", () => {
		const { file, session, grow } = growing();
		{
			using opened = SessionManager.open(session);
			opened.appendMessage(said("only here"));
		}
		const before = readFileSync(session);
		expect(bring(file, session)).toMatchObject({ kind: "current" });
		grow();
		expect(bring(file, session)).toMatchObject({ kind: "diverged" });
		expect(readFileSync(session)).toEqual(before);
	});

	test("an open session is left unchanged", () => {
		const { file, session, grow } = growing();
		grow();
		using _opened = SessionManager.open(session);
		expect(bring(file, session)).toMatchObject({ kind: "in use" });
	});

	test("a session moved to another project stays there", async () => {
		const { file, session, grow } = growing();
		const other = join(home.path, "sessions/--other--");
		using opened = SessionManager.open(session);
		await opened.moveTo("/other", other);
		const moved = opened.getSessionFile() ?? "";
		opened[Symbol.dispose]();
		grow();
		expect(bring(file, moved)).toMatchObject({ kind: "updated", session: moved });
		using again = SessionManager.open(moved);
		expect(again.getHeader().cwd).toBe("/other");
	});
});

describe("anything else", () => {
	const foreignFiles: [promise: string, text: string, reason: string][] = [
		["a session of Tau", '{"type":"session","version":3,"id":"x"}\n', "open it with --session"],
		[
			"another file",
			'{"hello":"world"}\nnot json\n',
			"not a session of Claude Code, Codex, Gemini CLI or opencode",
		],
		["an empty file", "", "the file is empty"],
		["a session without messages", '{"type":"summary","summary":"x","leafUuid":"y"}\n', "no messages"],
	];
	test.each(foreignFiles)("%s is ignored, and nothing is written", (_, text, reason) => {
		const file = join(home.path, "a.jsonl");
		writeFileSync(file, text);
		expect(bring(file)).toEqual({ kind: "passed over", reason: expect.stringContaining(reason) });
		expect(existsSync(sessionsDirectory)).toBe(false);
	});

	test("an id that is a path becomes a file name", () => {
		const file = home.file(
			[{ type: "user", uuid: "a", sessionId: "../../x", message: { content: "hi" } }],
			"b.jsonl",
		);
		expect(sessionOf(bring(file))).toStartWith(`${sessionsDirectory}/`);
	});
});

test("lines are read whole, however long they are, and a torn one counts too", () => {
	const long = "é".repeat(3_000_000);
	const file = join(home.path, "lines.jsonl");
	writeFileSync(file, `{"a":1}\n\n{"a":"${long}"}\r\n[1]\n{"a":2}\n{"a":`);
	expect([...sourceLines(file)]).toEqual([
		{ number: 1, value: { a: 1 } },
		{ number: 3, value: { a: long } },
		{ number: 4, value: undefined },
		{ number: 5, value: { a: 2 } },
		{ number: 6, value: undefined },
	]);
});

test("the program is recognized from the file", () => {
	expect([claude, codex, oldCodex].map(detect)).toEqual(["claude", "codex", "codex"]);
});

test("a directory is searched for sessions; subagents belong to one, and links are not followed", () => {
	const base = join(home.path, "projects");
	for (const name of ["-work/x/subagents", "-work/x/tool-results", "2025/12/01"]) {
		mkdirSync(join(base, name), { recursive: true });
	}
	const files = ["-work/b.jsonl", "-work/a.jsonl", "2025/12/01/rollout-x.jsonl"];
	const others = ["-work/agent-1.jsonl", "-work/x/subagents/agent-2.jsonl", "-work/x/tool-results/c.jsonl"];
	for (const name of [...files, ...others, "-work/notes.txt"]) writeFileSync(join(base, name), "");
	symlinkSync(base, join(base, "2025/loop"));
	expect(findSources([base])).toEqual({
		files: ["-work/a.jsonl", "-work/b.jsonl", "2025/12/01/rollout-x.jsonl"].map((name) => join(base, name)),
		passedOver: 2,
	});
	expect(findSources([join(base, "-work/agent-1.jsonl")]).files).toHaveLength(1);
	expect(sourceDirectory("claude", "/home/me", {})).toBe("/home/me/.claude/projects");
	expect(sourceDirectory("codex", "/home/me", { CODEX_HOME: "/else" })).toBe("/else/sessions");
});

/** Lines as a program might write them, with fields missing, swapped and of the wrong type. */
function strangeLines(types: readonly string[]): fc.Arbitrary<Record<string, unknown>[]> {
	const id = fc.constantFrom("a", "b", "c", "d", "");
	const block = fc.oneof(
		fc.record({
			type: fc.constantFrom("text", "thinking", "tool_use", "tool_result", "image"),
			id,
			text: fc.string(),
		}),
		fc.record({ type: fc.constantFrom("tool_result"), tool_use_id: id, content: fc.anything() }),
		fc.anything(),
	);
	const content = fc.oneof(fc.string(), fc.array(block, { maxLength: 3 }), fc.anything());
	const payload = fc.record({
		type: fc.constantFrom(
			"message",
			"reasoning",
			"function_call",
			"function_call_output",
			"thread_rolled_back",
		),
		role: fc.constantFrom("user", "assistant", "developer"),
		call_id: id,
		num_turns: fc.integer(),
		arguments: fc.string(),
		output: fc.anything(),
		content,
	});
	const line = fc.record(
		{
			type: fc.constantFrom(...types),
			subtype: fc.constantFrom("compact_boundary", "other"),
			uuid: id,
			parentUuid: fc.oneof(id, fc.constant(null)),
			logicalParentUuid: id,
			isSidechain: fc.boolean(),
			isCompactSummary: fc.boolean(),
			isMeta: fc.boolean(),
			message: fc.record({ id, content, model: fc.constantFrom("m", "n") }),
			payload: fc.oneof(payload, fc.anything()),
			timestamp: fc.oneof(fc.string(), fc.constant("2025-01-01T00:00:00Z")),
		},
		{ requiredKeys: [] },
	);
	return fc.array(line, { maxLength: 30 });
}

const readers: [name: string, read: typeof readClaude, types: string[]][] = [
	["Claude Code", readClaude, ["user", "assistant", "system", "summary", "progress"]],
	[
		"Codex",
		readCodex,
		["response_item", "event_msg", "turn_context", "compacted", "session_meta", "message"],
	],
];
test.each(readers)("property: any file of %s becomes a tree whose parents come first", (_, read, types) => {
	fc.assert(
		fc.property(strangeLines(types), (lines) => {
			const source = lines.map((value, index) => ({ number: index + 1, value }));
			const { entries, leaf }: Transcript = read(source, { path: "/x/a.jsonl", modified: new Date(0) });
			const seen = new Set<string | null>([null]);
			for (const { key, parent, timestamp } of entries) {
				expect(seen.has(parent)).toBe(true);
				expect(seen.has(key)).toBe(false);
				expect(Number.isNaN(Date.parse(timestamp))).toBe(false);
				seen.add(key);
			}
			expect(seen.has(leaf)).toBe(true);
		}),
	);
});
