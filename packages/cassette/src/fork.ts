/** The beginning of a recorded session, up to the answer that another model or prompt is to give. */
import { isRecord, uuidv7 } from "@tau/utils";

import type { Cassette } from "./format.ts";

export interface ForkPoint {
	/** The lines of a new session file. */
	readonly lines: readonly string[];
	/** The user's message that the answer is for; undefined if the answer is for tool results. */
	readonly prompt?: string | undefined;
}

/** `step` is the number of the answer, from 1. Throws with the reason for the user. */
export function forkAt({ log }: Cassette, step: number, cwd: string): ForkPoint {
	const entries = log.slice(1).map((line) => JSON.parse(line) as Record<string, unknown>);
	const answers = entries.flatMap((entry, at) => (messageOf(entry)?.role === "assistant" ? [at] : []));
	const end = answers[step - 1];
	if (!Number.isInteger(step) || end === undefined)
		throw new Error(`There is no answer ${step}: the recording has ${answers.length}.`);
	const last = messageOf(entries[end - 1]);
	const isPrompt = last?.role === "user";
	const kept = log.slice(1, isPrompt ? end : end + 1);
	const header = JSON.parse(log[0] ?? "{}") as Record<string, unknown>;
	const begin = { ...header, id: uuidv7(), timestamp: new Date().toISOString(), cwd };
	return { lines: [JSON.stringify(begin), ...kept], prompt: isPrompt ? textIn(last.content) : undefined };
}

/** The message of a log entry, if it has one. */
function messageOf(entry: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
	return entry?.type === "message" && isRecord(entry.message) ? entry.message : undefined;
}

function textIn(content: unknown): string {
	if (typeof content === "string") return content;
	const blocks = Array.isArray(content) ? (content as Record<string, unknown>[]) : [];
	return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}
