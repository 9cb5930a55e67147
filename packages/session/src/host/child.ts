/** A session that another one opened: it is followed while it works, and ends with its signal. */
import { listen, oneLine, timer, withoutMarkdown } from "@tau/utils";

import { sumSpending, type Spending } from "../behaviors/budget-guard.ts";
import type { SessionManager } from "@tau/log";
import type { SessionEvent } from "../run/behavior.ts";
import { usageBetween, type ModelUsage } from "../run/usage-ledger.ts";
import type { AgentInfo, AgentRecord, AgentState } from "./agent-tree.ts";
import type { ChildOutcome, ChildSession } from "./children.ts";
import { limits } from "./limits.ts";
import { recordEnd } from "./stored-agents.ts";
import type { SessionHost } from "./session-host.ts";

export interface ChildParts {
	record: AgentRecord;
	host: SessionHost;
	log: SessionManager;
	signal: AbortSignal;
	/** A call of a tool in one line. */
	describe(name: string, args: Readonly<Record<string, unknown>>): string;
	/** After how many seconds without an event it counts as stalled; 0 for never. */
	stallSeconds(): number;
	/** An event of the child, for the clients of its parent. */
	onEvent(event: SessionEvent): void | Promise<void>;
	onProgress(info: AgentInfo): void;
	onStall(info: AgentInfo): void;
	onEnd(child: Child): Promise<void>;
}

export class Child implements ChildSession {
	readonly host: SessionHost;
	readonly #parts: ChildParts;
	readonly #owned = new DisposableStack();
	/** What it was charged for before, in a process or a run that has ended. */
	readonly #before: readonly ModelUsage[];
	#turns = 0;
	#lastEventAt = Date.now();
	#pause: Disposable | undefined;
	#isStale = false;
	#watch: Disposable | undefined;
	#concluded: ChildOutcome | undefined;
	#ending: Promise<void> | undefined;

	constructor(parts: ChildParts) {
		this.#parts = parts;
		this.host = parts.host;
		this.#before = structuredClone(parts.host.session.usage.byModel());
		this.#owned.use(listen(parts.signal, "abort", () => void this[Symbol.asyncDispose]()));
		this.#owned.use(parts.host.attach({ onEvent: (event) => this.#follow(event) }));
		this.#owned.defer(() => {
			this.#pause?.[Symbol.dispose]();
			this.#watch?.[Symbol.dispose]();
		});
		this.#watchForStall();
	}

	get id(): string {
		return this.#parts.record.id;
	}

	get name(): string {
		return this.#parts.record.spec.name;
	}

	get info(): AgentInfo {
		return this.#counted();
	}

	/** Whoever runs the child knows best how its work ended. */
	conclude(outcome: ChildOutcome, error?: string): void {
		this.#concluded = outcome;
		this.#parts.record.error = error;
	}

	get outcome(): ChildOutcome {
		if (this.#concluded) return this.#concluded;
		const last = this.host.session.state.messages.at(-1);
		const reason = last?.role === "assistant" ? last.stopReason : undefined;
		if (this.#parts.signal.aborted || reason === "aborted") return "aborted";
		return reason === "error" ? "failed" : "completed";
	}

	/** What it has spent of its parent's budget, with its own children. */
	get spent(): Spending {
		const own = { cost: 0, tokens: 0, turns: this.#turns + this.host.children.endedTurns };
		for (const { usage } of this.newUsage()) {
			own.cost += usage.cost.total;
			own.tokens += usage.totalTokens;
		}
		return sumSpending([own, ...this.host.children.open.map(({ spent }) => spent)]);
	}

	/** What it was charged for since it was opened, by model; with its children that have ended. */
	newUsage(): ModelUsage[] {
		return this.host.session.usage.byModel().flatMap((now) => {
			const before = this.#before.find(
				({ provider, model }) => provider === now.provider && model === now.model,
			);
			const added = before ? { ...now, usage: usageBetween(before.usage, now.usage) } : now;
			return added.usage.totalTokens > 0 || added.usage.cost.total > 0 ? [added] : [];
		});
	}

	[Symbol.asyncDispose](): Promise<void> {
		this.#ending ??= this.#end();
		return this.#ending;
	}

	#follow(event: SessionEvent): void | Promise<void> {
		this.#lastEventAt = Date.now();
		const { record, describe, onEvent } = this.#parts;
		if (event.type === "turn_start") this.#turns++;
		if (event.type === "tool_execution_start")
			record.lastAction = oneLine(describe(event.toolName, event.args), limits.actionChars);
		if (event.type === "message_end" && event.message.role === "assistant") {
			const text = event.message.content
				.flatMap((part) => (part.type === "text" ? [part.text] : []))
				.join(" ");
			if (text.trim() !== "") record.lastAction = oneLine(withoutMarkdown(text), limits.actionChars);
			const { errorMessage } = event.message;
			if (errorMessage !== undefined) record.error = errorMessage;
		}
		if (event.type === "auto_retry_start")
			record.lastAction = oneLine(
				`retrying (${event.attempt} of ${event.maxAttempts}): ${event.errorMessage}`,
				limits.actionChars,
			);
		if (event.type === "tool_approval_requested") this.#setState("waiting");
		else if (event.type === "tool_approval_resolved" || record.state === "stalled") this.#setState("running");
		if (isProgress.has(event.type)) this.#progress();
		return onEvent(event);
	}

	#setState(state: AgentState): void {
		if (this.#parts.record.state === state) return;
		this.#parts.record.state = state;
		this.#report();
	}

	/** At once, or a moment later if the last one was just now. */
	#progress(): void {
		if (this.#pause) {
			this.#isStale = true;
			return;
		}
		this.#isStale = false;
		this.#report();
		this.#pause = timer(limits.progressMs, () => {
			this.#pause = undefined;
			if (this.#isStale) this.#progress();
		});
	}

	#report(): void {
		this.#parts.onProgress(this.#counted());
	}

	#counted(): AgentInfo {
		const { cost, tokens, turns } = this.spent;
		return Object.assign(this.#parts.record, { cost, tokens, turns });
	}

	#watchForStall(): void {
		const seconds = this.#parts.stallSeconds();
		if (seconds <= 0) return;
		const leftMs = seconds * 1000 - (Date.now() - this.#lastEventAt);
		const { record, onStall } = this.#parts;
		if (leftMs <= 0 && record.state === "running") {
			this.#setState("stalled");
			onStall(record);
		}
		this.#watch = timer(leftMs > 0 ? leftMs : seconds * 1000, () => this.#watchForStall());
	}

	async #end(): Promise<void> {
		const { record, onEnd, log } = this.#parts;
		await this.host.stop();
		this.#owned.dispose();
		record.state = this.outcome;
		record.endedAt = Date.now();
		this.#report();
		await onEnd(this);
		await this.host[Symbol.asyncDispose]();
		recordEnd(log, this.outcome, record.error);
		log[Symbol.dispose]();
		await record.spec.owns?.[Symbol.asyncDispose]();
	}
}

const isProgress: ReadonlySet<SessionEvent["type"]> = new Set([
	"tool_execution_start",
	"tool_execution_end",
	"message_end",
	"turn_end",
	"auto_retry_start",
	"child_progress",
	"child_ended",
]);
