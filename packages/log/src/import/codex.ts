/** Reads a rollout of Codex: the model's input and output, item by item, and beside it what the screen showed. */
import { basename } from "node:path";

import { thinkingLevels } from "@tau/ai";
import { oneLine } from "@tau/utils";

import { callOf, resultOf, spokenParts, thoughtsOf, usageOf, wordsOf } from "./codex-content.ts";
import { number, record, records, text, time } from "./fields.ts";
import { limits } from "./limits.ts";
import { safeId } from "./safe-id.ts";
import { TranscriptEntries } from "./transcript-entries.ts";
import { count, type SourceFile, type SourceLine, type Transcript } from "./transcript.ts";

/** Of the version before `payload`: each line is an item. */
const itemTypes: ReadonlySet<string> = new Set([
	"message",
	"reasoning",
	"function_call",
	"function_call_output",
	"custom_tool_call",
	"custom_tool_call_output",
	"local_shell_call",
	"web_search_call",
]);

/** Known, and nothing that belongs into a conversation. */
const silentItems: ReadonlySet<string> = new Set([
	"ghost_snapshot",
	"compaction",
	"compaction_summary",
	"other",
]);
const silentLines: ReadonlySet<string> = new Set(["world_state", "inter_agent_communication"]);

export function readCodex(lines: Iterable<SourceLine>, file: SourceFile): Transcript {
	const all = [...lines];
	const reader = new CodexReader(promptsShown(all));
	for (const line of all) reader.take(line);
	return reader.transcript(file);
}

/** What the screen showed as the user's: the model gets more in that role. */
function promptsShown(lines: readonly SourceLine[]): Set<string> {
	return new Set(
		lines.flatMap(({ value }) => {
			const payload = record(value?.payload);
			return payload.type === "user_message" ? [text(payload.message).trim()] : [];
		}),
	);
}

class CodexReader {
	readonly #prompts: ReadonlySet<string>;
	readonly #entries = new TranscriptEntries({
		provider: "openai",
		api: "openai-responses",
		contextType: "codex.context",
	});
	readonly #unknown = new Map<string, number>();
	#meta: Record<string, unknown> | undefined;
	#cwd = "";
	#title = "";
	#begun: string | undefined;

	constructor(prompts: ReadonlySet<string>) {
		this.#prompts = prompts;
	}

	take({ number: at, value }: SourceLine): void {
		if (!value) return count(this.#unknown, "unreadable");
		const type = text(value.type);
		const timestamp = time(value.timestamp);
		this.#begun ??= timestamp;
		this.#entries.at(String(at), timestamp);
		if (itemTypes.has(type) && value.payload === undefined) return this.#item(value);
		const payload = record(value.payload);
		if (type === "session_meta") this.#begin(payload);
		else if (type === "response_item") this.#item(payload);
		else if (type === "turn_context") this.#turn(payload);
		else if (type === "event_msg") this.#event(payload);
		else if (type === "compacted") this.#compacted(payload);
		else if (type === "" && text(value.id) !== "") this.#begin(value);
		else if (!silentLines.has(type) && value.record_type === undefined) {
			count(this.#unknown, type || "without a type");
		}
	}

	transcript(file: SourceFile): Transcript {
		const stem = basename(file.path, ".jsonl");
		const timestamp = time(this.#meta?.timestamp) ?? this.#begun ?? file.modified.toISOString();
		const { entries, leaf } = this.#entries.done(timestamp);
		return {
			id: safeId(text(this.#meta?.id) || stem),
			timestamp,
			cwd: this.#cwd,
			...(this.#title === "" ? {} : { title: oneLine(this.#title, limits.titleChars) }),
			entries,
			leaf,
			unknown: this.#unknown,
		};
	}

	/** A fork has the beginning of another one in it: the first is its own. */
	#begin(meta: Record<string, unknown>): void {
		if (this.#meta) return;
		this.#meta = meta;
		this.#cwd ||= text(meta.cwd);
		if (text(meta.model_provider) !== "") this.#entries.provider = text(meta.model_provider);
	}

	#turn({ cwd, model, effort }: Record<string, unknown>): void {
		this.#cwd ||= text(cwd);
		if (text(model) !== "") this.#entries.model(text(model));
		const level = thinkingLevels.find((name) => name === effort);
		if (level) this.#entries.thinking(level);
	}

	#event(event: Record<string, unknown>): void {
		if (event.type === "token_count") {
			const last = record(record(event.info).last_token_usage);
			if (Object.keys(last).length > 0) this.#entries.used(usageOf(last));
		} else if (event.type === "thread_name_updated") this.#title = text(event.thread_name).trim();
		else if (event.type === "thread_rolled_back") this.#entries.rollBack(number(event.num_turns));
	}

	#compacted({ message, replacement_history: history }: Record<string, unknown>): void {
		const kept = records(history).map(({ content }) => wordsOf(spokenParts(content)));
		const summary = text(message) || kept.filter((content) => content !== "").join("\n\n");
		if (summary !== "") this.#entries.compact(summary);
	}

	#item(item: Record<string, unknown>): void {
		const type = text(item.type);
		if (type === "message") return this.#message(item);
		if (type === "reasoning") return this.#entries.answer(...thoughtsOf(item));
		if (type.endsWith("_call_output")) return this.#entries.result(text(item.call_id), resultOf(item.output));
		const call = callOf(item, this.#entries.key);
		if (call) {
			this.#entries.answer(call);
			// A search by the provider, whose results only the model got.
			const found = { content: [{ type: "text" as const, text: "[Not in the rollout]" }], isError: false };
			if (type === "web_search_call") this.#entries.result(call.id, found);
		} else if (!silentItems.has(type)) count(this.#unknown, type || "without a type");
	}

	#message({ role, content }: Record<string, unknown>): void {
		const parts = spokenParts(content);
		if (parts.length === 0) return;
		const words = wordsOf(parts);
		if (role === "assistant") this.#entries.answer({ type: "text", text: words });
		else if (role === "user" && !this.#isScaffold(words)) this.#entries.prompt(parts);
		else this.#entries.context(text(role), words);
	}

	/** Environment and rules of Codex, which are not those of Tau: stored, but not sent to the model again. */
	#isScaffold(content: string): boolean {
		const trimmed = content.trim();
		if (this.#prompts.has(trimmed)) return false;
		const tag = /^<([a-zA-Z_ -]+)>/.exec(trimmed)?.[1];
		return (
			(tag !== undefined && trimmed.endsWith(`</${tag}>`)) || trimmed.startsWith("# AGENTS.md instructions")
		);
	}
}
