/** Makes entries from the items of a conversation: what belongs to one answer becomes one, and each hangs on the last. */
import type { Api, AssistantContent, AssistantMessage, ImageContent, TextContent, Usage } from "@tau/ai";

import type { EntryFields } from "../log/tree/entry.ts";
import { noUsage, type ImportedEntry, type Transcript } from "./transcript.ts";

export interface Result {
	content: (TextContent | ImageContent)[];
	isError: boolean;
}

export class TranscriptEntries {
	/** Whose the models are, and the protocol that they speak. */
	provider: string;
	api: Api;
	/** The type of entries that are for a reader, and not for the model. */
	readonly #contextType: string;
	readonly #entries: ImportedEntry[] = [];
	readonly #tools = new Map<string, string>();
	/** The parent of each prompt of the branch, for a rewind. */
	readonly #turns: (string | null)[] = [];
	#parent: string | null = null;
	#key = "";
	#timestamp: string | undefined;
	#model = "";
	#level = "";
	/** The answer that is being given, and that which was given last. */
	#open: AssistantMessage | undefined;
	#last: AssistantMessage | undefined;

	constructor({ provider, api, contextType }: { provider: string; api: Api; contextType: string }) {
		this.provider = provider;
		this.api = api;
		this.#contextType = contextType;
	}

	/** The timestamp of the source; what follows was written then. */
	at(key: string, timestamp: string | undefined): void {
		this.#key = key;
		this.#timestamp = timestamp ?? this.#timestamp;
	}

	get key(): string {
		return this.#key;
	}

	model(name: string): void {
		if (name === this.#model) return;
		this.#model = name;
		this.#add({ type: "model_change", provider: this.provider, modelId: name }, "model");
	}

	thinking(thinkingLevel: string): void {
		if (thinkingLevel === this.#level) return;
		this.#level = thinkingLevel;
		this.#add({ type: "thinking_level_change", thinkingLevel }, "thinking");
	}

	prompt(content: (TextContent | ImageContent)[]): void {
		this.#turns.push(this.#parent);
		this.#add({ type: "message", message: { role: "user", content, timestamp: this.#now() } });
	}

	/** For a reader, and not for the model. */
	context(role: string, text: string): void {
		this.#add({ type: "custom", customType: this.#contextType, data: { role, text } });
	}

	answer(...blocks: AssistantContent[]): void {
		if (blocks.length === 0) return;
		const message = (this.#open ??= this.#begin());
		for (const block of blocks) {
			message.content.push(block);
			if (block.type !== "toolCall") continue;
			message.stopReason = "toolUse";
			this.#tools.set(block.id, block.name);
		}
	}

	result(toolCallId: string, { content, isError }: Result): void {
		const toolName = this.#tools.get(toolCallId) ?? "unknown";
		const timestamp = this.#now();
		const message = { role: "toolResult" as const, toolCallId, toolName, content, isError, timestamp };
		this.#add({ type: "message", message }, "result");
	}

	/** Told after the answer that it is about. */
	used(usage: Usage): void {
		if (this.#last) this.#last.usage = usage;
	}

	/** Only what the summary says was kept. */
	compact(summary: string): void {
		this.#add({ type: "compaction", summary, firstKeptEntryId: "", tokensBefore: 0 });
	}

	/** The user rewound the last prompts; what followed them stays as a branch. */
	rollBack(turns: number): void {
		if (turns < 1) return;
		this.#open = undefined;
		const to = Math.max(0, this.#turns.length - turns);
		this.#parent = this.#turns[to] ?? null;
		this.#turns.length = to;
	}

	done(begun: string): Pick<Transcript, "entries" | "leaf"> {
		const entries = this.#entries.map((entry) => ({ ...entry, timestamp: entry.timestamp || begun }));
		return { entries, leaf: this.#parent };
	}

	#begin(): AssistantMessage {
		const message: AssistantMessage = {
			role: "assistant",
			content: [],
			api: this.api,
			provider: this.provider,
			model: this.#model,
			usage: noUsage(),
			stopReason: "stop",
			timestamp: this.#now(),
		};
		this.#add({ type: "message", message });
		this.#last = message;
		return message;
	}

	/** Any new entry ends the answer before it. */
	#add(fields: EntryFields, mark = ""): void {
		this.#open = undefined;
		const key = mark === "" ? this.#key : `${this.#key} ${mark}`;
		this.#entries.push({ key, parent: this.#parent, timestamp: this.#timestamp ?? "", fields });
		this.#parent = key;
	}

	#now(): number {
		return this.#timestamp === undefined ? 0 : Date.parse(this.#timestamp);
	}
}
