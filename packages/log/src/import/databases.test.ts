/** Conversations of Gemini CLI and opencode become sessions, like those of Claude Code and Codex. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { SessionManager } from "../log/index.ts";
import { folder, type Folder } from "../log/testing/sample.ts";
import { findSources, importFile, sourceDirectory, type ImportOutcome } from "./index.ts";

let home: Folder;
beforeEach(() => {
	home = folder();
});
afterEach(() => home[Symbol.dispose]());

const sessionsDirectory = (): string => join(home.path, "sessions/--work--");

function bring(file: string, existing?: string): ImportOutcome {
	return importFile(file, { directory: sessionsDirectory(), existing: () => existing });
}

function write(path: string, value: unknown): string {
	const file = join(home.path, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value, null, 2));
	return file;
}

/** The conversation in short, with the header. */
function read(outcome: ImportOutcome): { cwd: string; title: string | undefined; lines: string[] } {
	if (!("session" in outcome)) throw new Error(outcome.reason);
	using session = SessionManager.open(outcome.session, sessionsDirectory());
	const lines = session.buildSessionContext().messages.flatMap((message) => {
		if ("summary" in message) return [`${message.role}: ${message.summary}`];
		if (!("content" in message)) return [message.role];
		const blocks =
			typeof message.content === "string"
				? [{ type: "text" as const, text: message.content }]
				: message.content;
		const isError = "isError" in message && message.isError;
		return blocks.map((block) => {
			if (block.type === "text") return `${message.role}${isError ? " (error)" : ""}: ${block.text}`;
			if (block.type === "thinking") return `thinking: ${block.thinking}`;
			if (block.type === "toolCall") return `call ${block.name} ${JSON.stringify(block.arguments)}`;
			return `${message.role}: ${block.type}`;
		});
	});
	return { cwd: session.getCwd(), title: session.getSessionName(), lines };
}

const geminiMessages = [
	{ id: "m0", timestamp: "2026-05-01T10:00:00.000Z", type: "info", content: "Signed in." },
	{ id: "m1", timestamp: "2026-05-01T10:00:01.000Z", type: "user", content: [{ text: "what is here?" }] },
	{
		id: "m2",
		timestamp: "2026-05-01T10:00:02.000Z",
		type: "gemini",
		content: "I'll look.",
		model: "gemini-3-pro",
		thoughts: [{ subject: "Looking", description: "A list first." }],
		tokens: { input: 100, output: 20, cached: 40, thoughts: 5, total: 125 },
		toolCalls: [
			{
				id: "c1",
				name: "list_directory",
				args: { path: "." },
				status: "success",
				result: [{ functionResponse: { id: "c1", name: "list_directory", response: { output: "a.txt" } } }],
			},
			{
				id: "c2",
				name: "read_file",
				args: { path: "b.txt" },
				status: "error",
				result: [{ functionResponse: { id: "c2", name: "read_file", response: { error: "no such file" } } }],
			},
		],
	},
	{ id: "m3", timestamp: "2026-05-01T10:00:03.000Z", type: "gemini", content: "One file: a.txt." },
];
const geminiLines = [
	"user: what is here?",
	"thinking: **Looking**\n\nA list first.",
	"assistant: I'll look.",
	'call list_directory {"path":"."}',
	'call read_file {"path":"b.txt"}',
	"toolResult: a.txt",
	"toolResult (error): no such file",
	"assistant: One file: a.txt.",
];

test("a chat of Gemini CLI is imported with calls, results, thoughts and usage", () => {
	const file = write(".gemini/tmp/1a2b/chats/session-2026-05-01T10-00-abc.json", {
		sessionId: "9c1d7f0e-0000-4000-8000-000000000001",
		projectHash: new Bun.CryptoHasher("sha256").update("/work/shop").digest("hex"),
		startTime: "2026-05-01T10:00:00.000Z",
		summary: "Files of the shop",
		messages: geminiMessages,
	});
	write(".gemini/projects.json", { projects: { "/work/shop": "shop", "/work/else": "else" } });
	write(".gemini/tmp/1a2b/logs.json", [{ sessionId: "x" }]);
	write(".gemini/tmp/1a2b/chats/9c1d/agent.jsonl", "{}\n");
	expect(findSources([sourceDirectory("gemini", home.path, {})])).toEqual({ files: [file], passedOver: 1 });
	const outcome = bring(file);
	expect(outcome).toMatchObject({ kind: "imported", program: "gemini", unknown: new Map() });
	expect(read(outcome)).toEqual({ cwd: "/work/shop", title: "Files of the shop", lines: geminiLines });
	if (!("session" in outcome)) throw new Error("not imported");
	expect(bring(file, outcome.session).kind).toBe("current");
});

test("in a log of Gemini CLI the last record of a message counts, and what was rewound is gone", () => {
	const [info, prompt, answer, end] = geminiMessages;
	const facts = {
		sessionId: "9c1d7f0e-0000-4000-8000-000000000002",
		projectHash: "h",
		startTime: info?.timestamp,
	};
	const records = [
		facts,
		info,
		prompt,
		{ ...answer, toolCalls: [] },
		answer,
		end,
		{ id: "m4", type: "user", timestamp: "2026-05-01T10:00:04.000Z", content: "wrong" },
		{ $rewindTo: "m4" },
		{ $set: { lastUpdated: "2026-05-01T10:00:05.000Z", summary: "Again" } },
	];
	const text = records.map((one) => `${JSON.stringify(one)}\n`).join("");
	const file = write(".gemini/tmp/shop/chats/session-2026-05-01T10-00-abd.jsonl", `${text}{"torn`);
	write(".gemini/tmp/shop/.project_root", "/work/shop\n");
	const outcome = bring(file);
	expect(outcome).toMatchObject({ kind: "imported", unknown: new Map([["unreadable", 1]]) });
	expect(read(outcome)).toEqual({ cwd: "/work/shop", title: "Again", lines: geminiLines });
});

