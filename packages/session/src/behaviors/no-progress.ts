/** Ends a run that goes round in circles: first the model is reminded, then the run is stopped. */
import type { AssistantMessage, ToolCall, ToolResultMessage } from "@tau/ai";

import { fill } from "../prompts/index.ts";
import type { Behavior } from "../run/behavior.ts";
import { limits } from "../run/limits.ts";
import reminder from "./no-progress.md" with { type: "text" };

/** `isEnabled` is read after each turn, so that the user can change it during a session. */
export function noProgress(isEnabled: () => boolean): Behavior {
	return {
		name: "no-progress",
		attach(session) {
			const failures = new Failures();
			const cycles = new Cycles();
			return session.onAfter(async (event) => {
				// What the user says changes the situation; a call may then be right a second time.
				if (event.type === "message_start" && event.message.role === "user") cycles.reset();
				if (event.type !== "turn_end") return;
				const failed = failures.watch(event.message, event.toolResults);
				const times = cycles.watch(event.message, event.toolResults);
				const goesOn = event.message.stopReason === "toolUse" || event.interrupted !== undefined;
				if (!goesOn || !isEnabled()) return;
				const stop = async (what: string): Promise<void> => {
					session.stop();
					const message = `${what} Stopped, because the model is stuck in a loop.`;
					await session.emit({ type: "budget_exhausted", limit: "loop", message });
				};
				if (failed >= limits.identicalFailures) return stop(`The same call failed ${failed} times in a row.`);
				if (times >= limits.cyclesToStop)
					return stop(`The same calls gave the same results ${times} times in a row.`);
				if (times !== limits.cyclesToRemind || cycles.wasReminded) return;
				cycles.wasReminded = true;
				const content = fill(reminder, { times: String(times) });
				await session.deliver(
					{ role: "custom", customType: "no-progress", content, display: false, timestamp: Date.now() },
					"steer",
				);
			});
		},
	};
}

/** Counts identical calls that failed in a row, whatever the reasons were. */
class Failures {
	#last = "";
	#times = 0;

	watch(answer: AssistantMessage, results: readonly ToolResultMessage[]): number {
		const calls = callsOf(answer);
		const isFailing = calls.length > 0 && results.every((result) => result.isError);
		const key = isFailing ? JSON.stringify(calls) : "";
		this.#times = key === "" ? 0 : key === this.#last ? this.#times + 1 : 1;
		this.#last = key;
		return this.#times;
	}
}

/** Counts how often the last turns repeat: one turn, or a few that alternate. */
class Cycles {
	/** The newest turns, each as a hash of its calls and their results. */
	#turns: bigint[] = [];
	/** The model was told of the cycle at hand. */
	wasReminded = false;

	reset(): void {
		this.#turns = [];
		this.wasReminded = false;
	}

	watch(answer: AssistantMessage, results: readonly ToolResultMessage[]): number {
		const calls = callsOf(answer);
		if (calls.length === 0) {
			this.reset();
			return 0;
		}
		const outcome = results.map(({ content, isError }) => [content, isError]);
		this.#turns.push(Bun.hash.xxHash64(JSON.stringify([calls, outcome])));
		if (this.#turns.length > limits.cycleTurns * limits.cyclesToStop) this.#turns.shift();
		const times = Math.max(...periods.map((period) => this.#repetitions(period)));
		if (times === 1) this.wasReminded = false;
		return times;
	}

	#repetitions(period: number): number {
		const turns = this.#turns;
		let same = 0;
		for (let at = turns.length - 1; at >= period && turns[at] === turns[at - period]; at--) same++;
		return 1 + Math.floor(same / period);
	}
}

const periods = Array.from({ length: limits.cycleTurns }, (_, index) => index + 1);

/** What a call does; its id and signature differ each time. */
function callsOf({ content }: AssistantMessage): [name: string, args: object][] {
	return content
		.filter((block): block is ToolCall => block.type === "toolCall")
		.map(({ name, arguments: args }) => [name, args]);
}
