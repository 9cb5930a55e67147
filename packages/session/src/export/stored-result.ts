/** A result as mu stores it in the session, complete except for its images, and how it is found again. */
import type { TextContent } from "@tau/ai";
import { isRecord } from "@tau/utils";

import type { SessionManager } from "@tau/log";

export const storedType = "mu_tool_result_full_v1";

/** The placeholder of an image: its bytes are never stored a second time. */
export interface ImagePlaceholder {
	type: "image";
	mimeType: string;
	dataLength: number;
}

export type StoredContent = TextContent | ImagePlaceholder;

export interface StoredToolResult {
	toolCallId: string;
	toolName: string;
	input: Record<string, unknown>;
	content: StoredContent[];
	isError: boolean;
	/** Milliseconds since 1970. */
	timestamp: number;
	exitCode?: number;
	/** Milliseconds. */
	duration?: number;
}

/** The details of a result whose content is in another entry. */
export interface Mark {
	toolCallId: string;
	/** The entry that has the content; missing if another program wrote it. */
	entryId?: string;
}

export function markOf(details: unknown): Mark | undefined {
	if (!isRecord(details) || !isRecord(details._mu)) return undefined;
	const { toolCallId, entryId } = details._mu;
	if (typeof toolCallId !== "string") return undefined;
	return { toolCallId, ...(typeof entryId === "string" ? { entryId } : {}) };
}

/** A session may come from another program or be damaged: parts that are neither text nor images are left out. */
export function withoutImages(content: unknown): StoredContent[] {
	if (typeof content === "string") return [{ type: "text", text: content }];
	if (!Array.isArray(content)) return [];
	return content.flatMap((part: unknown) => {
		const data = isRecord(part) ? part.data : undefined;
		return readPart(typeof data === "string" ? { ...Object(part), dataLength: data.length } : part);
	});
}

/** The entry may have been written by any program in any version. */
export function readStored(data: unknown): StoredToolResult | undefined {
	if (!isRecord(data)) return undefined;
	const { toolCallId, toolName, input, content, isError, timestamp, exitCode, duration } = data;
	if (typeof toolCallId !== "string" || typeof toolName !== "string" || !Array.isArray(content))
		return undefined;
	return {
		toolCallId,
		toolName,
		input: isRecord(input) ? input : {},
		content: content.flatMap(readPart),
		isError: isError === true,
		timestamp: typeof timestamp === "number" ? timestamp : 0,
		...(typeof exitCode === "number" ? { exitCode } : {}),
		...(typeof duration === "number" ? { duration } : {}),
	};
}

function readPart(part: unknown): StoredContent[] {
	if (!isRecord(part)) return [];
	if (part.type === "text" && typeof part.text === "string") return [{ type: "text", text: part.text }];
	if (part.type !== "image" || typeof part.mimeType !== "string") return [];
	return [{ type: "image", mimeType: part.mimeType, dataLength: Number(part.dataLength) || 0 }];
}

type Log = Pick<SessionManager, "getEntry" | "getBranchHeads">;

/** Returns the content of the entry with this id, if it is one of ours. */
export function storedIn(log: Log, entryId: string): StoredToolResult | undefined {
	const entry = log.getEntry(entryId);
	return entry?.type === "custom" && entry.customType === storedType ? readStored(entry.data) : undefined;
}

/** Returns the original content of a result, or undefined if the result is complete or the content is lost. */
export function wholeContent(details: unknown, log: Log): TextContent[] | undefined {
	const mark = markOf(details);
	if (!mark) return undefined;
	const direct = mark.entryId === undefined ? undefined : storedIn(log, mark.entryId);
	const stored = direct?.toolCallId === mark.toolCallId ? direct : searched(log, mark.toolCallId);
	return stored && textsOf(stored);
}

function textsOf({ content }: StoredToolResult): TextContent[] {
	return content.map((part) =>
		part.type === "text" ? part : { type: "text", text: `[${part.mimeType}, ${part.dataLength} bytes]` },
	);
}

/** A fork or another program may have changed the id of the entry. */
function searched(log: Log, toolCallId: string): StoredToolResult | undefined {
	for (const { type, id } of log.getBranchHeads().toReversed()) {
		const stored = type === "custom" ? storedIn(log, id) : undefined;
		if (stored?.toolCallId === toolCallId) return stored;
	}
	return undefined;
}
