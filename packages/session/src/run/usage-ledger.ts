/** Counts the usage and cost of a session: in total, by model and by turn. */
import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage, StopReason, Usage } from "@tau/ai";
import { toolSpent, type Spent } from "@tau/log";
import { errorText, log, shareTurn } from "@tau/utils";

import type { Behavior, SessionHandle } from "./behavior.ts";
import { limits } from "./limits.ts";

export interface ModelUsage {
	provider: string;
	model: string;
	/** Answers that were asked for, titles and the like included. */
	answers: number;
	usage: Usage;
}

/** One answer of the conversation; a failed or aborted one counts as far as the provider charged it. */
export interface TurnUsage {
	provider: string;
	model: string;
	stopReason: StopReason;
	timestamp: number;
	usage: Usage;
}

/** An answer that was paid for, with what is known about it. */
export type PaidAnswer = Pick<AssistantMessage, "provider" | "model" | "usage"> &
	Partial<Pick<AssistantMessage, "timestamp" | "durationMs" | "ttftMs" | "stopReason" | "failure">>;

/** One ended answer, as statistics keep it. */
export interface AnswerRecord {
	/** The time that the log has for it. */
	at: number;
	/** `turn`, or what else it was for: `title`, `compaction` … */
	kind: string;
	provider: string;
	model: string;
	usage: Usage;
	durationMs?: number;
	ttftMs?: number;
	/** The kind of its failure, or `aborted`. */
	failure?: string;
}

/** One ended call of a tool. */
export interface ToolRecord {
	at: number;
	tool: string;
	isError: boolean;
	durationMs?: number;
}

export type UsageRecord = AnswerRecord | ToolRecord;

export class UsageLedger implements Behavior {
	readonly name = "usage-ledger";
	readonly #totals = nothing();
	readonly #byModel = new Map<string, ModelUsage>();
	readonly #turns: TurnUsage[] = [];
	/** Counted once, on demand or when something is added: most runs never need it. */
	#before: (() => Iterable<Spent>) | undefined;
	/** What of it is not counted yet. */
	#rest: Iterator<Spent> | undefined;
	#isCounting = false;
	readonly #onRecord: ((record: UsageRecord) => void) | undefined;

	/** Starts with the usage of the session so far, on all branches. `onRecord` gets what is added, once. */
	constructor(before?: () => Iterable<Spent>, onRecord?: (record: UsageRecord) => void) {
		this.#before = before;
		this.#onRecord = onRecord;
	}

