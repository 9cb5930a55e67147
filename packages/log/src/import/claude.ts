/** Reads a transcript of Claude Code: lines with `uuid` and `parentUuid`, several of which may be one answer. */
import { basename } from "node:path";

import { oneLine } from "@tau/utils";

import { claudeEntries } from "./claude-entries.ts";
import { ClaudeNode, type ClaudeRecord } from "./claude-node.ts";
import { record, records, text, time } from "./fields.ts";
import { limits } from "./limits.ts";
import { safeId } from "./safe-id.ts";
import { count, type SourceFile, type SourceLine, type Transcript } from "./transcript.ts";

/** Known, but not part of a conversation; all may occur between two lines that are. */
const bookkeeping: ReadonlySet<string> = new Set([
	"system",
	"progress",
	"attachment",
	"file-history-snapshot",
	"file-history-delta",
	"queue-operation",
	"mode",
	"permission-mode",
	"last-prompt",
	"pr-link",
	"tag",
	"agent-setting",
	"agent-color",
	"worktree-state",
	"content-replacement",
	"attribution-snapshot",
]);

/** The strongest first: the user's title comes before a generated one. */
const titleKinds = ["custom-title", "agent-name", "ai-title", "summary"] as const;

export function readClaude(lines: Iterable<SourceLine>, file: SourceFile): Transcript {
	const reader = new ClaudeReader();
	for (const line of lines) reader.take(line);
	return reader.transcript(file);
}

class ClaudeReader {
	readonly #nodes: ClaudeNode[] = [];
	/** By the id of every line that is part of it. */
	readonly #byUuid = new Map<string, ClaudeNode>();
	/** Lines that are left out, and what they hang on. */
	readonly #left = new Map<string, string>();
	readonly #byMessage = new Map<string, ClaudeNode>();
	readonly #byCall = new Map<string, ClaudeNode>();
	readonly #titles = new Map<string, string>();
	readonly #unknown = new Map<string, number>();
	#cwd = "";
	#sessionId = "";
	#begun: string | undefined;

	take({ number, value }: SourceLine): void {
		if (!value) return count(this.#unknown, "unreadable");
		this.#cwd ||= text(value.cwd);
		this.#sessionId ||= text(value.sessionId);
		this.#begun ??= time(value.timestamp);
		const type = text(value.type);
		// Written down twice.
		if (this.#byUuid.has(text(value.uuid))) return;
		if ((type === "user" || type === "assistant") && Object.keys(record(value.message)).length > 0) {
			return this.#addMessage(recordOf(value, number));
		}
		if (type === "system" && value.subtype === "compact_boundary") {
			return this.#add(new ClaudeNode(recordOf(value, number)));
		}
		this.#skip(value);
		const title = text(value.customTitle ?? value.agentName ?? value.aiTitle ?? value.summary);
		if (titleKinds.some((kind) => kind === type)) this.#titles.set(type, title);
		else if (!bookkeeping.has(type)) count(this.#unknown, type || "without a type");
	}

	transcript(file: SourceFile): Transcript {
		const stem = basename(file.path, ".jsonl");
		const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(stem);
		const title = titleKinds.map((kind) => this.#titles.get(kind)?.trim()).find(Boolean);
		const timestamp = this.#begun ?? file.modified.toISOString();
		const parentOf = (node: ClaudeNode): ClaudeNode | undefined => this.#parentOf(node);
		return {
			// Older versions copied the beginning of another session, with its id, into a file of their own.
			id: safeId(isUuid || stem.startsWith("agent-") ? stem : this.#sessionId || stem),
			timestamp,
			cwd: this.#cwd,
			...(title ? { title: oneLine(title, limits.titleChars) } : {}),
			...claudeEntries(this.#nodes, parentOf, timestamp),
			unknown: this.#unknown,
		};
	}

	#addMessage(line: ClaudeRecord): void {
		const results = records(line.message.content).filter(({ type }) => type === "tool_result");
		const asker = results.map(({ tool_use_id: id }) => this.#byCall.get(text(id))).find(Boolean);
		if (line.isCompactSummary) return this.#summarize(line);
		// The results of one answer hang on its parts one by one; in a session they follow it one after the other.
		if (asker && line.type === "user") return this.#join(asker, line);
		const messageId = text(line.message.id);
		const begun = line.type === "assistant" && messageId !== "" ? this.#byMessage.get(messageId) : undefined;
		if (begun) this.#join(begun, line);
		else this.#add(new ClaudeNode(line));
		const node = this.#byUuid.get(line.uuid);
		if (!node || line.type !== "assistant") return;
		if (messageId !== "") this.#byMessage.set(messageId, node);
		for (const block of records(line.message.content)) {
			if (text(block.id) !== "") this.#byCall.set(text(block.id), node);
		}
	}

	/** What is left of the conversation follows its boundary; older versions have no boundary. */
	#summarize(line: ClaudeRecord): void {
		const before = this.#nodes.findLast((node) => node.isBoundary && !node.isSidechain && !node.hasSummary);
		if (before) this.#join(before, line);
		else this.#add(new ClaudeNode(line));
	}

	#add(node: ClaudeNode): void {
		node.order = this.#nodes.push(node) - 1;
		this.#byUuid.set(node.first.uuid, node);
	}

	#join(node: ClaudeNode, line: ClaudeRecord): void {
		node.add(line);
		this.#byUuid.set(line.uuid, node);
	}

	#skip(value: Record<string, unknown>): void {
		const uuid = text(value.uuid);
		if (uuid !== "") this.#left.set(uuid, text(value.logicalParentUuid) || text(value.parentUuid));
	}

	/** A parent that is missing in the file: the message before is the nearest to it. */
	#parentOf(node: ClaudeNode): ClaudeNode | undefined {
		let uuid = node.first.parentUuid;
		for (let steps = 0; steps <= this.#left.size && uuid !== ""; steps++) {
			const claudeNode = this.#byUuid.get(uuid);
			if (claudeNode) return claudeNode === node ? undefined : claudeNode;
			const next = this.#left.get(uuid);
			if (next === undefined) return this.#before(node);
			uuid = next;
		}
		return node.isBoundary || node.hasSummary ? this.#before(node) : undefined;
	}

	#before(node: ClaudeNode): ClaudeNode | undefined {
		for (let at = node.order - 1; at >= 0; at--) {
			if (this.#nodes[at]?.isSidechain === node.isSidechain) return this.#nodes[at];
		}
		return undefined;
	}
}

function recordOf(value: Record<string, unknown>, number: number): ClaudeRecord {
	return {
		type: text(value.type),
		uuid: text(value.uuid) || `line ${number}`,
		parentUuid: text(value.logicalParentUuid) || text(value.parentUuid),
		timestamp: time(value.timestamp),
		isSidechain: value.isSidechain === true,
		isMeta: value.isMeta === true,
		isCompactSummary: value.isCompactSummary === true,
		isFailure: value.isApiErrorMessage === true,
		message: record(value.message),
		dollars: value.costUSD,
		tokensBefore: record(value.compactMetadata).preTokens,
	};
}
