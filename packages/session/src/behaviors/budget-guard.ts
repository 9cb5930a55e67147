/** Ends a run that has spent its budget or that repeats the same failing call. */
import type { AssistantMessage, ToolCall, ToolResultMessage } from "@tau/ai";

import type { Behavior, SessionEvent } from "../run/behavior.ts";
import { limits } from "../run/limits.ts";

/** The budget of one session; an absent field means no limit. */
export interface Budget {
	/** US dollars */
	maxCost?: number | undefined;
	maxTurns?: number | undefined;
	maxTokens?: number | undefined;
}

export function budgetGuard(budget: Budget): Behavior {
	return {
		name: "budget-guard",
		attach(session) {
			const spent = { cost: 0, turns: 0, tokens: 0 };
			const circles = new Circles();
			return session.onAfter(async (event) => {
				if (event.type !== "turn_end") return;
				spent.turns++;
				spent.cost += event.message.usage.cost.total;
				spent.tokens += event.message.usage.totalTokens;
				const goesOn = event.message.stopReason === "toolUse" || event.interrupted !== undefined;
				// A run that has just ended by itself needs no guard; the next prompt is checked.
				const over = exhausted(budget, spent) ?? circles.watch(event.message, event.toolResults);
				if (!over || !goesOn) return;
				session.stop();
				await session.emit(over);
			});
		},
	};
}

type Exhausted = Extract<SessionEvent, { type: "budget_exhausted" }>;

function exhausted(
	budget: Budget,
	spent: { cost: number; turns: number; tokens: number },
): Exhausted | undefined {
	const over = (limit: Exhausted["limit"], message: string): Exhausted => ({
		type: "budget_exhausted",
		limit,
		message,
	});
	if (budget.maxCost !== undefined && spent.cost >= budget.maxCost) {
		return over("cost", `The budget of $${budget.maxCost} is used up ($${spent.cost.toFixed(4)}).`);
	}
	if (budget.maxTurns !== undefined && spent.turns >= budget.maxTurns) {
		return over("turns", `The budget of ${budget.maxTurns} turns is used up.`);
	}
	if (budget.maxTokens !== undefined && spent.tokens >= budget.maxTokens) {
		return over("tokens", `The budget of ${budget.maxTokens} tokens is used up (${spent.tokens}).`);
	}
	return undefined;
}

/** Detects a call that is repeated with the same arguments and fails each time. */
class Circles {
	#last = "";
	#times = 0;

	watch(answer: AssistantMessage, results: readonly ToolResultMessage[]): Exhausted | undefined {
		const calls = answer.content.filter((block): block is ToolCall => block.type === "toolCall");
		const failing = calls.length > 0 && results.every((result) => result.isError);
		const key = failing ? JSON.stringify(calls.map(({ name, arguments: args }) => [name, args])) : "";
		this.#times = key !== "" && key === this.#last ? this.#times + 1 : 1;
		this.#last = key;
		if (key === "" || this.#times < limits.identicalFailures) return undefined;
		const message = `The same call failed ${this.#times} times in a row. Stopped, because the model is stuck in a loop.`;
		return { type: "budget_exhausted", limit: "loop", message };
	}
}