	/** To be attached before what writes to the log: what is counted here must not be in it yet. */
	attach(session: Pick<SessionHandle, "onBefore">): Disposable {
		return session.onBefore(["message_end"], (event) => {
			for (const spent of turnsOf([event.message])) {
				this.#begin();
				this.#count(spent);
			}
			if (this.#onRecord) for (const record of recordsOf(event.message)) this.#onRecord(record);
		});
	}

	/** Whether what came before is counted: that of a long session takes a while. */
	get isCounted(): boolean {
		return this.#before === undefined && this.#rest === undefined;
	}

	/** Counts what came before in short turns of the event loop: all at once, 46 MB would hold up a key. Never rejects. */
	async count(): Promise<void> {
		if (this.#isCounting) return;
		this.#isCounting = true;
		try {
			while (!this.#countSome(limits.ledgerSlice)) await shareTurn();
		} catch (error) {
			log.warn("the usage of a session was not counted to its end", { reason: errorText(error) });
		} finally {
			this.#isCounting = false;
		}
	}

	get totals(): Readonly<Usage> {
		this.#begin();
		return this.#totals;
	}

	/** In the order in which they were first asked. */
	byModel(): readonly ModelUsage[] {
		this.#begin();
		return [...this.#byModel.values()];
	}

	/** The newest turns, oldest first: see `limits.ledgerTurns`. The totals hold all. */
	byTurn(): readonly TurnUsage[] {
		this.#begin();
		return this.#turns;
	}

	/** Counts an answer outside of the conversation's turns. */
	add(kind: string, answer: PaidAnswer): void {
		this.addElsewhere(answer);
		this.#onRecord?.(answerRecord(kind, answer));
	}

	/** Counts what another session has recorded: that of an agent. */
	addElsewhere(answer: Pick<AssistantMessage, "provider" | "model" | "usage">): void {
		this.#begin();
		this.#count({ ...answer, isTurn: false });
	}

	#begin(): void {
		this.#countSome(Infinity);
	}

	/** True if nothing is left. */
	#countSome(most: number): boolean {
		this.#rest ??= this.#before?.()[Symbol.iterator]();
		this.#before = undefined;
		for (let left = most; this.#rest && left > 0; left--) {
			const next = this.#rest.next();
			if (next.done) this.#rest = undefined;
			else this.#count(next.value);
		}
		return this.#rest === undefined;
	}

	#count(answer: Spent): void {
		const provider = nameOf(answer.provider);
		const model = nameOf(answer.model);
		const usage = countsOf(answer);
		const key = `${provider}/${model}`;
		const known = this.#byModel.get(key) ?? { provider, model, answers: 0, usage: nothing() };
		this.#byModel.set(key, known);
		known.answers++;
		increase(known.usage, usage);
		increase(this.#totals, usage);
		if (!answer.isTurn) return;
		const { stopReason = "stop", timestamp = 0 } = answer;
		this.#turns.push({ provider, model, stopReason, timestamp, usage });
		if (this.#turns.length > limits.ledgerTurns) this.#turns.shift();
	}
}

/** What the messages of a conversation cost, as far as they say so. */
export function turnsOf(messages: readonly AgentMessage[]): Spent[] {
	return messages.flatMap((message) => {
		if (message.role === "assistant") return [{ ...message, isTurn: true }];
		return message.role === "toolResult" && message.usage ? [toolSpent(message)] : [];
	});
}

function recordsOf(message: AgentMessage): UsageRecord[] {
	if (message.role === "assistant") return [answerRecord("turn", message)];
	if (message.role !== "toolResult") return [];
	const { timestamp: at, toolName: tool, isError, durationMs, usage } = message;
	const call = { at, tool, isError, ...(durationMs === undefined ? {} : { durationMs }) };
	return usage
		? [call, answerRecord(tool, { provider: "tools", model: tool, usage, timestamp: at })]
		: [call];
}

/** For what is paid outside of a session too, such as the message of a commit. */
export function answerRecord(kind: string, answer: PaidAnswer): AnswerRecord {
	const { provider, model, usage, timestamp = Date.now(), durationMs, ttftMs, stopReason, failure } = answer;
	const isFailed = stopReason === "error" || stopReason === "aborted";
	return {
		at: timestamp,
		kind,
		provider,
		model,
		usage,
		...(durationMs === undefined ? {} : { durationMs }),
		...(ttftMs === undefined ? {} : { ttftMs }),
		...(isFailed ? { failure: stopReason === "aborted" ? stopReason : (failure?.kind ?? "unknown") } : {}),
	};
}

function nothing(): Usage {
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	return { ...none, totalTokens: 0, cost: { ...none, total: 0 } };
}

/** A file of another program may hold anything. */
function nameOf(value: unknown): string {
	return typeof value === "string" ? value : "unknown";
}

function countsOf({ usage }: Spent): Usage {
	const counts = nothing();
	for (const name of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const)
		counts[name] = numberOf(usage?.[name]);
	for (const name of ["input", "output", "cacheRead", "cacheWrite", "total"] as const)
		counts.cost[name] = numberOf(usage?.cost?.[name]);
	return counts;
}

function numberOf(value: unknown): number {
	return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** What was added from one count to a later one. */
export function usageBetween(before: Usage, after: Usage): Usage {
	const added = nothing();
	increase(added, after);
	increase(added, before, -1);
	return added;
}

function increase(sum: Usage, by: Usage, factor: 1 | -1 = 1): void {
	for (const name of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const)
		sum[name] += factor * by[name];
	for (const name of ["input", "output", "cacheRead", "cacheWrite", "total"] as const)
		sum.cost[name] += factor * by.cost[name];
}
