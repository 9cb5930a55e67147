/** Counts what a session has used and paid: in all, by model and by turn. */
import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage, StopReason, Usage } from "@tau/ai";

import type { Behavior, SessionHandle } from "../behavior.ts";
import { limits } from "../limits.ts";

export interface ModelUsage {
	provider: string;
	model: string;
	/** Answers that were asked for, titles and the like included. */
	answers: number;
	usage: Usage;
}

/** One answer of the conversation; one that failed or was broken off counts as far as the provider charged it. */
export interface TurnUsage {
	provider: string;
	model: string;
	stopReason: StopReason;
	timestamp: number;
	usage: Usage;
}

export class UsageLedger implements Behavior {
	readonly name = "usage-ledger";
	readonly #totals = nothing();
	readonly #byModel = new Map<string, ModelUsage>();
	readonly #turns: TurnUsage[] = [];

	/** Begins with what a conversation that is opened again has used. */
	constructor(messages: readonly AgentMessage[] = []) {
		for (const message of messages) {
			if (message.role === "assistant") this.#turn(message);
		}
	}

	attach(session: Pick<SessionHandle, "on">): Disposable {
		return session.on((event) => {
			if (event.type === "message_end" && event.message.role === "assistant") this.#turn(event.message);
		});
	}

	get totals(): Readonly<Usage> {
		return this.#totals;
	}

	/** In the order in which they were first asked. */
	byModel(): readonly ModelUsage[] {
		return [...this.#byModel.values()];
	}

	/** The newest turns, oldest first: see `limits.ledgerTurns`. The totals hold all. */
	byTurn(): readonly TurnUsage[] {
		return this.#turns;
	}

	/** Counts an answer that is no turn of the conversation. */
	add(answer: AssistantMessage): void {
		const { provider, model } = answer;
		const usage = countsOf(answer);
		const key = `${provider}/${model}`;
		const known = this.#byModel.get(key) ?? { provider, model, answers: 0, usage: nothing() };
		this.#byModel.set(key, known);
		known.answers++;
		increase(known.usage, usage);
		increase(this.#totals, usage);
	}

	#turn(answer: AssistantMessage): void {
		this.add(answer);
		const { provider, model, stopReason, timestamp } = answer;
		this.#turns.push({ provider, model, stopReason, timestamp, usage: countsOf(answer) });
		if (this.#turns.length > limits.ledgerTurns) this.#turns.shift();
	}
}

function nothing(): Usage {
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	return { ...none, totalTokens: 0, cost: { ...none, total: 0 } };
}

/** A file of another program may hold anything. */
function countsOf({ usage }: Partial<AssistantMessage>): Usage {
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

function increase(sum: Usage, by: Usage): void {
	for (const name of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const)
		sum[name] += by[name];
	for (const name of ["input", "output", "cacheRead", "cacheWrite", "total"] as const)
		sum.cost[name] += by.cost[name];
}
