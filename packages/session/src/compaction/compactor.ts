/** Compacts a conversation: the model summarizes its beginning, and the log and the context continue from there. */
import {
	correction,
	estimateTokens,
	fileLists,
	fileOperations,
	prepareCompaction,
	readFileLists,
	windowBudget,
	type WindowBudget,
	type AgentMessage,
	type FileAccess,
} from "@tau/agent";
import type { AssistantMessage, Model } from "@tau/ai";
import { abortable, log as logger, oneLine, withTimeout } from "@tau/utils";
import type { CompactionResult } from "@tau/wire";

import type { Behavior, SessionEvent, SessionHandle } from "../run/behavior.ts";
import { contextUsage } from "../run/context-usage.ts";
import {
	userTextOf,
	type CarriedOver,
	type CompactionEntry,
	type HandoffDetails,
	type SessionEntry,
	type SessionManager,
	carriedText,
	isSealedFor,
	isUndone,
} from "@tau/log";
import type { CompactionChange } from "../run/run-hooks.ts";
import { UserError } from "../run/user-error.ts";
import { summarizeBranch, type BranchSummary } from "./branch-summary.ts";
import { carryOver } from "./carry.ts";
import { fileAccess } from "./file-access.ts";
import { limits } from "./limits.ts";
import { pruneResults } from "./prune-results.ts";
import { compactionPath, isOnBranch, type CompactionPath } from "./path.ts";
import { isText, writeSealed, type Written } from "./sealed-compaction.ts";
import type { CompactionSettings } from "./settings.ts";
import { firstOf, summaryMeans, writeSummary, type SummaryPlan, type WriterParts } from "./write-summary.ts";

export type CompactionReason = "manual" | "threshold" | "overflow" | "incomplete" | "idle";

export interface CompactionRequest {
	reason: CompactionReason;
	/** What the user wants the summary to focus on. */
	instructions?: string | undefined;
	/** Whether the model is called again afterwards: never, only if there is space now, or always. */
	afterwards?: "stop" | "retry" | "go on";
	/** A summary in words, whatever the strategy. */
	asText?: boolean;
	/** The work that has to end before the compaction can start. */
	after?: Promise<void> | undefined;
}

export type CompactionOutcome =
	| { ok: true; result: CompactionResult }
	| { ok: false; reason: "nothing" | "busy" | "aborted" | "failed"; message: string };

/** The document for another session, and what is stored with it as data. */
export interface Handoff {
	document: string;
	details: HandoffDetails;
}

/** The planned compaction, before any extension or model is involved. */
interface Plan extends SummaryPlan {
	path: CompactionPath;
}

type Paid = Pick<AssistantMessage, "provider" | "model" | "usage">;

export class Compactor implements Behavior {
	readonly name = "compactor";
	readonly #log: SessionManager;
	readonly #settings: CompactionSettings;
	#session: SessionHandle | undefined;
	#running: { controller: AbortController; ended: Promise<void> } | undefined;
	#isRunning = false;
	/** The model's answers that the summary in progress has cost so far. */
	#paid: Paid[] = [];

	constructor(log: SessionManager, settings: CompactionSettings) {
		this.#log = log;
		this.#settings = settings;
	}

