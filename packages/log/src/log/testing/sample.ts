/** Messages, lines and directories for tests of the session log. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AssistantMessage, ImageContent, UserMessage } from "@tau/ai";

import type { SessionManager } from "../session-manager.ts";

export interface Folder extends Disposable {
	path: string;
	/** Writes a file of these lines, each with its newline, and returns its path. */
	file(lines: readonly (string | object)[], name?: string): string;
}

/** In memory if the system has such a directory: some tests flush hundreds of repairs to disk. */
const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export function folder(): Folder {
	const path = mkdtempSync(join(base, "tau-log-"));
	return {
		path,
		file(lines, name = "session.jsonl") {
			const file = join(path, name);
			writeFileSync(file, lines.map((line) => `${textOf(line)}\n`).join(""));
			return file;
		},
		[Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
	};
}

export function said(content: string): UserMessage {
	return { role: "user", content, timestamp: 1 };
}

/** Not an image, but the log treats it as one. */
export function image(seed: string, bytes = 3000): ImageContent {
	const data = Buffer.alloc(bytes, `${seed} `).toString("base64");
	return { type: "image", data, mimeType: "image/png" };
}

export function shown(...content: ImageContent[]): UserMessage {
	return { role: "user", content, timestamp: 1 };
}

export function answered(text: string, facts: Partial<AssistantMessage> = {}): AssistantMessage {
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
	return {
		role: "assistant",
		content: [{ type: "text", text }],
		api: "anthropic-messages",
		provider: "played",
		model: "played-1",
		usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost },
		stopReason: "stop",
		timestamp: 2,
		...facts,
	};
}

export const header = {
	type: "session",
	version: 3,
	id: "0193b0f0-0000-7000-8000-000000000001",
	timestamp: "2024-12-03T14:00:00.000Z",
	cwd: "/work/main",
};

/** A line of a file; `parentId` first, because tests are about the shape of trees. */
export function entry(id: string, parentId: string | null, fields: object = {}): object {
	const time = "2024-12-03T14:00:01.000Z";
	return { type: "message", id, parentId, timestamp: time, message: said(`I am ${id}`), ...fields };
}

/** A file with a header and a chain of messages. */
export function chain(...ids: string[]): object[] {
	return [header, ...ids.map((id, index) => entry(id, ids[index - 1] ?? null))];
}

export function linesOf(path: string): string[] {
	return readFileSync(path, "utf8").split("\n").slice(0, -1);
}

export function parsedLines(path: string): Record<string, unknown>[] {
	return linesOf(path)
		.filter((line) => line.trim() !== "")
		.map((line) => JSON.parse(line));
}

/** The ids on the path from the root to the leaf. */
export function branchIds(session: SessionManager): string[] {
	return session.getBranch().map(({ id }) => id);
}

/** The texts of the user messages in the context. */
export function contextTexts(session: SessionManager): string[] {
	return session
		.buildSessionContext()
		.messages.map((message) => ("content" in message ? String(message.content) : message.role));
}

function textOf(line: string | object): string {
	return typeof line === "string" ? line : JSON.stringify(line);
}
