/** The last results of a session, from its log: what it says of them, with the whole of those that were shortened. */
import type { ReadonlySessionManager } from "@tau/extensions/api";

import { limits } from "./limits.ts";
import { exitCodeOf } from "./redact.ts";
import {
	readStored,
	storedType,
	withoutImages,
	type StoredContent,
	type StoredToolResult,
} from "@tau/session/export";
import { isRecord } from "@tau/utils";
import type { Took } from "./took.ts";

/** `details` are the tool's own, for its renderer. */
export interface ViewedResult extends StoredToolResult {
	details: unknown;
}

/** The newest first. Reads no more of the session than it needs. */
export function recentResults(
	log: Pick<ReadonlySessionManager, "getEntry" | "getBranchHeads">,
	took: Pick<Took, "of">,
): ViewedResult[] {
	const walk = new Walk();
	const heads = log.getBranchHeads().slice(-limits.searchedEntries);
	for (const { type, id } of heads.toReversed()) {
		if (walk.isDone) break;
		if (type !== "message" && type !== "custom") continue;
		const entry = log.getEntry(id);
		if (entry?.type === "message") walk.message(entry.message);
		if (entry?.type === "custom" && entry.customType === storedType) walk.stored(entry.data);
	}
	return walk.results(took);
}

class Walk {
	readonly #found: ViewedResult[] = [];
	readonly #stored = new Map<string, StoredToolResult>();
	/** Results whose call has not been reached yet: it comes before them. */
	readonly #callless = new Map<string, ViewedResult>();

	get isDone(): boolean {
		return this.#found.length >= limits.viewedResults && this.#callless.size === 0;
	}

	/** It comes from a file, which may contain anything. */
	message(message: unknown): void {
		if (!isRecord(message)) return;
		if (message.role === "toolResult" && this.#found.length < limits.viewedResults) this.#result(message);
		if (message.role !== "assistant" || !Array.isArray(message.content)) return;
		for (const part of message.content) {
			if (!isRecord(part) || part.type !== "toolCall" || typeof part.id !== "string") continue;
			const result = this.#callless.get(part.id);
			if (result && isRecord(part.arguments)) result.input = part.arguments;
			this.#callless.delete(part.id);
		}
	}

	#result(message: Record<string, unknown>): void {
		const result = readStored({ ...message, content: withoutImages(message.content) });
		if (!result) return;
		const { details } = message;
		const viewed = { ...result, ...exitCodeOf(details), details };
		this.#found.push(viewed);
		this.#callless.set(result.toolCallId, viewed);
	}

	stored(data: unknown): void {
		const stored = readStored(data);
		if (stored) this.#stored.set(stored.toolCallId, stored);
	}

	results(took: Pick<Took, "of">): ViewedResult[] {
		return this.#found.map((result) => {
			const whole = this.#stored.get(result.toolCallId);
			// After a restart, tools that measure their own time are the only ones that know it.
			const ms = took.of(result.toolCallId) ?? whole?.duration ?? durationIn(result.details);
			return {
				...result,
				content: whole?.content ?? result.content,
				...(ms === undefined ? {} : { duration: ms }),
			};
		});
	}
}

function durationIn(details: unknown): number | undefined {
	const ms = isRecord(details) ? details.durationMs : undefined;
	return typeof ms === "number" && ms >= 0 ? ms : undefined;
}

export function textOf(content: readonly StoredContent[]): string {
	return content
		.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}, ${part.dataLength} bytes]`))
		.join("\n");
}
