/** Replaces a long result by a short summary, and stores the whole of it in the session. */
import type { AgentToolResult } from "@tau/agent";
import { cutGraphemes, oneLine, isRecord } from "@tau/utils";
import type { ToolResultEvent, ExtensionAPI, ExtensionContext } from "@tau/extensions/api";

import { limits } from "./limits.ts";
import { storedType, withoutImages, type Mark, type StoredToolResult } from "@tau/session/export";

interface Redacted {
	content: AgentToolResult["content"];
	details: Record<string, unknown>;
}

/** Undefined if the result stays unchanged. */
export function redact(
	event: ToolResultEvent,
	tookMs: number | undefined,
	pi: Pick<ExtensionAPI, "appendEntry">,
	{ sessionManager }: Pick<ExtensionContext, "sessionManager">,
): Redacted | undefined {
	const { toolCallId, toolName, input, content, details } = event;
	if (!isRedactable(event)) return undefined;
	const stored: StoredToolResult = {
		toolCallId,
		toolName,
		input,
		content: withoutImages(content),
		isError: false,
		timestamp: Date.now(),
		...exitCodeOf(details),
		...(tookMs === undefined ? {} : { duration: Math.round(tookMs) }),
	};
	pi.appendEntry(storedType, stored);
	const entryId = sessionManager.getLeafId();
	const mark: Mark = { toolCallId, ...(entryId === null ? {} : { entryId }) };
	return {
		content: [{ type: "text", text: summaryOf(input) }],
		details: { ...(isRecord(details) ? details : {}), _mu: mark },
	};
}

/** Successful, only text, and longer than its replacement. */
function isRedactable({ isError, content, details }: ToolResultEvent): boolean {
	if (isError || isErrorLike(details)) return false;
	// Details without space for the mark could not be found again.
	if (details !== undefined && details !== null && !isRecord(details)) return false;
	const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
	if (texts.length === 0 || texts.length < content.length) return false;
	const whole = texts.join("\n").trim();
	return whole.length > limits.shortResultChars || whole.includes("\n");
}

/** Tools report a failure in many ways, and a failure has to stay visible. */
function isErrorLike(details: unknown): boolean {
	if (!isRecord(details)) return false;
	const { error, isError, success, ok, exitCode, status } = details;
	if (isError === true || success === false || ok === false) return true;
	if (error !== undefined && error !== null && error !== false && error !== "") return true;
	if (typeof exitCode === "number" && exitCode !== 0) return true;
	return typeof status === "string" && /^(error|fail(ed|ure)?|aborted|cancell?ed|timeout)$/i.test(status);
}

/** `(query: "foo", limit: 5)`. */
export function summaryOf(input: Record<string, unknown>): string {
	const words = Object.entries(input).map(([key, value]) => `${key}: ${shortValue(value)}`);
	if (words.length === 0) return "(no arguments)";
	return `(${oneLine(words.join(", "), limits.summaryChars)})`;
}

function shortValue(value: unknown): string {
	return cutGraphemes(JSON.stringify(value) ?? "undefined", limits.valueChars);
}

export function exitCodeOf(details: unknown): { exitCode?: number } {
	return isRecord(details) && typeof details.exitCode === "number" ? { exitCode: details.exitCode } : {};
}
