/** Matches rules against one answer: each of its texts, thoughts and tool calls is a separate stream. */
import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@tau/ai";

import { CallText } from "./call-text.ts";
import { covers, type StreamSource } from "./scope.ts";
import { concernsFiles, type StreamRule, type StreamRules } from "./stream-rules.ts";
import { StreamWatch } from "./stream-watch.ts";
import { StructureWatch } from "./structure-watch.ts";

/** Rules whose conditions have just been met. */
export interface Sightings {
	rules: StreamRule[];
	source: StreamSource;
	/** The tool call whose arguments matched. */
	callId?: string;
}

interface Stream {
	source: StreamSource;
	watch: StreamWatch;
	call?: { id: string; text: CallText; structure: StructureWatch };
	/** Conditions that are met, but in none of the rule's files as far as the files are known. */
	waiting: Set<StreamRule>;
}

export interface WatchedRules {
	rules: StreamRules;
	mayInject(entry: StreamRule): boolean;
	onProblem(problem: string): void;
}

export class AnswerWatch {
	readonly #watched: WatchedRules;
	readonly #streams = new Map<number, Stream>();

	constructor(watched: WatchedRules) {
		this.#watched = watched;
	}

	/** Undefined if no condition is met. Asynchronous only if code has to be parsed. */
	onEvent(
		event: AssistantMessageEvent,
		message: AssistantMessage,
	): Sightings | undefined | Promise<Sightings | undefined> {
		switch (event.type) {
			case "text_delta":
				return this.#prose({ kind: "text" }, event.contentIndex, event.delta);
			case "thinking_delta":
				return this.#prose({ kind: "thinking" }, event.contentIndex, event.delta);
			case "text_end":
			case "thinking_end":
				return this.#proseEnd(event.contentIndex);
			case "toolcall_delta": {
				const call = message.content[event.contentIndex];
				return call?.type === "toolCall" ? this.#call(call, event.contentIndex, event.delta) : undefined;
			}
			case "toolcall_end":
				return this.#callEnd(event.toolCall, event.contentIndex);
			default:
				return undefined;
		}
	}

	#prose(source: StreamSource, index: number, delta: string): Sightings | undefined {
		const stream = this.#stream(index, source);
		return this.#met(stream, stream.watch.push(delta));
	}

	#proseEnd(index: number): Sightings | undefined {
		const stream = this.#streams.get(index);
		return stream && this.#met(stream, stream.watch.end());
	}

	async #call(call: ToolCall, index: number, delta: string): Promise<Sightings | undefined> {
		const stream = this.#stream(index, { kind: "tool", name: call.name }, call);
		if (!stream.call) return undefined;
		const fresh = stream.call.text.push(delta);
		const paths = this.#pathsOf(stream);
		const structures = await stream.call.structure.push(fresh, paths);
		return this.#met(stream, stream.watch.push(fresh), structures);
	}

	async #callEnd(call: ToolCall, index: number): Promise<Sightings | undefined> {
		// Some models send all arguments at once.
		const isSilent = !this.#streams.has(index);
		const first = isSilent ? await this.#call(call, index, JSON.stringify(call.arguments)) : undefined;
		const stream = this.#streams.get(index);
		if (!stream?.call) return first;
		const structures = await stream.call.structure.end(this.#pathsOf(stream));
		const last = this.#met(stream, stream.watch.end(), structures);
		return first && last ? { ...last, rules: [...first.rules, ...last.rules] } : (first ?? last);
	}

	#stream(index: number, source: StreamSource, call?: ToolCall): Stream {
		const known = this.#streams.get(index);
		if (known) return known;
		const { rules, onProblem } = this.#watched;
		const counts = (entry: StreamRule | undefined): boolean =>
			entry !== undefined && covers(entry.scope, source) && this.#watched.mayInject(entry);
		const stream: Stream = {
			source,
			watch: new StreamWatch(rules.conditions, (condition) => counts(rules.ownerOf(condition))),
			waiting: new Set(),
		};
		if (call) {
			const text = new CallText(call.name);
			const structural = text.isSource ? rules.structural.filter(counts) : [];
			const structure = new StructureWatch(structural, onProblem);
			stream.call = { id: call.id, text, structure };
		}
		this.#streams.set(index, stream);
		return stream;
	}

	#pathsOf({ call }: Stream): readonly string[] {
		return call ? this.#watched.rules.shownPaths(call.text.paths) : [];
	}

	#met(
		stream: Stream,
		conditions: readonly number[],
		structures: readonly StreamRule[] = [],
	): Sightings | undefined {
		for (const condition of conditions) {
			const entry = this.#watched.rules.ownerOf(condition);
			if (entry) stream.waiting.add(entry);
		}
		for (const entry of structures) stream.waiting.add(entry);
		if (stream.waiting.size === 0) return undefined;
		const paths = this.#pathsOf(stream);
		const rules = [...stream.waiting].filter(
			(entry) => this.#watched.mayInject(entry) && concernsFiles(entry, stream.source, paths),
		);
		for (const entry of rules) stream.waiting.delete(entry);
		if (rules.length === 0) return undefined;
		return { rules, source: stream.source, ...(stream.call ? { callId: stream.call.id } : {}) };
	}
}
