/** Describes for the user why an answer failed, and what helps. */
import type { FailureKind } from "@tau/ai";
import type { WireAnswer } from "@tau/wire";

const ways: Partial<Record<FailureKind, string>> = {
	auth: "Check the key, or log in again with /login.",
	overflow: "The conversation exceeds this model's context. Run /compact.",
	rate_limit: "Wait a moment and run /retry, or choose another model with /model.",
	overloaded: "Wait a moment and run /retry, or choose another model with /model.",
	network: "Check the connection, then run /retry.",
	invalid_response: "Run /retry to ask again from here, or choose another model with /model first.",
	timeout: "The model did not answer in time. Run /retry to ask again from here.",
	output_limit: "Ask for less at once, lower the thinking level, or choose another model with /model.",
};

export function failureText({ failure, errorMessage, provider, model }: WireAnswer): string {
	const reason = failure?.message ?? errorMessage ?? "The request failed.";
	const way = failure ? ways[failure.kind] : undefined;
	if (way === undefined) return `${provider}/${model}: ${reason}`;
	return `${provider}/${model}: ${/[.!?…]\s*$/.test(reason) ? reason.trimEnd() : `${reason}.`} ${way}`;
}
