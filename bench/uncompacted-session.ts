/** A long session as pi writes it, in which nothing was ever compacted: all of it is context. */
import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";

/** Entries in one write. */
const batch = 500;
const time = "2026-02-16T10:20:30.000Z";
const usage = {
	input: 1200,
	output: 300,
	cacheRead: 9000,
	cacheWrite: 100,
	totalTokens: 10_600,
	cost: { input: 0.001, output: 0.002, cacheRead: 0.0005, cacheWrite: 0.0001, total: 0.0036 },
};

/** So many messages in about so many megabytes: prompts, answers with a call, and the results of the calls. */
export function writeUncompactedSession(
	path: string,
	cwd: string,
	{ messages, megabytes }: { messages: number; megabytes: number },
): void {
	const file = openSync(path, "w");
	writeSync(
		file,
		`${JSON.stringify({ type: "session", version: 3, id: "uncompacted", timestamp: time, cwd })}\n`,
	);
	const body = bodyOf(Math.round((megabytes * 1e6) / messages) - 300);
	for (let start = 0; start < messages; start += batch) {
		let lines = "";
		for (let at = start; at < Math.min(messages, start + batch); at++) {
			const parentId = at === 0 ? null : idOf(at - 1);
			const head = { type: "message", id: idOf(at), parentId, timestamp: time };
			lines += `${JSON.stringify({ ...head, message: messageAt(at, body) })}\n`;
		}
		writeSync(file, lines);
	}
	closeSync(file);
}

/** All but the last four messages are summarized at its end, so that a prompt fits into the context. */
export function appendCompaction(path: string, messages: number): void {
	const entry = {
		type: "compaction",
		id: idOf(messages),
		parentId: idOf(messages - 1),
		timestamp: time,
		summary: "Many files were read.",
		firstKeptEntryId: idOf(messages - 4),
		tokensBefore: 100_000,
	};
	appendFileSync(path, `${JSON.stringify(entry)}\n`);
}

function messageAt(at: number, body: string): object {
	const text = [{ type: "text", text: `Message ${at}. ${body}` }];
	if (at % 4 === 0) return { role: "user", content: text, timestamp: at };
	if (at % 4 === 2) {
		const result = { role: "toolResult", toolCallId: `call-${at - 1}`, toolName: "read", isError: false };
		return { ...result, content: text, timestamp: at };
	}
	const call = { type: "toolCall", id: `call-${at}`, name: "read", arguments: { path: `src/file-${at}.ts` } };
	return {
		role: "assistant",
		content: at % 4 === 1 ? [...text, call] : text,
		api: "anthropic-messages",
		provider: "played",
		model: "played-1",
		usage,
		stopReason: at % 4 === 1 ? "toolUse" : "stop",
		timestamp: at,
	};
}

function bodyOf(chars: number): string {
	const line = 'const answer = "42";\n\tif (answer) return; // a line of code\n';
	return line.repeat(Math.ceil(chars / JSON.stringify(line).length));
}

function idOf(at: number): string {
	return at.toString(16).padStart(8, "0");
}
