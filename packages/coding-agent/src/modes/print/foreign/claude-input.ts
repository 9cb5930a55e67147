/** `--input-format stream-json`: the prompts of a program that talks to Claude Code, one line each. */
import type { ImageContent } from "@tau/ai";
import type { Prompt } from "@tau/session";
import { isRecord, LineSplitter, UsageError } from "@tau/utils";

import { limits } from "../limits.ts";

/** Throws a `UsageError` that names the line. It ends with the input. */
export async function* streamedPrompts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Prompt> {
	const lines = new LineSplitter(limits.inputLineBytes);
	const decoder = new TextDecoder();
	let count = 0;
	const read = (bytes: Uint8Array | undefined): Prompt | undefined => {
		count++;
		if (!bytes) throw refused(count, `it is longer than ${limits.inputLineBytes} bytes`);
		const text = decoder.decode(bytes).trim();
		return text === "" ? undefined : promptOf(text, count);
	};
	for await (const chunk of chunks)
		for (const line of lines.push(chunk)) {
			const prompt = read(line);
			if (prompt) yield prompt;
		}
	for (const line of lines.end()) {
		const prompt = read(line);
		if (prompt) yield prompt;
	}
}

/** Undefined for a line that is no prompt, such as a control request of the SDK, which expects no work. */
function promptOf(text: string, line: number): Prompt | undefined {
	const value = parsed(text, line);
	if (value["type"] !== "user") return undefined;
	const message = value["message"];
	if (!isRecord(message)) throw refused(line, "it has no message");
	const { content } = message;
	if (typeof content === "string") return { text: content };
	if (!Array.isArray(content)) throw refused(line, "message.content is neither text nor a list");
	const images = content.flatMap(imageOf);
	const said = content.flatMap((part) =>
		isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : [],
	);
	if (said.length === 0 && images.length === 0)
		throw refused(line, "message.content has no text and no image");
	return { text: said.join("\n"), ...(images.length > 0 ? { images } : {}) };
}

function imageOf(part: unknown): ImageContent[] {
	const source = isRecord(part) && part["type"] === "image" ? part["source"] : undefined;
	if (!isRecord(source)) return [];
	const { data, media_type: mimeType } = source;
	return typeof data === "string" && typeof mimeType === "string" ? [{ type: "image", data, mimeType }] : [];
}

function parsed(text: string, line: number): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(text);
		if (isRecord(value)) return value;
	} catch {
		// The line below says so.
	}
	throw refused(line, "it is not a JSON object");
}

function refused(line: number, reason: string): UsageError {
	return new UsageError(
		`--input-format stream-json: line ${line}: ${reason}. A line is {"type":"user","message":{"role":"user","content":"…"}}.`,
	);
}
