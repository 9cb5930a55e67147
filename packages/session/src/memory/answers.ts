/** Asks a model for JSON, and reads what it answers as untrusted data. */
import type { AssistantMessage } from "@tau/ai";
import { isRecord, maskSecrets, oneLine, stripControls, withTimeout } from "@tau/utils";

import { limits } from "./limits.ts";

/** Sends one question to the model of memory; undefined if there is none that can be used. */
export type AskMemory = (question: {
	systemPrompt: string;
	text: string;
	maxTokens: number;
	signal: AbortSignal;
}) => Promise<AssistantMessage | undefined>;

/** No model can be used for memory: nothing has failed, and nothing is to be counted as an attempt. */
export class NoModel extends Error {}

/** Rejects if the model fails or answers something else. */
export async function askJson(
	ask: AskMemory,
	question: { systemPrompt: string; text: string; maxTokens: number },
	signal: AbortSignal,
): Promise<Record<string, unknown>> {
	using deadline = withTimeout(signal, limits.answerMs, "The model did not answer in time.");
	const answer = await ask({ ...question, signal: deadline.signal });
	signal.throwIfAborted();
	if (!answer) throw new NoModel("No model can be used for the role smol.");
	if (answer.stopReason === "error" || answer.stopReason === "aborted")
		throw new Error(answer.errorMessage ?? "The model failed.");
	const text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
	const parsed: unknown = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
	if (!isRecord(parsed)) throw new Error("The answer is not an object.");
	return parsed;
}

/** One line without control characters and secrets. */
export function line(value: unknown, chars: number): string {
	return typeof value === "string" ? oneLine(maskSecrets(stripControls(value)), chars).trim() : "";
}

export function records(value: unknown): Record<string, unknown>[] {
	return Array.isArray(value) ? value.filter(isRecord) : [];
}
