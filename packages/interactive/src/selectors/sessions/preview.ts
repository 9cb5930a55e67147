/** Finds the last message of a session at the end of its file, without reading the rest. */
import { oneLine, stripControls, isRecord } from "@tau/utils";
import { invocationOf } from "@tau/log";

import { limits } from "../limits.ts";

export interface LastWord {
	who: "you" | "model";
	text: string;
}

/** Undefined if the end of the file contains no text. */
export async function lastWord(path: string): Promise<LastWord | undefined> {
	const file = Bun.file(path);
	const text = await file.slice(Math.max(0, file.size - limits.previewBytes)).text();
	// The first line is cut, unless it is the whole file.
	for (const line of text.split("\n").toReversed()) {
		const word = wordOf(line);
		if (word) return word;
	}
	return undefined;
}

function wordOf(line: string): LastWord | undefined {
	if (!line.includes('"message"')) return undefined;
	const entry = parsed(line);
	if (!isRecord(entry) || entry.type !== "message" || !isRecord(entry.message)) return undefined;
	const { role, content } = entry.message;
	const text = invocationOf(entry.message) ?? textIn(content);
	if (text === "" || (role !== "user" && role !== "assistant")) return undefined;
	const clean = oneLine(stripControls(text, { newline: false, tab: false }), limits.rowChars);
	return { who: role === "user" ? "you" : "model", text: clean };
}

function textIn(content: unknown): string {
	if (typeof content === "string") return content.trim();
	if (!Array.isArray(content)) return "";
	const parts = content.map((part: unknown) =>
		isRecord(part) && part.type === "text" && typeof part.text === "string" ? part.text : "",
	);
	return parts.join(" ").trim();
}

function parsed(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		// A line that was cut has its end only.
		return undefined;
	}
}
