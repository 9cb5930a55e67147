/** Ends a run that has taken as long as it may, also in the middle of an answer or a tool. */
import type { Behavior } from "../run/behavior.ts";
import type { Budget } from "./budget-guard.ts";

/** Only the time in which the session works is counted, not that in which it waits for a prompt. */
export function timeLimit(budget: Pick<Budget, "maxSeconds">): Behavior {
	return {
		name: "time-limit",
		attach(session) {
			let workedMs = 0;
			let since: number | undefined;
			let timer: Timer | undefined;
			const watch = (): void => {
				clearTimeout(timer);
				const { maxSeconds } = budget;
				if (since === undefined || maxSeconds === undefined) return;
				const leftMs = maxSeconds * 1000 - workedMs - (performance.now() - since);
				timer = setTimeout(leftMs > 0 ? watch : expire, Math.max(leftMs, 0));
			};
			const expire = (): void => {
				const message = `The time limit of ${budget.maxSeconds} s is used up.`;
				void session.emit({ type: "budget_exhausted", limit: "time", message });
				session.abort();
			};
			const phases = session.onPhase((phase) => {
				const works = phase !== "idle" && phase !== "closed";
				if (works) since ??= performance.now();
				else if (since !== undefined) {
					workedMs += performance.now() - since;
					since = undefined;
				}
				watch();
			});
			return {
				[Symbol.dispose]: () => {
					clearTimeout(timer);
					phases[Symbol.dispose]();
				},
			};
		},
	};
}
