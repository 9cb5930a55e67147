/** Creates entries from the messages of Claude Code, each after its parent. */
import type { AssistantContent, AssistantMessage, ToolResultMessage } from "@tau/ai";

import type { EntryFields } from "../log/tree/entry.ts";
import { answerBlocks, spokenBlocks, stopReasonOf, usageOf } from "./claude-content.ts";
import type { ClaudeNode, ClaudeRecord } from "./claude-node.ts";
import { number, record, records, text } from "./fields.ts";
import type { ImportedEntry, Transcript } from "./transcript.ts";

const provider = "anthropic";

/** What came of a node: where its children hang, and the model that is in use from there on. */
interface TreePosition {
	key: string | null;
	model: string;
}

export function claudeEntries(
	nodes: readonly ClaudeNode[],
	parentOf: (node: ClaudeNode) => ClaudeNode | undefined,
	begun: string,
): Pick<Transcript, "entries" | "leaf"> {
	const writer = new EntryWriter(begun);
	// A file of a subagent has nothing else.
	const hasMain = nodes.some(({ isSidechain }) => !isSidechain);
	let leaf: string | null = null;
	for (const node of nodes) {
		for (const one of unwritten(node, parentOf, writer)) writer.write(one, parentOf(one));
		if (!node.isSidechain || !hasMain) leaf = writer.positionOf(node)?.key ?? leaf;
	}
	return { entries: writer.entries, leaf };
}

/** The node and its ancestors that have no entry yet, from the top. */
function unwritten(
	node: ClaudeNode,
	parentOf: (node: ClaudeNode) => ClaudeNode | undefined,
	writer: EntryWriter,
): ClaudeNode[] {
	const waiting = new Set<ClaudeNode>();
	for (
		let at: ClaudeNode | undefined = node;
		at && !writer.positionOf(at) && !waiting.has(at);
		at = parentOf(at)
	) {
		waiting.add(at);
	}
	return [...waiting].toReversed();
}

class EntryWriter {
	readonly entries: ImportedEntry[] = [];
	readonly #places = new Map<ClaudeNode, TreePosition>();
	/** What each call was made to. */
	readonly #tools = new Map<string, string>();
	#timestamp: string;

	constructor(begun: string) {
		this.#timestamp = begun;
	}

	positionOf(node: ClaudeNode): TreePosition | undefined {
		return this.#places.get(node);
	}

	write(node: ClaudeNode, parent: ClaudeNode | undefined): void {
		const place = { ...((parent && this.#places.get(parent)) ?? { key: null, model: "" }) };
		this.#places.set(node, place);
		if (node.isBoundary || node.hasSummary) return this.#compaction(node, place);
		if (node.first.type === "assistant") this.#answer(node, place);
		for (const line of node.lines) if (line.type === "user") this.#addMessage(line, place);
	}

	#answer({ lines, first }: ClaudeNode, position: TreePosition): void {
		const parts = lines.filter(({ type }) => type === "assistant");
		const last = parts.at(-1) ?? first;
		const content = parts
			.flatMap(({ message }) => answerBlocks(message.content))
			.filter((block) => this.#isNew(block));
		const label = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
		const model = first.isFailure ? position.model : text(first.message.model);
		if (model !== position.model && model !== "") {
			this.#add(position, first, `${first.uuid} model`, { type: "model_change", provider, modelId: model });
			position.model = model;
		}
		const message: AssistantMessage = {
			role: "assistant",
			content: first.isFailure ? [] : content,
			api: "anthropic-messages",
			provider,
			model,
			...(text(first.message.id) === "" ? {} : { responseId: text(first.message.id) }),
			usage: usageOf(record(last.message.usage), last.dollars),
			stopReason: first.isFailure ? "error" : stopReasonOf(last.message.stop_reason, content),
			...(first.isFailure ? { errorMessage: label } : {}),
			timestamp: this.#at(first),
		};
		this.#add(position, first, first.uuid, { type: "message", message });
	}

	/** Tool results, and the user's text with them or alone. */
	#addMessage(line: ClaudeRecord, position: TreePosition): void {
		for (const [index, block] of records(line.message.content).entries()) {
			if (block.type !== "tool_result") continue;
			const toolCallId = text(block.tool_use_id);
			const message: ToolResultMessage = {
				role: "toolResult",
				toolCallId,
				toolName: this.#tools.get(toolCallId) ?? "unknown",
				content: spokenBlocks(block.content),
				isError: block.is_error === true,
				timestamp: this.#at(line),
			};
			this.#add(position, line, `${line.uuid} ${index}`, { type: "message", message });
		}
		const content = spokenBlocks(line.message.content);
		if (content.length === 0) return;
		const fields: EntryFields = line.isMeta
			? { type: "custom_message", customType: "claude.meta", content, display: false }
			: { type: "message", message: { role: "user", content, timestamp: this.#at(line) } };
		this.#add(position, line, line.uuid, fields);
	}

	/** Claude Code stores nothing of what it summarized, so the first kept entry is the compaction itself. */
	#compaction({ lines, first }: ClaudeNode, position: TreePosition): void {
		const claudeRecord = lines.find(({ isCompactSummary }) => isCompactSummary);
		const summary = spokenBlocks(claudeRecord?.message.content)
			.map((block) => (block.type === "text" ? block.text : ""))
			.join("\n");
		if (summary === "") return;
		const tokensBefore = number(first.tokensBefore);
		const fields: EntryFields = { type: "compaction", summary, firstKeptEntryId: "", tokensBefore };
		this.#add(position, first, first.uuid, fields);
	}

	/** A call that was written down twice is one call. */
	#isNew(block: AssistantContent): boolean {
		if (block.type !== "toolCall") return true;
		if (this.#tools.has(block.id)) return false;
		this.#tools.set(block.id, block.name);
		return true;
	}

	#add(position: TreePosition, line: ClaudeRecord, key: string, fields: EntryFields): void {
		this.#timestamp = line.timestamp ?? this.#timestamp;
		this.entries.push({ key, parent: position.key, timestamp: this.#timestamp, fields });
		position.key = key;
	}

	#at(line: ClaudeRecord): number {
		return Date.parse(line.timestamp ?? this.#timestamp);
	}
}
