/** Writes a branch of a session as Markdown that is readable as plain text or rendered. */
import { fenced, oneLine } from "@tau/utils";

import { limits } from "./limits.ts";
import { spoken, type Part, type MessagePart } from "./parts.ts";
import type { ExportSource } from "./source.ts";

export function toMarkdown({ header, name, branch, wholeOf }: ExportSource): string {
	const title = oneLine(String(name ?? `Session ${header.id}`), limits.titleChars);
	const facts = [`- id: ${header.id}`, `- created: ${header.timestamp}`, `- directory: ${header.cwd}`];
	const blocks = [`# ${title}`, facts.map((line) => oneLine(line, limits.factChars)).join("\n")];
	for (const entry of branch) blocks.push(...entryBlocks(spoken(entry, wholeOf)));
	return `${blocks.join("\n\n")}\n`;
}

function entryBlocks({ who, isMessage, parts }: MessagePart): string[] {
	if (isMessage) return [`## ${oneLine(who, limits.titleChars)}`, ...parts.map(partBlock)];
	const text = parts.map((part) => ("text" in part ? part.text : "")).join(" ");
	return [`*${oneLine(text === "" ? who : `${who}: ${text}`, limits.factChars)}*`];
}

function partBlock(part: Part): string {
	switch (part.kind) {
		case "text":
			return part.text.trim();
		case "thinking":
			return part.text
				.trim()
				.split("\n")
				.map((line) => `> ${line}`.trimEnd())
				.join("\n");
		case "call":
			return `**${oneLine(part.name, limits.titleChars)}**\n\n${fenced(part.text.trimEnd())}`;
		case "result": {
			const name = oneLine(part.name, limits.titleChars);
			return `**${name}${part.isError ? " (failed)" : ""}**\n\n${fenced(part.text.trimEnd())}`;
		}
		case "image":
			return `*${part.mimeType.startsWith("image/") ? "image, " : ""}${oneLine(part.mimeType, limits.titleChars)}*`;
	}
}
