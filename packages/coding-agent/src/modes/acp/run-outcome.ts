/** What became of a run, as the response to its prompt says it. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import type { EventFrame, WireMessage } from "@tau/wire";

type Answer = Extract<WireMessage, { role: "assistant" }>;

/** Limits of the user that end a run, as the protocol names them. */
const exhausted: Readonly<Record<string, acp.StopReason>> = {
	turns: "max_turn_requests",
	tokens: "max_tokens",
	length: "max_tokens",
};

export class RunOutcome {
	#usage: acp.Usage = {
		totalTokens: 0,
		inputTokens: 0,
		outputTokens: 0,
		cachedReadTokens: 0,
		cachedWriteTokens: 0,
	};
	#last: Answer | undefined;
	#limit: acp.StopReason | undefined;
	#refusal: string | undefined;

	add(event: EventFrame): void {
		if (event.type === "message_end" && event.message.role === "assistant") this.#answered(event.message);
		// A run that is tried again, or follows another, has its own end.
		if (event.type === "agent_start") this.#last = undefined;
		if (event.type === "budget_exhausted") this.#limit = exhausted[event.limit];
		if (event.type === "prompt_refused") this.#refusal = event.reason;
	}

	cancelled(): acp.PromptResponse {
		return { stopReason: "cancelled", usage: this.#usage };
	}

	/** Throws why the model gave no answer. */
	response(): acp.PromptResponse {
		if (this.#refusal !== undefined)
			throw acp.RequestError.internalError({ reason: this.#refusal }, this.#refusal);
		return { stopReason: this.#limit ?? this.#stopReason(), usage: this.#usage };
	}

	#stopReason(): acp.StopReason {
		const { stopReason, failure, errorMessage = "the model did not answer" } = this.#last ?? {};
		if (stopReason === "aborted") return "cancelled";
		if (stopReason === "length") return "max_tokens";
		if (stopReason !== "error") return "end_turn";
		if (failure?.kind === "refusal") return "refusal";
		const data = { kind: failure?.kind ?? "unknown" };
		const reason = failure?.message ?? errorMessage;
		throw failure?.kind === "auth"
			? acp.RequestError.authRequired(data, reason)
			: acp.RequestError.internalError(data, reason);
	}

	#answered(answer: Answer): void {
		const { input, output, cacheRead, cacheWrite, totalTokens } = answer.usage;
		const sum = this.#usage;
		this.#last = answer;
		this.#usage = {
			totalTokens: sum.totalTokens + totalTokens,
			inputTokens: sum.inputTokens + input,
			outputTokens: sum.outputTokens + output,
			cachedReadTokens: (sum.cachedReadTokens ?? 0) + cacheRead,
			cachedWriteTokens: (sum.cachedWriteTokens ?? 0) + cacheWrite,
		};
	}
}