const created = Date.parse("2026-05-01T10:00:00.000Z");
const opencodeMessages = [
	{ id: "msg_1", role: "user", time: { created }, model: { providerID: "anthropic", modelID: "claude-x" } },
	{
		id: "msg_2",
		role: "assistant",
		time: { created: created + 1000 },
		providerID: "anthropic",
		modelID: "claude-x",
		cost: 0.25,
		tokens: { input: 10, output: 5, reasoning: 1, cache: { read: 7, write: 3 } },
	},
];
const pixel = "data:image/png;base64,iVBORw0KGgo=";
const opencodeParts: Record<string, object[]> = {
	msg_1: [
		{ id: "prt_1", type: "text", text: "look at this" },
		{ id: "prt_2", type: "file", mime: "image/png", filename: "a.png", url: pixel },
		{ id: "prt_3", type: "text", text: "<file>…</file>", synthetic: true },
	],
	msg_2: [
		{ id: "prt_4", type: "step-start" },
		{ id: "prt_5", type: "reasoning", text: "Two calls." },
		{
			id: "prt_6",
			type: "tool",
			callID: "c1",
			tool: "bash",
			state: { status: "completed", input: { command: "ls" }, output: "a.txt" },
		},
		{
			id: "prt_7",
			type: "tool",
			callID: "c2",
			tool: "read",
			state: { status: "error", input: { filePath: "b" }, error: "no such file" },
		},
		{ id: "prt_8", type: "step-finish", reason: "tool-calls" },
		{ id: "prt_9", type: "step-start" },
		{ id: "prt_a", type: "text", text: "Done." },
		{ id: "prt_b", type: "hologram" },
	],
};
const opencodeLines = [
	"user: look at this",
	"user: image",
	"thinking: Two calls.",
	'call bash {"command":"ls"}',
	'call read {"filePath":"b"}',
	"toolResult: a.txt",
	"toolResult (error): no such file",
	"assistant: Done.",
];

test("sessions of opencode's database are imported, without those of its agents", () => {
	mkdirSync(join(home.path, ".local/share/opencode"), { recursive: true });
	const path = join(home.path, ".local/share/opencode/opencode.db");
	using database = new Database(path);
	database.run("PRAGMA journal_mode = WAL");
	database.run(
		"CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER)",
	);
	database.run("CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)");
	database.run(
		"CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT)",
	);
	const session = database.query("INSERT INTO session VALUES (?, 'p', ?, '/work/shop', ?, ?, 0)");
	session.run("ses_1", null, "A picture", created);
	session.run("ses_2", "ses_1", "An agent", created);
	for (const { id, ...data } of opencodeMessages) {
		const row = [id, "ses_1", data.time.created, JSON.stringify(data)];
		database.query("INSERT INTO message VALUES (?, ?, ?, ?)").run(...row);
		for (const part of opencodeParts[id] ?? [])
			database
				.query("INSERT INTO part VALUES (?, ?, 'ses_1', 0, ?)")
				.run((part as { id: string }).id, id, JSON.stringify(part));
	}
	const { files, passedOver } = findSources([sourceDirectory("opencode", home.path, {})]);
	expect({ files, passedOver }).toEqual({ files: [`${path}/ses_1`], passedOver: 1 });
	const outcome = bring(files[0] ?? "");
	expect(outcome).toMatchObject({ kind: "imported", id: "ses_1", unknown: new Map([["hologram", 1]]) });
	expect(read(outcome)).toEqual({ cwd: "/work/shop", title: "A picture", lines: opencodeLines });
	expect(() => bring(`${path}/ses_9`)).toThrow("has no session ses_9");
});

test("sessions that older versions of opencode wrote as files are imported", () => {
	const storage = ".local/share/opencode/storage";
	const file = write(`${storage}/session/p/ses_1.json`, {
		id: "ses_1",
		directory: "/work/shop",
		title: "New session - 2026-05-01T10:00:00.000Z",
		time: { created },
	});
	for (const message of opencodeMessages) {
		write(`${storage}/message/ses_1/${message.id}.json`, message);
		for (const part of opencodeParts[message.id] ?? [])
			write(`${storage}/part/${message.id}/${(part as { id: string }).id}.json`, part);
	}
	expect(findSources([sourceDirectory("opencode", home.path, {})]).files).toEqual([file]);
	expect(read(bring(file))).toEqual({ cwd: "/work/shop", title: undefined, lines: opencodeLines });
});

test("a damaged database or file is an error that names it, or passed over", () => {
	const database = write("opencode.db", "not a database");
	expect(() => findSources([database])).toThrow();
	const torn = write("session-torn.json", '{ "sessionId": "x", "messages": [');
	expect(bring(torn).kind).toBe("passed over");
	appendFileSync(torn, "]}");
	expect(bring(torn)).toMatchObject({ kind: "passed over", reason: "it has no messages" });
});
