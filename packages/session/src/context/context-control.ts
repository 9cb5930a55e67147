/** Shows what fills the context, and lets the user drop items from it and bring them back. The log keeps everything. */
import type { AgentMessage } from "@tau/agent";
import type { ToolCall } from "@tau/ai";
import { oneLine } from "@tau/utils";

import {
	contextTokens,
	messageOf,
	type ContextEditEntry,
	type SessionEntry,
	type SessionManager,
} from "@tau/log";
import {
	hasCompaction,
	replaceSummary,
	summaryInfo,
	undoCompaction,
	type SummaryInfo,
} from "./edit-summary.ts";
import { keepAliveKind } from "../behaviors/cache-keep-alive.ts";
import type { AgentSession } from "../run/agent-session.ts";
import type { Behavior, SessionHandle } from "../run/behavior.ts";
import type { ToolEntry } from "../run/session-tools.ts";
import { UserError } from "../run/user-error.ts";
import { limits } from "./limits.ts";
import { contentWithout, partsOf } from "./message-parts.ts";
import { cachedTurns, headItems, sourcesOf, type ContextReport, type SourceItem } from "./report.ts";

export interface ContextControlParts {
	log: SessionManager;
	session(): AgentSession;
	/** Ends the run, changes the log, and continues the session from there. */
	replace(change: () => void): Promise<unknown>;
}

/** An entry that the model sees, with the changes that were made to it. */
interface Shown {
	entry: SessionEntry;
	/** As it was written. */
	message: AgentMessage;
	edits: readonly ContextEditEntry[];
}

export class ContextControl implements Behavior {
	readonly name = "context-control";
	readonly #log: SessionManager;
	readonly #session: () => AgentSession;
	readonly #replace: ContextControlParts["replace"];
	#handle: SessionHandle | undefined;

	constructor({ log, session, replace }: ContextControlParts) {
		this.#log = log;
		this.#session = session;
		this.#replace = replace;
	}

	attach(handle: SessionHandle): Disposable {
		this.#handle = handle;
		return {
			[Symbol.dispose]: () => {
				this.#handle = undefined;
			},
		};
	}

	report(): ContextReport {
		const session = this.#session();
		const usage = session.contextUsage();
		return {
			usage,
			sources: sourcesOf(this.#items(), usage.tokens),
			turns: cachedTurns(session.usage.byTurn()),
			misses: session.prefix.breaks,
			keptAlive: this.#keptAlive(),
		};
	}

	/** The text of an item. Throws a `UserError` if there is no such item. */
	inspect(id: string): string {
		return this.#find(this.#items(), id).text;
	}

	/**
	 * Takes items out of the context; the log keeps them, and notes take their place. All at once: the provider reads what
	 * follows the first of them again. Rejects with a `UserError`; then nothing has changed.
	 */
	drop(ids: readonly string[]): Promise<void> {
		return this.#change(ids, true);
	}

	/** Brings dropped items back. */
	restore(ids: readonly string[]): Promise<void> {
		return this.#change(ids, false);
	}

	/** What the last compaction has left to the model; undefined if the context does not begin with a summary. */
	summary(): SummaryInfo | undefined {
		return summaryInfo(this.#log);
	}

	/** Replaces the text that the model reads, with what is kept word for word. Ends the run. */
	editSummary(text: string): Promise<void> {
		return this.#summarized((log) => replaceSummary(log, text));
	}

	/** Takes back the last compaction, or the last change of its summary; what came later stays. Once more: redoes it. */
	undoSummary(): Promise<void> {
		return this.#summarized(undoCompaction);
	}

	async #summarized(change: (log: SessionManager) => void): Promise<void> {
		if (!hasCompaction(this.#log))
			throw new UserError("There is no summary: the conversation has not been compacted.");
		const { prefix } = this.#session();
		await this.#replace(() => change(this.#log));
		prefix.expect("compaction");
	}

	async #change(ids: readonly string[], drops: boolean): Promise<void> {
		const session = this.#session();
		// A run whose last answer is complete ends in a moment.
		await session.settled();
		if (session.isBusy || session.isCompacting)
			throw new UserError("The context cannot be changed while the model works. Stop it, or wait for it.");
		await session.waitForIdle();
		const items = this.#items();
		const chosen = ids.map((id) => this.#find(items, id)).filter(({ isDropped }) => isDropped !== drops);
		const fixed = chosen.find(({ canDrop }) => !canDrop);
		if (fixed) throw new UserError(whyFixed(fixed));
		if (chosen.length === 0) return;
		this.#switchTools(chosen, drops);
		this.#editEntries(chosen, drops);
		const changed = chosen.map(({ id }) => id);
		await this.#attached.emit({
			type: "context_edited",
			dropped: drops ? changed : [],
			restored: drops ? [] : changed,
		});
	}

	get #attached(): SessionHandle {
		if (!this.#handle) throw new Error("The control of the context is not attached to a session.");
		return this.#handle;
	}

	#find(items: readonly SourceItem[], id: string): SourceItem {
		const item = items.find((each) => each.id === id);
		if (!item) throw new UserError(`There is no item ${oneLine(id, limits.nameChars)} in the context.`);
		return item;
	}

