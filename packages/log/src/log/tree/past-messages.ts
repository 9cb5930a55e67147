/** The conversation that a session continues, read from its log on demand and not when it is opened. */
import type { AgentMessage } from "@tau/agent";

import { limits } from "../limits.ts";
import {
	contextMessages,
	contextSpan,
	editsOn,
	lastReset,
	messageOf,
	spokenSince,
	type Path,
} from "./context.ts";
import { compactionSummaryMessage, isUndone } from "./messages.ts";

export interface PastMessages {
	readonly isEmpty: boolean;
	/** A summary comes first, or results were removed: what follows was counted together with what is gone. */
	readonly isCompacted: boolean;
	/** Everything that the model sees, at once. */
	all(): AgentMessage[];
	/** The same in slices, which yield to keys and timers. */
	load(signal: AbortSignal): Promise<AgentMessage[]>;
	/** Reads from the newest on. With `holding`, messages whose line has none of these texts are not parsed. */
	backwards(holding?: readonly string[]): Generator<AgentMessage>;
}

/** `isOpen` is false after the log was switched to another session: then there is nothing to read. */
export function pastMessages(path: Path, isOpen: () => boolean): PastMessages {
	const span = contextSpan(path);
	return {
		isEmpty: span.indices.length === 0 && !span.compaction,
		isCompacted: span.compaction !== undefined || path.heads.some(({ type }) => type === "context_edit"),
		all: () => (isOpen() ? [...contextMessages(path)] : []),
		async load(signal) {
			const messages: AgentMessage[] = [];
			let started = performance.now();
			const reading = contextMessages(path);
			while (isOpen()) {
				const next = reading.next();
				if (next.done) break;
				messages.push(next.value);
				// A cancelled prompt does not wait for slices.
				if (signal.aborted || performance.now() - started < limits.readSliceMs) continue;
				await turn();
				started = performance.now();
			}
			return messages;
		},
		*backwards(holding) {
			yield* readBackwards(path, span.indices, isOpen, holding);
			if (span.compaction && !isUndone(span.compaction)) yield compactionSummaryMessage(span.compaction);
		},
	};
}

/** The messages of the branch from the newest on, also those that a compaction has replaced for the model. */
export function branchMessages(
	path: Path,
	isOpen: () => boolean,
	holding: readonly string[],
): Generator<AgentMessage> {
	return readBackwards(path, spokenSince(path, lastReset(path)), isOpen, holding);
}

function* readBackwards(
	path: Path,
	indices: readonly number[],
	isOpen: () => boolean,
	holding?: readonly string[],
): Generator<AgentMessage> {
	const edits = editsOn(path);
	const texts = holding?.map((text) => Buffer.from(text));
	for (const index of indices.toReversed()) {
		if (!isOpen()) return;
		if (texts && path.mayHold?.(index, texts) === false) continue;
		yield* messageOf(path.entry(index), edits.get(path.heads[index]?.id ?? "")).toReversed();
	}
}

/** Resolves after one turn of the event loop. */
function turn(): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	setImmediate(resolve);
	return promise;
}