	attach(session: SessionHandle): Disposable {
		using owned = new DisposableStack();
		this.#session = session;
		// Block prompts while the context is being replaced.
		owned.use(session.beforePrompt(async () => this.#running?.ended));
		owned.defer(() => this.abort());
		return owned.move();
	}

	get isRunning(): boolean {
		return this.#isRunning;
	}

	/** True if the context is above the threshold. */
	get isFull(): boolean {
		const { tokens, contextWindow } = contextUsage(this.#attached.state);
		return tokens > windowBudget(contextWindow, this.#settings).threshold;
	}

	/** True if the context is full and enough of it can be removed. */
	isNeeded(): boolean {
		if (this.#isRunning || !this.isFull) return false;
		const { threshold } = windowBudget(this.#attached.model.contextWindow, this.#settings);
		const gone = this.#plan("threshold")?.preparation.tokensToSummarize ?? 0;
		return gone >= threshold * limits.worthShare;
	}

	/** True if the model cannot read what the last compaction left: images, or items of another provider. */
	isSealed(model: Model = this.#attached.model): boolean {
		const [first] = this.#attached.state.messages;
		return first?.role === "compactionSummary" && isSealedFor(first, model);
	}

	/**
	 * Removes useless, repeated and old tool results from the context if that makes enough room without a summary. All at
	 * once: each change of the beginning costs the provider's cache. Not during a run. Returns whether it did.
	 */
	prune(): boolean {
		const { state, model, notice, replaceMessages } = this.#attached;
		const { tokens } = contextUsage(state);
		const { threshold, keepTokens } = windowBudget(model.contextWindow, this.#settings);
		const isShaken = this.#settings.strategy === "shake";
		const protectTokens = Math.min(limits.protectTokens, threshold * limits.protectShare);
		const pruned = pruneResults(this.#log, compactionPath(this.#log).pieces, {
			excess: tokens - threshold * (isShaken ? 1 : limits.prunedShare),
			protectTokens: isShaken ? keepTokens : Math.max(keepTokens, protectTokens),
			dropUseless: this.#settings.dropUseless ?? true,
		});
		if (!pruned) return false;
		replaceMessages(this.#log.buildSessionContext().messages);
		const size = Math.round(pruned.tokens).toLocaleString("en-US");
		notice(
			"info",
			`Removed ${pruned.results} tool results (about ${size} tokens) from the context. The model can read them again.`,
		);
		return true;
	}

	/** Aborting leaves the conversation unchanged. */
	abort(): void {
		this.#running?.controller.abort();
	}

	/** Never rejects. Emits an event at the start and at the end of the compaction. */
	async run(request: CompactionRequest): Promise<CompactionOutcome> {
		if (this.#isRunning) return { ok: false, reason: "busy", message: busy };
		return await this.#exclusively(request.after, async (signal) => {
			await this.#emitStart(request);
			const outcome = await this.#compact(request, signal);
			this.#isRunning = false;
			await this.#emitEnd(request, outcome);
			return outcome;
		});
	}

	/**
	 * Has a document written from which another session continues, with the user's messages. Rejects with the reason if
	 * it cannot. The conversation stays as it is.
	 */
	async handoff(instructions?: string, after?: Promise<void>): Promise<Handoff> {
		if (this.#isRunning) throw new UserError(busy);
		return await this.#exclusively(after, async (signal) => {
			using deadline = withTimeout(signal, limits.compactionMs, "the document timed out");
			const path = compactionPath(this.#log, { isUsable: isText });
			const plan = this.#wholePlan(path);
			if (plan.preparation.messagesToSummarize.length === 0) throw new UserError("Nothing to hand off yet.");
			const options = { instructions, isHandoff: true };
			const document = await writeSummary(plan, options, this.#writer(deadline.signal));
			for (const { provider, model, usage } of this.#paid.splice(0))
				this.#log.appendUsage("handoff", provider, model, usage);
			const file = this.#log.getSessionFile();
			const carried = this.#carried(path, "", plan.budget);
			const from = file === undefined || path.leafId === null ? {} : { from: { file, leafId: path.leafId } };
			const text = [document, carriedText(carried, file !== undefined)].filter((part) => part !== "");
			return { document: text.join("\n\n"), details: { carried, ...from } };
		});
	}

	/** Starts when earlier work of this kind has ended, and can be aborted. */
	async #exclusively<T>(
		after: Promise<void> | undefined,
		work: (signal: AbortSignal) => Promise<T>,
	): Promise<T> {
		this.#isRunning = true;
		const before = this.#running?.ended;
		const controller = new AbortController();
		const ended = Promise.withResolvers<void>();
		const running = { controller, ended: ended.promise };
		this.#running = running;
		try {
			await before;
			await after;
			return await work(controller.signal);
		} finally {
			if (this.#running === running) {
				this.#isRunning = false;
				this.#running = undefined;
			}
			ended.resolve();
		}
	}

	/** Throws the model's failure or the reason of the abort. */
	async summarizeBranch(
		entries: readonly SessionEntry[],
		{ signal, ...options }: { instructions?: string; replacesPrompt?: boolean; signal: AbortSignal },
	): Promise<BranchSummary | undefined> {
		using deadline = withTimeout(signal, limits.compactionMs, "the summary timed out");
		const writer = this.#writer(deadline.signal);
		const access = this.#access;
		const { branchReserveTokens: reserveTokens = this.#settings.reserveTokens } = this.#settings;
		const window = { ...this.#settings, reserveTokens };
		const summary = await firstOf(
			writer,
			(model) => {
				const { ask, retry } = summaryMeans(model, windowBudget(model.contextWindow, window), writer);
				const means = { model, ask, retry, access, window, signal: deadline.signal };
				return summarizeBranch(entries, { ...means, ...options });
			},
			"branch",
		);
		return summary && { ...summary, paid: this.#paid.splice(0) };
	}

	get #access(): FileAccess {
		const { findTool } = this.#attached;
		return fileAccess({ findTool, cwd: this.#log.getCwd() });
	}

	get #attached(): SessionHandle {
		if (!this.#session) throw new Error("The compactor is not attached to a session.");
		return this.#session;
	}

	async #compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome> {
		using deadline = withTimeout(signal, limits.compactionMs, "the summary timed out");
		try {
			signal.throwIfAborted();
			const textPlan = this.#plan(request.reason, isText);
			if (!textPlan)
				return {
					ok: false,
					reason: "nothing",
					message: nothing(this.#attached.state.messages, this.#settings),
				};
			const { cancel, compaction, ...options } = await this.#askHooks(textPlan, request, deadline.signal);
			if (cancel) return { ok: false, reason: "aborted", message: "An extension cancelled the compaction." };
			const { plan, written } = compaction
				? { plan: textPlan, written: compaction }
				: await this.#writtenBy(textPlan, request, options, deadline.signal);
			deadline.signal.throwIfAborted();
			const paid = compaction && this.#paidFor(compaction);
			const { entryId, result } = this.#write(plan, written, paid);
			if (paid) this.#attached.recordUsage("compaction", paid);
			// Usage is logged after the compaction entry: a failed summary leaves the end of the conversation unchanged.
			for (const { provider, model, usage } of this.#paid.splice(0))
				this.#log.appendUsage("compaction", provider, model, usage);
			await this.#attached.hooks.afterCompaction(entryId, compaction !== undefined);
			return { ok: true, result };
		} catch (error) {
			if (signal.aborted) return { ok: false, reason: "aborted", message: "Compaction cancelled." };
			const message = error instanceof Error ? error.message : String(error);
			logger.warn("a compaction failed", { reason: message });
			return { ok: false, reason: "failed", message };
		}
	}

	/** Instructions of the user mean a summary in words, and so does a prompt of an extension. */
	async #writtenBy(
		textPlan: Plan,
		{ reason, asText = false, instructions }: CompactionRequest,
		change: CompactionChange,
		signal: AbortSignal,
	): Promise<{ plan: Plan; written: Written }> {
		const options = { instructions, ...change };
		const writer = this.#writer(signal);
		const isDirected = asText || change.replacesPrompt === true || (instructions?.trim() ?? "") !== "";
		const sealed = isDirected
			? undefined
			: await writeSealed((isUsable) => this.#plan(reason, isUsable), writer);
		const { plan, written } = sealed ?? {
			plan: textPlan,
			written: { summary: await writeSummary(textPlan, options, writer) },
		};
		const preserveData = { ...written.preserveData, ...change.preserveData };
		return {
			plan,
			written: { ...written, ...(Object.keys(preserveData).length > 0 ? { preserveData } : {}) },
		};
	}

	/** An extension had the summary written: by the session's model, if it is not known by which. */
	#paidFor({ usage, paidTo }: NonNullable<CompactionChange["compaction"]>): Paid | undefined {
		const { provider, id: model } = this.#attached.model;
		return usage && { provider, model, ...paidTo, usage };
	}

	async #askHooks(
		{ preparation, tokensBefore }: Plan,
		{ instructions }: CompactionRequest,
		signal: AbortSignal,
	): Promise<CompactionChange> {
		const about = { preparation, tokensBefore, settings: this.#settings, signal };
		return abortable(
			this.#attached.hooks.beforeCompaction(instructions === undefined ? about : { ...about, instructions }),
			signal,
		);
	}

	#plan(reason: CompactionReason, isUsable?: (compaction: CompactionEntry) => boolean): Plan | undefined {
		const { state } = this.#attached;
		const isOverflow = reason === "overflow";
		const path = compactionPath(this.#log, { withoutFailure: isOverflow, ...(isUsable ? { isUsable } : {}) });
		const estimated = path.pieces.reduce(
			(sum, { message }) => sum + (message ? estimateTokens(message) : 0),
			0,
		);
		const tokensBefore = contextUsage(state).tokens;
		const besides = contextUsage({ ...state, messages: [] }).tokens;
		const budget = windowBudget(state.model.contextWindow, this.#settings);
		const ratio = correction(tokensBefore, besides + estimated);
		// A model that reports an overflow is more reliable than any estimate: half of the context has to go.
		const most = isOverflow ? estimated / 2 : Number.POSITIVE_INFINITY;
		const preparation = prepareCompaction(path.pieces, {
			keepTokens: Math.min(budget.keepTokens / ratio, most),
			access: this.#access,
			...previousOf(path),
		});
		const sourceTokens = Math.floor(budget.sourceTokens / ratio);
		if (!preparation) return undefined;
		const at = path.pieces.findIndex(({ id }) => id === preparation.firstKeptEntryId);
		const kept = path.pieces.slice(at).filter(({ message }) => message !== undefined).length;
		return { path, preparation, tokensBefore, kept, isOverflow, budget: { ...budget, sourceTokens } };
	}

	/** Nothing is kept: the document is for a session that has none of it. */
	#wholePlan(path: CompactionPath): SummaryPlan {
		const { state } = this.#attached;
		const messages = path.pieces.flatMap(({ message }) => message ?? []);
		const { previous } = previousOf(path);
		return {
			preparation: {
				firstKeptEntryId: "",
				messagesToSummarize: messages,
				turnPrefixMessages: [],
				isSplitTurn: false,
				...(previous ? { previousSummary: previous.summary } : {}),
				fileOps: fileOperations(messages, this.#access, previous?.files),
				tokensToSummarize: messages.reduce((sum, message) => sum + estimateTokens(message), 0),
			},
			tokensBefore: contextUsage(state).tokens,
			budget: windowBudget(state.model.contextWindow, this.#settings),
			kept: 0,
			isOverflow: false,
		};
	}

	#writer(signal: AbortSignal): WriterParts {
		this.#paid = [];
		const pay = (answer: AssistantMessage): void => void this.#paid.push(answer);
		return { session: this.#attached, settings: this.#settings, signal, pay };
	}

	/** The compaction is one line of the log, which makes it atomic. */
	#write(
		{ path, preparation, tokensBefore: counted, budget }: Plan,
		written: Written & Partial<CompactionResult>,
		paid?: Paid,
	): { entryId: string; result: CompactionResult } {
		const isOwn = written.firstKeptEntryId !== undefined;
		const { summary, firstKeptEntryId = preparation.firstKeptEntryId, tokensBefore = counted } = written;
		if (this.#log.getSessionId() !== path.sessionId || !isOnBranch(this.#log, path.leafId))
			throw new Error("the conversation moved to another branch in the meantime");
		if (isOwn && !isOnBranch(this.#log, firstKeptEntryId))
			throw new Error(`an extension wants to keep entry ${firstKeptEntryId}, which does not exist`);
		// The failed answer stays in the tree, on a branch that ends with it.
		if (path.failedId !== undefined && this.#log.getLeafId() === path.failedId && path.leafId !== null)
			this.#log.branch(path.leafId);
		const { preserveData, shortSummary = shortened(summary) } = written;
		const details = isOwn ? written.details : fileLists(preparation.fileOps);
		const carried = this.#carried(path, firstKeptEntryId, budget);
		const entryId = this.#log.append({
			type: "compaction",
			summary,
			...(shortSummary === "" ? {} : { shortSummary }),
			firstKeptEntryId,
			tokensBefore,
			...(details === undefined ? {} : { details }),
			...(preserveData ? { preserveData } : {}),
			carried,
			...(isOwn ? { fromHook: true } : {}),
			...paid,
		});
		this.#attached.replaceMessages(this.#log.buildSessionContext().messages);
		const text = carriedText(carried);
		const shown = text === "" ? {} : { carried: text };
		const short = shortSummary === "" ? {} : { shortSummary };
		return { entryId, result: { summary, ...short, firstKeptEntryId, tokensBefore, details, ...shown } };
	}

	#carried(path: CompactionPath, firstKeptEntryId: string, { ledgerTokens }: WindowBudget): CarriedOver {
		const { state, findTool } = this.#attached;
		const { tools } = state;
		return carryOver({ log: this.#log, path, firstKeptEntryId, ledgerTokens, tools, findTool });
	}

	async #emitStart({ reason, afterwards = "stop" }: CompactionRequest): Promise<void> {
		const willRetry = afterwards !== "stop";
		await this.#attached.emit({ type: "compaction_start", reason, willRetry });
		if (reason !== "manual") await this.#attached.emit({ type: "auto_compaction_start", reason, willRetry });
	}

	async #emitEnd(
		{ reason, afterwards = "stop" }: CompactionRequest,
		outcome: CompactionOutcome,
	): Promise<void> {
		const aborted = !outcome.ok && outcome.reason === "aborted";
		const end: Omit<Extract<SessionEvent, { type: "auto_compaction_end" }>, "type"> = {
			result: outcome.ok ? outcome.result : null,
			aborted,
			willRetry: afterwards === "go on" ? !aborted : afterwards === "retry" && outcome.ok,
			...(outcome.ok || aborted ? {} : { errorMessage: `${failed[reason]}${outcome.message}` }),
		};
		await this.#attached.emit({ type: "compaction_end", reason, ...end });
		if (reason !== "manual") await this.#attached.emit({ type: "auto_compaction_end", ...end });
	}
}

/** The first line in words: what the user wants. No request is made for it. */
function shortened(summary: string): string {
	const line = summary.split("\n").find((one) => one.trim() !== "" && !/^\s*(#|<|---)/.test(one)) ?? "";
	return oneLine(line.replaceAll(/\*\*|`/g, "").replace(/^\s*[-*]\s+/, ""), limits.shortSummaryChars);
}

const busy = "Compaction is already running.";

const failed: Readonly<Record<CompactionReason, string>> = {
	manual: "",
	threshold: "Auto-compaction failed: ",
	idle: "Auto-compaction failed: ",
	overflow: "Context overflow recovery failed: ",
	incomplete: "Incomplete response recovery failed: ",
};

/** Why nothing can be summarized: one message is larger than all that is kept, or there is little before that. */
function nothing(messages: readonly AgentMessage[], { keepRecentTokens }: CompactionSettings): string {
	const kept = keepRecentTokens.toLocaleString("en-US");
	const sizes = messages.map((message) => ({ message, tokens: estimateTokens(message) }));
	const [largest] = sizes.toSorted((a, b) => b.tokens - a.tokens);
	if (!largest || largest.tokens <= keepRecentTokens) {
		const total = sizes.reduce((sum, { tokens }) => sum + tokens, 0).toLocaleString("en-US");
		return `Nothing to compact: the conversation has about ${total} tokens, and the most recent ${kept} are kept. Lower compaction.keepRecentTokens to keep less.`;
	}
	const size = largest.tokens.toLocaleString("en-US");
	return `Nothing to compact: ${nameOf(largest.message)} has about ${size} tokens. A message is never split, and the most recent ${kept} tokens are kept. Use /rewind to go back before it and send less of it, or lower compaction.keepRecentTokens.`;
}

function nameOf(message: AgentMessage): string {
	const words = oneLine(userTextOf(message), limits.namedMessageChars);
	if (message.role === "user") return words === "" ? "one of your messages" : `your message "${words}"`;
	if (message.role === "toolResult") return `a result of ${message.toolName}`;
	return message.role === "assistant" ? "an answer of the model" : "one message";
}

/** A summary written by an extension belongs to the extension, including its lists of files. */
function previousOf({ previous }: CompactionPath): Pick<Parameters<typeof prepareCompaction>[1], "previous"> {
	if (!previous || isUndone(previous)) return {};
	const { summary, details, fromHook, fromExtension } = previous;
	const files = fromHook || fromExtension ? undefined : readFileLists(details);
	return { previous: { summary, ...(files ? { files } : {}) } };
}