	#items(): SourceItem[] {
		const session = this.#session();
		const { systemPrompt, tools } = session.state;
		const entries: readonly ToolEntry[] =
			session.tools?.entries ?? tools.map((tool) => ({ tool, source: "builtin", hiddenBy: [] }));
		return [...headItems(systemPrompt, entries), ...entryItems(this.#shown())];
	}

	/** Off for the session, as /tools does it. */
	#switchTools(chosen: readonly SourceItem[], drops: boolean): void {
		const { tools } = this.#session();
		const names = new Set(chosen.flatMap(({ id }) => (id.startsWith("tools/") ? [id.slice(6)] : [])));
		if (!tools || names.size === 0) return;
		const hidden = tools.hidden("user");
		tools.hide("user", drops ? hidden.union(names) : hidden.difference(names));
	}

	#editEntries(chosen: readonly SourceItem[], drops: boolean): void {
		const shown = new Map(this.#shown().map((each) => [each.entry.id, each]));
		const byEntry = Map.groupBy(chosen, ({ id }) => id.slice(0, id.indexOf("/")));
		let isChanged = false;
		for (const [entryId, items] of byEntry) {
			const target = shown.get(entryId);
			if (!target) continue;
			const keys = new Set(items.map(({ id }) => id.slice(entryId.length + 1)));
			const before = droppedIn(target);
			this.#edit(target, drops ? before.union(keys) : before.difference(keys));
			isChanged = true;
		}
		if (!isChanged) return;
		this.#attached.expectBreak("dropped items");
		this.#attached.replaceMessages(this.#log.buildSessionContext().messages);
	}

	#edit({ entry, message, edits }: Shown, dropped: ReadonlySet<string>): void {
		const replacement = { content: contentWithout(message, dropped, entry.id) };
		const fields = { type: "context_edit" as const, targetId: entry.id, replacement, dropped: [...dropped] };
		const now: ContextEditEntry = { ...fields, id: "", parentId: null, timestamp: "" };
		const counted = this.#lastCount();
		const then = edits.findLast(({ timestamp }) => Date.parse(timestamp) <= counted);
		const saved = tokensOf(messageOf(entry, then)) - tokensOf(messageOf(entry, now));
		this.#log.append({ ...fields, saved });
	}

	/** When the provider counted the context last. */
	#lastCount(): number {
		const answers = this.#session().state.messages.filter(({ role }) => role === "assistant");
		return answers.at(-1)?.timestamp ?? 0;
	}

	#keptAlive(): ContextReport["keptAlive"] {
		const pings = this.#log
			.getBranch()
			.flatMap((entry) => (entry.type === "usage" && entry.kind === keepAliveKind ? [entry] : []));
		const cost = pings.reduce((sum, { usage }) => sum + usage.cost.total, 0);
		return { requests: pings.length, cost };
	}

	#shown(): Shown[] {
		const branch = this.#log.getBranch();
		const edits = Map.groupBy(
			branch.filter((entry) => entry.type === "context_edit"),
			({ targetId }) => targetId,
		);
		return this.#log
			.buildSessionProjection()
			.entries.flatMap(({ sourceEntry: entry, messages: [current] }) => {
				const own = edits.get(entry.id) ?? [];
				// What else has changed it, such as pruning, is what there is to show.
				const isByUser = own.at(-1)?.dropped !== undefined;
				const message = isByUser ? messageOf(entry)[0] : current;
				return message ? [{ entry, message, edits: own }] : [];
			});
	}
}

function droppedIn({ edits }: Shown): ReadonlySet<string> {
	return new Set(edits.at(-1)?.dropped ?? []);
}

function entryItems(shown: readonly Shown[]): SourceItem[] {
	const calls = new Map(
		shown.flatMap(({ message }) =>
			message.role === "assistant" ? message.content.filter(isCall).map((call) => [call.id, call]) : [],
		),
	);
	return shown.flatMap((each) => {
		const { entry, message } = each;
		// Run with `!!`: models do not see it.
		if ("excludeFromContext" in message && message.excludeFromContext) return [];
		const dropped = droppedIn(each);
		return partsOf(message, calls)
			.filter(({ tokens }) => tokens > 0)
			.map(({ key, name, ...part }) => ({
				...part,
				id: `${entry.id}/${key}`,
				name: oneLine(name, limits.nameChars),
				isDropped: dropped.has(key),
			}));
	});
}

function isCall(block: { type: string }): block is ToolCall {
	return block.type === "toolCall";
}

function tokensOf(messages: readonly AgentMessage[]): number {
	return messages.reduce((sum, message) => sum + contextTokens(message), 0);
}

function whyFixed({ source, name }: SourceItem): string {
	switch (source) {
		case "Summaries":
			return "A summary cannot be dropped. Edit it with /compact edit.";
		case "Thinking":
		case "Tool calls":
			return `${source === "Thinking" ? "Thinking" : "A tool call"} cannot be dropped: providers check that it is complete. Drop the result instead.`;
		default:
			return `${name === "" ? "The system prompt" : name} is part of the system prompt and cannot be dropped here.`;
	}
}
