/** What a client sends as a prompt, and what it is answered. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import type { PromptPart } from "@tau/server/adapters";
import type { RunOutcome } from "@tau/wire";

export function partOf(block: acp.ContentBlock): PromptPart {
	if (block.type === "text") return { kind: "text", text: block.text };
	if (block.type === "image" || block.type === "audio") return { ...block, kind: "media" };
	if (block.type === "resource_link") return { kind: "link", uri: block.uri };
	const { resource } = block;
	return "blob" in resource
		? { kind: "media", data: resource.blob, mimeType: resource.mimeType ?? "" }
		: { kind: "file", uri: resource.uri, text: resource.text };
}

/** Limits of the user that end a run, as the protocol names them. */
const exhausted: Readonly<Record<string, acp.StopReason>> = {
	turns: "max_turn_requests",
	tokens: "max_tokens",
	length: "max_tokens",
};

/** Throws why the model gave no answer. */
export function responseTo(outcome: RunOutcome, isCancelled: boolean): acp.PromptResponse {
	const { input, output, cacheRead, cacheWrite, totalTokens } = outcome.usage;
	const usage: acp.Usage = {
		totalTokens,
		inputTokens: input,
		outputTokens: output,
		cachedReadTokens: cacheRead,
		cachedWriteTokens: cacheWrite,
	};
	return { stopReason: isCancelled ? "cancelled" : stopReasonOf(outcome), usage };
}

function stopReasonOf({ answer, limit, refusal }: RunOutcome): acp.StopReason {
	if (refusal !== undefined) throw acp.RequestError.internalError({ reason: refusal }, refusal);
	const known = limit === undefined ? undefined : exhausted[limit];
	if (known) return known;
	const { stopReason, failure, errorMessage = "the model did not answer" } = answer ?? {};
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
