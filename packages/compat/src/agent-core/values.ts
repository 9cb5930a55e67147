/** The small values of pi's agent package: results, errors, messages, templates. */
import { estimateTokens, type AgentMessage } from "@tau/agent";
import { stripControls, uuidv7, fill } from "@tau/utils";
import { parseArguments, slice } from "@tau/resources/prompt-templates";
import { branchSummary, compactionSummary } from "@tau/session/prompts";
import { convertToLlm } from "@tau/session/run";

import { calculateContextTokens } from "../support/compaction.ts";

type Result<T, E> = { ok: true; value: T } | { ok: false; error: E };

export function ok<T>(value: T): Result<T, never> {
	return { ok: true, value };
}

export function err<E>(error: E): Result<never, E> {
	return { ok: false, error };
}

export function getOrThrow<T, E>(result: Result<T, E>): T {
	if (result.ok) return result.value;
	throw result.error;
}

function getOrUndefined<T extends object, E>(result: Result<T, E>): T | undefined {
	return result.ok ? result.value : undefined;
}

function toError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}

function getFileSystemResultOrThrow<T>(result: Result<T, Error>, message: string): T {
	if (result.ok) return result.value;
	throw new SessionError("storage", `${message}: ${result.error.message}`, result.error);
}

/** An error with a code; pi has one class for each part. */
class CodedError extends Error {
	readonly code: string;

	constructor(code: string, message: string, cause?: Error) {
		super(message, cause ? { cause } : undefined);
		this.name = new.target.name;
		this.code = code;
	}
}

class ExecutionError extends CodedError {}
class CompactionError extends CodedError {}
class BranchSummaryError extends CodedError {}
class SessionError extends CodedError {}
class AgentHarnessError extends CodedError {}

export class FileError extends CodedError {
	readonly path: string | undefined;

	constructor(code: string, message: string, path?: string, cause?: Error) {
		super(code, message, cause);
		this.path = path;
	}
}

/** Omp's reason of a call that was not let run. */
class ToolCallBlockedError extends Error {
	constructor(reason = "The call was blocked.") {
		super(reason);
		this.name = "ToolCallBlockedError";
	}
}

function createSessionId(): string {
	return uuidv7();
}

function createTimestamp(): string {
	return new Date().toISOString();
}

/** The text around a summary for a model. */
function around(template: string): [before: string, after: string] {
	const [before = "", after = ""] = fill(template, { summary: "\0" }).split("\0");
	return [before, after];
}

export const [COMPACTION_SUMMARY_PREFIX, COMPACTION_SUMMARY_SUFFIX] = around(compactionSummary);
const [BRANCH_SUMMARY_PREFIX, BRANCH_SUMMARY_SUFFIX] = around(branchSummary);

type MessageOf<R extends AgentMessage["role"]> = Extract<AgentMessage, { role: R }>;

function bashExecutionToText(message: MessageOf<"bashExecution">): string {
	const [converted] = convertToLlm([{ ...message, excludeFromContext: false }]);
	return typeof converted?.content === "string" ? converted.content : "";
}

function createBranchSummaryMessage(
	summary: string,
	fromId: string,
	timestamp: string,
): MessageOf<"branchSummary"> {
	return { role: "branchSummary", summary, fromId, timestamp: Date.parse(timestamp) };
}

export function createCompactionSummaryMessage(
	summary: string,
	tokensBefore: number,
	timestamp: string,
): MessageOf<"compactionSummary"> {
	return { role: "compactionSummary", summary, tokensBefore, timestamp: Date.parse(timestamp) };
}

function createCustomMessage(
	customType: string,
	content: MessageOf<"custom">["content"],
	display: boolean,
	details: unknown,
	timestamp: string,
): MessageOf<"custom"> {
	return { role: "custom", customType, content, display, details, timestamp: Date.parse(timestamp) };
}

/** Quotes group words. */
export function parseCommandArgs(text: string): string[] {
	return [...parseArguments(text).words];
}

/** `$1`, `$@`, `$ARGUMENTS`, `${@:N}` and `${@:N:L}`; inserted text is not expanded again. */
export function substituteArgs(content: string, args: string[]): string {
	const given = { words: args, text: args.join(" ") };
	return content.replace(
		/\$\{@:(\d+)(?::(\d+))?\}|\$(\d+)|\$(?:@|ARGUMENTS)/g,
		(_, from?: string, count?: string, index?: string) => {
			if (from !== undefined)
				return slice(given, Number(from), count === undefined ? undefined : Number(count));
			return index === undefined ? given.text : (args[Number(index) - 1] ?? "");
		},
	);
}

function formatPromptTemplateInvocation({ content }: { content: string }, args: string[] = []): string {
	return substituteArgs(content, args);
}

/** The instructions of a skill, with the path of its files and the additional task. */
function formatSkillInvocation(
	{ name, content, filePath }: { name: string; content: string; filePath: string },
	more?: string,
): string {
	const body = `<skill name="${name}" location="${filePath}">\n${content.trim()}\n</skill>`;
	return more ? `${body}\n\n${more}` : body;
}

function sanitizeBinaryOutput(text: string): string {
	return stripControls(text);
}

/** The last answer says what it read; what came after it is estimated. */
export function estimateContextTokens(messages: readonly AgentMessage[]) {
	const lastUsageIndex = messages.findLastIndex(
		(message) =>
			message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted",
	);
	const last = messages[lastUsageIndex];
	const usageTokens = last?.role === "assistant" ? calculateContextTokens(last.usage) : 0;
	const trailingTokens = messages
		.slice(lastUsageIndex + 1)
		.reduce((sum, message) => sum + estimateTokens(message), 0);
	return {
		tokens: usageTokens + trailingTokens,
		usageTokens,
		trailingTokens,
		lastUsageIndex: lastUsageIndex < 0 ? null : lastUsageIndex,
	};
}

const GREP_MAX_LINE_LENGTH = 500;

/** Omp's levels, by name. */
const ThinkingLevel = {
	Off: "off",
	Minimal: "minimal",
	Low: "low",
	Medium: "medium",
	High: "high",
	XHigh: "xhigh",
	Max: "max",
	Inherit: "inherit",
} as const;

/** What extensions get of it. */
export const valueExports = {
	ok,
	err,
	getOrThrow,
	getOrUndefined,
	toError,
	getFileSystemResultOrThrow,
	ExecutionError,
	CompactionError,
	BranchSummaryError,
	SessionError,
	AgentHarnessError,
	FileError,
	ToolCallBlockedError,
	createSessionId,
	createTimestamp,
	bashExecutionToText,
	createBranchSummaryMessage,
	createCompactionSummaryMessage,
	createCustomMessage,
	parseCommandArgs,
	substituteArgs,
	formatPromptTemplateInvocation,
	formatSkillInvocation,
	sanitizeBinaryOutput,
	estimateContextTokens,
	GREP_MAX_LINE_LENGTH,
	ThinkingLevel,
	COMPACTION_SUMMARY_PREFIX,
	COMPACTION_SUMMARY_SUFFIX,
	BRANCH_SUMMARY_PREFIX,
	BRANCH_SUMMARY_SUFFIX,
};
