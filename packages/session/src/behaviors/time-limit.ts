/** Ends a run that has taken as long as it may, also in the middle of an answer or a tool. */
import type { Behavior } from "../run/behavior.ts";
import type { Budget } from "./budget-guard.ts";

export interface TimeOptions {
	/** Counted up here. */
	time?: { workedMs: number };
	/** Whether something else works for the session, such as an agent in the background. */
	isBusy?: () => boolean;
}

/** Only the time in which the session works is counted, not that in which it waits for a prompt. */
export function timeLimit(
	budget: Pick<Budget, "maxSeconds">,
	{ time = { workedMs: 0 }, isBusy = () => false }: TimeOptions = {},
): Behavior {
	return {
		name: "time-limit",
		attach(session) {
			using owned = new DisposableStack();
			let isRunning = false;
			/** Reported in this run. */
			let isOver = false;
			let since: number | undefined;
			let timer: Timer | undefined;
			const watch = (): void => {
				clearTimeout(timer);
				count();
				const { maxSeconds } = budget;
				if (since === undefined || maxSeconds === undefined) return;
				const leftMs = maxSeconds * 1000 - time.workedMs;
				timer = setTimeout(leftMs > 0 ? watch : expire, Math.max(leftMs, 0));
			};
			const count = (): void => {
				const now = performance.now();
				if (since !== undefined) time.workedMs += now - since;
				since = isRunning || isBusy() ? now : undefined;
			};
			const expire = (): void => {
				// What works in the background has a limit of its own.
				if (!isRunning || isOver) return;
				isOver = true;
				const message = `The time limit of ${budget.maxSeconds} s is used up.`;
				void session.emit({ type: "budget_exhausted", limit: "time", message });
				session.abort();
			};
			owned.use(
				session.onPhase((phase) => {
					isRunning = phase !== "idle" && phase !== "closed";
					isOver &&= isRunning;
					watch();
				}),
			);
			owned.use(session.onAfter(["child_started", "child_ended"], () => watch()));
			owned.defer(() => clearTimeout(timer));
			return owned.move();
		},
	};
}
