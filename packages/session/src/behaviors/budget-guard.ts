/** Ends a run that has spent its budget of money, turns or tokens. */
import type { AssistantMessage } from "@tau/ai";

import type { Behavior, SessionEvent } from "../run/behavior.ts";
import { UserError } from "../run/user-error.ts";

/** The budget of one session; an absent field means no limit. */
export interface Budget {
	/** US dollars */
	maxCost?: number | undefined;
	maxTurns?: number | undefined;
	maxTokens?: number | undefined;
	/** The time in which the session works. */
	maxSeconds?: number | undefined;
}

/** What a session has used of its budget. */
export interface Spending {
	cost: number;
	turns: number;
	tokens: number;
}

export function noSpending(): Spending {
	return { cost: 0, turns: 0, tokens: 0 };
}

export function sumSpending(parts: Iterable<Readonly<Spending>>): Spending {
	const sum = noSpending();
	for (const { cost, turns, tokens } of parts) {
		sum.cost += cost;
		sum.turns += turns;
		sum.tokens += tokens;
	}
	return sum;
}

export interface GuardOptions {
	/** Counted up here. */
	spent?: Spending;
	/** What others spend of the same budget, such as the session's children. */
	beside?: () => Spending;
	/** Others spend it at the same time: a turn begins only if something is left. */
	isShared?: boolean;
}

export function budgetGuard(
	budget: Budget,
	{ spent = noSpending(), beside = noSpending, isShared = false }: GuardOptions = {},
): Behavior {
	return {
		name: "budget-guard",
		attach(session) {
			using owned = new DisposableStack();
			const pay = ({ usage }: Pick<AssistantMessage, "usage">): void => {
				spent.cost += usage.cost.total;
				spent.tokens += usage.totalTokens;
			};
			const beforeSide = (): void => {
				// A side question is not a turn.
				const over = exhausted({ ...budget, maxTurns: undefined }, sumSpending([spent, beside()]));
				if (over) throw new UserError(over.message);
			};
			owned.use(session.hooks.sideTurns.add({ before: beforeSide, after: pay }));
			const count = session.onBefore(["message_end", "turn_start"], async (event) => {
				if (event.type === "message_end" && event.message.role === "assistant") pay(event.message);
				if (event.type !== "turn_start") return;
				const over = isShared ? exhausted(budget, sumSpending([spent, beside()])) : undefined;
				// A turn that has begun counts for the others already.
				spent.turns++;
				if (!over) return;
				session.abort();
				await session.emit(over);
			});
			owned.use(count);
			const guard = session.onAfter(["turn_end"], async (event) => {
				const continues = event.message.stopReason === "toolUse" || event.interrupted !== undefined;
				// A run that has just ended by itself needs no guard; the next prompt is checked.
				const over = exhausted(budget, sumSpending([spent, beside()]));
				if (!over || !continues) return;
				session.stop();
				await session.emit(over);
			});
			owned.use(guard);
			return owned.move();
		},
	};
}

type Exhausted = Extract<SessionEvent, { type: "budget_exhausted" }>;

function exhausted(budget: Budget, spent: Spending): Exhausted | undefined {
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
