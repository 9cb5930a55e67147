/** Ends a run that has spent its budget of money, turns or tokens. */
import type { Behavior, SessionEvent } from "../run/behavior.ts";

/** The budget of one session; an absent field means no limit. */
export interface Budget {
	/** US dollars */
	maxCost?: number | undefined;
	maxTurns?: number | undefined;
	maxTokens?: number | undefined;
	/** The time in which the session works. */
	maxSeconds?: number | undefined;
}

export function budgetGuard(budget: Budget): Behavior {
	return {
		name: "budget-guard",
		attach(session) {
			const spent = { cost: 0, turns: 0, tokens: 0 };
			return session.onAfter(async (event) => {
				if (event.type !== "turn_end") return;
				spent.turns++;
				spent.cost += event.message.usage.cost.total;
				spent.tokens += event.message.usage.totalTokens;
				const continues = event.message.stopReason === "toolUse" || event.interrupted !== undefined;
				// A run that has just ended by itself needs no guard; the next prompt is checked.
				const over = exhausted(budget, spent);
				if (!over || !continues) return;
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
