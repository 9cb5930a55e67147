/** Reports how requests ended to the credential source, so that it sets a rejected credential aside and uses the next. */
import type { AssistantMessage, Outcome } from "@tau/ai";

import type { Behavior } from "../run/behavior.ts";

export function credentialFeedback(report: (provider: string, outcome: Outcome) => void): Behavior {
	return {
		name: "credential-feedback",
		attach(session) {
			return session.onBefore(["message_end"], (event) => {
				if (event.message.role !== "assistant") return;
				const outcome = outcomeOf(event.message);
				if (outcome) report(event.message.provider, outcome);
			});
		},
	};
}

/** Only outcomes that depend on the credential count: a server that is down is no evidence about it. */
function outcomeOf({ stopReason, failure, model, usage }: AssistantMessage): Outcome | undefined {
	if (!failure)
		return stopReason === "error" || stopReason === "aborted"
			? undefined
			: { kind: "ok", spent: { model, usage } };
	const { kind, message, status, retryAfterMs } = failure;
	if (kind === "rate_limit") return { kind, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
	if (kind !== "auth") return undefined;
	return { kind, reason: message, ...(status === undefined ? {} : { status }) };
}
