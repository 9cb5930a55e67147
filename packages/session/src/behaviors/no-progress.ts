/** Ends a run that goes round in circles: first the model is reminded, then the run is stopped. */
import type { AssistantMessage, ToolCall, ToolResultMessage } from "@tau/ai";

import { fill } from "@tau/utils";
import type { Behavior } from "../run/behavior.ts";
import { limits } from "../run/limits.ts";
import reminder from "./no-progress.md" with { type: "text" };

/** `isEnabled` is read after each turn, so that the user can change it during a session. */
export function noProgress(isEnabled: () => boolean, now: () => number = () => performance.now()): Behavior {
	return {
		name: "no-progress",
		attach(session) {
			const failures = new Failures();
			const cycles = new Cycles();
			let callsBegan: number | undefined;
			return session.onAfter(["message_start", "tool_execution_start", "turn_end"], async (event) => {
				// What the user says changes the situation; a call may then be right a second time.
				if (event.type === "message_start" && event.message.role === "user") cycles.reset();
				if (event.type === "tool_execution_start") callsBegan ??= now();
				if (event.type !== "turn_end") return;
				const isPoll = callsBegan !== undefined && now() - callsBegan >= limits.pollMs;
				callsBegan = undefined;
				const failed = failures.watch(event.message, event.toolResults);
				const { times, isTooMany } = cycles.watch(event.message, event.toolResults, isPoll);
				const continues = event.message.stopReason === "toolUse" || event.interrupted !== undefined;
				if (!continues || !isEnabled()) return;
				const stop = async (what: string): Promise<void> => {
					session.stop();
					const message = `${what} Stopped, because the model is stuck in a loop.`;
					await session.emit({ type: "budget_exhausted", limit: "loop", message });
				};
				if (failed >= limits.identicalFailures * (isPoll ? limits.pollFactor : 1))
					return stop(`The same call failed ${failed} times in a row.`);
				if (isTooMany) return stop(`The same calls gave the same results ${times} times in a row.`);
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
	/** The newest turns: a hash of the calls and their results, and whether they took so long that the model waits. */
	#turns: { hash: bigint; isPoll: boolean }[] = [];
	/** The model was reminded of the current cycle. */
	wasReminded = false;

	reset(): void {
		this.#turns = [];
		this.wasReminded = false;
	}

	watch(answer: AssistantMessage, results: readonly ToolResultMessage[], isPoll: boolean): Repetition {
		const calls = callsOf(answer);
		if (calls.length === 0) {
			this.reset();
			return { times: 0, isTooMany: false };
		}
		const outcome = results.map(({ content, isError }) => [content, isError]);
		this.#turns.push({ hash: Bun.hash.xxHash64(JSON.stringify([calls, outcome])), isPoll });
		if (this.#turns.length > limits.repeatedTurns) this.#turns.shift();
		const found = periods.map((period) => this.#repetitions(period));
		const times = Math.max(...found.map((one) => one.times));
		if (times === 1) this.wasReminded = false;
		return { times, isTooMany: found.some(({ isTooMany }) => isTooMany) };
	}

	#repetitions(period: number): Repetition {
		const turns = this.#turns;
		let same = 0;
		for (let at = turns.length - 1; at >= period && turns[at]?.hash === turns[at - period]?.hash; at--)
			same++;
		const times = 1 + Math.floor(same / period);
		const factor = turns.slice(-period).some(({ isPoll }) => isPoll) ? limits.pollFactor : 1;
		const most = Math.min(limits.cyclesToStop * factor, Math.floor(limits.repeatedTurns / period));
		return { times, isTooMany: times >= most };
	}
}

interface Repetition {
	times: number;
	isTooMany: boolean;
}

const periods = Array.from({ length: limits.cycleTurns }, (_, index) => index + 1);

/** What a call does; its id and signature differ each time. */
function callsOf({ content }: AssistantMessage): [name: string, args: object][] {
	return content
		.filter((block): block is ToolCall => block.type === "toolCall")
		.map(({ name, arguments: args }) => [name, args]);
}
