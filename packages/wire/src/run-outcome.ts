/** The outcome of a run: its usage and why it ended, derived from events by the client that sent the prompt. */
import type { EventFrame, EventFrameOf } from "./events.ts";
import type { WireAnswer } from "./messages.ts";

type Used = Record<"input" | "output" | "cacheRead" | "cacheWrite" | "totalTokens", number>;

export class RunOutcome {
	readonly usage: Used = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
	/** The last answer of the model, whole or not. */
	answer: WireAnswer | undefined;
	/** The limit of the user that has ended it. */
	limit: EventFrameOf<"budget_exhausted">["limit"] | undefined;
	/** Why the prompt was not sent to the model. */
	refusal: string | undefined;

	add(event: EventFrame): void {
		if (event.type === "message_end" && event.message.role === "assistant") {
			this.answer = event.message;
			for (const part of Object.keys(this.usage) as (keyof Used)[])
				this.usage[part] += event.message.usage[part];
		}
		// A run that is tried again, or follows another, has its own end.
		if (event.type === "agent_start") this.answer = undefined;
		if (event.type === "budget_exhausted") this.limit = event.limit;
		if (event.type === "prompt_refused") this.refusal = event.reason;
	}
}
