/** A cassette as a sequence of frames in time: what the clients of the session saw, and when. */
import type { AssistantMessage, AssistantMessageEvent } from "@tau/ai";
import { isRecord } from "@tau/utils";
import { leanEvent, type Entry, type EventFrame, type EventFrameOf, type WireMessage } from "@tau/wire";
import type { Beat, FrameBody } from "@tau/wire/remote";

import { decoded, playMessage, type Beat as AnswerBeat } from "./answer.ts";
import type { Difference } from "./difference.ts";
import type { Cassette } from "./format.ts";
import { limits } from "./limits.ts";
import { rebuilt, type RebuiltEntry } from "./rebuild.ts";

export interface Timeline {
	readonly beats: readonly Beat[];
	/** The log of the session as this program makes it from the recording. */
	readonly log: readonly string[];
	/** Where it is not the recorded one. */
	readonly drift: readonly Difference[];
	readonly steps: number;
	readonly lengthMs: number;
}

export async function timelineOf(cassette: Cassette): Promise<Timeline> {
	const { entries, log, drift } = await rebuilt(cassette);
	const track = new Track();
	for (const entry of branchOf(entries)) await track.add(entry);
	return { ...track.end(), log, drift };
}

/** From the root to the last line, which is where the session ended. */
function branchOf(entries: readonly RebuiltEntry[]): RebuiltEntry[] {
	const byId = new Map(entries.map((each) => [each.entry.id, each]));
	const path: RebuiltEntry[] = [];
	const seen = new Set<string>();
	for (let at = entries.at(-1); at && !seen.has(at.entry.id); at = byId.get(at.entry.parentId ?? "")) {
		seen.add(at.entry.id);
		path.push(at);
	}
	return path.toReversed();
}

class Track {
	readonly #beats: Beat[] = [];
	#started = 0;
	/** Recorded time that is not played: the user was away. */
	#skipped = 0;
	#last = 0;
	#steps = 0;
	#isRunning = false;
	#parentId: string | null = null;

	async add({ entry: recorded, exchange }: RebuiltEntry): Promise<void> {
		// Lines of other branches may be between an entry and its parent.
		const entry: Entry = { ...recorded, parentId: this.#parentId };
		this.#parentId = entry.id;
		const at = Date.parse(entry.timestamp) || this.#last;
		const message = isRecord(entry.message) ? (entry.message as unknown as WireMessage) : undefined;
		if (entry.type !== "message" || !message) return this.#put(at, [{ kind: "entry", body: bodyOf(entry) }]);
		if (message.role === "assistant") {
			const { durationMs } = entry.message as { durationMs?: unknown };
			const began = exchange?.at ?? at - (typeof durationMs === "number" ? durationMs : 0);
			const { beats } = exchange ? await decoded(exchange) : await playedBeats(message);
			this.#answer(began, at, beats, entry, message);
		} else if (message.role === "toolResult") this.#result(at, entry, message);
		else {
			if (message.role === "user") this.#shorten(at);
			if (message.role === "user" && !this.#isRunning) this.#run(at);
			this.#put(at, shownAs(entry, message));
		}
	}

	end(): Pick<Timeline, "beats" | "steps" | "lengthMs"> {
		if (this.#isRunning) this.#rest(this.#last);
		return { beats: this.#beats, steps: this.#steps, lengthMs: this.#beats.at(-1)?.at ?? 0 };
	}

	#answer(
		began: number,
		ended: number,
		beats: readonly AnswerBeat[],
		entry: Entry,
		message: Extract<WireMessage, { role: "assistant" }>,
	): void {
		this.#steps++;
		this.#put(began, [event({ type: "message_start", message: { ...message, content: [] } })]);
		for (const { at, events } of beats) {
			const updates = events.flatMap((each) => updateOf(each, message));
			if (updates.length > 0) this.#put(began + at, updates);
		}
		const calls = message.content.filter((block) => block.type === "toolCall");
		const isOver = calls.length === 0 || message.stopReason === "error" || message.stopReason === "aborted";
		this.#put(ended, [
			{ kind: "entry", body: bodyOf(entry) },
			event({ type: "message_end", message, entryId: entry.id }),
			...(isOver ? [] : calls).map(({ id, name, arguments: args }) =>
				event({ type: "tool_execution_start", toolCallId: id, toolName: name, args }),
			),
		]);
		if (isOver) this.#rest(ended);
	}

	#result(at: number, entry: Entry, message: Extract<WireMessage, { role: "toolResult" }>): void {
		const { toolCallId, toolName, content, details, isError } = message;
		const result = { content, ...(details === undefined ? {} : { details }) };
		this.#put(at, [
			event({ type: "tool_execution_end", toolCallId, toolName, result, isError }),
			...shownAs(entry, message),
		]);
	}

	#run(at: number): void {
		this.#isRunning = true;
		this.#put(at, [{ kind: "state", body: { phase: "running" } }, event({ type: "agent_start" })]);
	}

	#rest(at: number): void {
		this.#isRunning = false;
		this.#put(at, [event({ type: "agent_end", messages: [] }), { kind: "state", body: { phase: "idle" } }]);
	}

	#shorten(at: number): void {
		const away = at - this.#last - limits.pauseMs;
		if (this.#beats.length > 0 && away > 0) this.#skipped += away;
	}

	/** Time never goes back, whatever the clock of the machine did. */
	#put(time: number, frames: readonly FrameBody[]): void {
		if (this.#beats.length === 0) this.#started = time;
		this.#last = Math.max(this.#last, time);
		const at = Math.max(this.#beats.at(-1)?.at ?? 0, time - this.#started - this.#skipped);
		this.#beats.push({ at, step: this.#steps, frames });
	}
}

/** Of an answer that was not recorded: whole blocks, one after the other. */
async function playedBeats(
	message: Extract<WireMessage, { role: "assistant" }>,
): Promise<{ beats: readonly AnswerBeat[] }> {
	const events: AssistantMessageEvent[] = [];
	// The shapes of both are compared by a test of `session`.
	for await (const each of playMessage(message as AssistantMessage)) events.push(each);
	return { beats: [{ at: 0, events }] };
}

function bodyOf(entry: Entry): { entry: Entry; leafId: string } {
	return { entry, leafId: entry.id };
}

function event(whole: EventFrame): FrameBody {
	return { kind: "event", body: leanEvent(whole) };
}

function shownAs(entry: Entry, message: WireMessage): FrameBody[] {
	return [
		event({ type: "message_start", message }),
		{ kind: "entry", body: bodyOf(entry) },
		event({ type: "message_end", message, entryId: entry.id }),
	];
}

function updateOf(
	update: AssistantMessageEvent,
	{ content: _, ...message }: Extract<WireMessage, { role: "assistant" }>,
): FrameBody[] {
	if (update.type === "start" || update.type === "done" || update.type === "error") return [];
	const { partial, ...rest } = update;
	if (rest.type !== "toolcall_start")
		return [event({ type: "message_update", message, assistantMessageEvent: rest })];
	const call = partial.content[rest.contentIndex];
	const named = call?.type === "toolCall" ? { id: call.id, name: call.name } : { id: "", name: "" };
	const assistantMessageEvent: EventFrameOf<"message_update">["assistantMessageEvent"] = {
		...rest,
		...named,
	};
	return [event({ type: "message_update", message, assistantMessageEvent })];
}
