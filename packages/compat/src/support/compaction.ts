/** Compaction by pi's functions, for extensions that do it their own way: what to cut, what it costs, a summary. */
import {
	estimateTokens,
	fileLists,
	fileOperations,
	fileTree,
	prepareCompaction as prepare,
	readFileLists,
	windowBudget,
	type AgentMessage,
	type CompactionPreparation as OurPreparation,
} from "@tau/agent";
import type { AssistantMessage, Model, ThinkingLevel, Usage } from "@tau/ai";
import { streamInScope } from "@tau/extensions/providers";
import type { SessionEntry } from "@tau/log";
import { builtinTool } from "@tau/integrations/builtin";
import { fileAccess, piecesOf, summarize, type SummaryMeans } from "@tau/session/compaction";
import {
	compactionFirst as first,
	compactionSplitTurn as splitTurn,
	compactionTurnPrefix as turnPrefix,
} from "@tau/session/prompts";
import { fill } from "@tau/utils";

import { buildContextEntries, getLatestCompactionEntry, sessionEntryToContextMessages } from "./entries.ts";

export interface CompactionSettings {
	enabled: boolean;
	reserveTokens: number;
	keepRecentTokens: number;
}

export const DEFAULT_COMPACTION_SETTINGS: CompactionSettings = {
	enabled: true,
	reserveTokens: 16_384,
	keepRecentTokens: 20_000,
};

/** Manual calls are retried manually. */
const noRetry = { enabled: false, maxAttempts: 0, baseDelayMs: 0, maxDelayMs: 0 };

export function calculateContextTokens(usage: Usage): number {
	const { input, output, cacheRead, cacheWrite, totalTokens } = usage;
	return totalTokens || input + output + cacheRead + cacheWrite;
}

/** That of the last answer which was not broken off. */
export function getLastAssistantUsage(entries: readonly SessionEntry[]): Usage | undefined {
	for (const entry of entries.toReversed()) {
		const [message] = sessionEntryToContextMessages(entry);
		if (message?.role !== "assistant") continue;
		const { stopReason, usage } = message;
		if (stopReason !== "aborted" && stopReason !== "error") return usage;
	}
	return undefined;
}

export function shouldCompact(
	contextTokens: number,
	contextWindow: number,
	{ enabled, reserveTokens }: CompactionSettings,
): boolean {
	return enabled && contextWindow > 0 && contextTokens > contextWindow - reserveTokens;
}

/** The index of the user's last message or command before this entry; -1 if there is none. */
export function findTurnStartIndex(
	entries: readonly SessionEntry[],
	entryIndex: number,
	startIndex: number,
): number {
	for (let index = entryIndex; index >= startIndex; index--) {
		const entry = entries[index];
		if (entry && beginsTurn(entry)) return index;
	}
	return -1;
}

function beginsTurn(entry: SessionEntry): boolean {
	const [message] = entry.type === "compaction" ? [] : sessionEntryToContextMessages(entry);
	return message !== undefined && message.role !== "assistant" && message.role !== "toolResult";
}

export interface CutPointResult {
	firstKeptEntryIndex: number;
	/** -1 where the cut does not go through a turn. */
	turnStartIndex: number;
	isSplitTurn: boolean;
}

/** Keeps about `keepRecentTokens`; a call and its result stay together. */
export function findCutPoint(
	entries: readonly SessionEntry[],
	startIndex: number,
	endIndex: number,
	keepRecentTokens: number,
): CutPointResult {
	const whole = { firstKeptEntryIndex: startIndex, turnStartIndex: -1, isSplitTurn: false };
	const pieces = piecesOf(entries.slice(startIndex, endIndex));
	const compactionPreparation = prepare(pieces, { keepTokens: keepRecentTokens, access: () => [] });
	if (!compactionPreparation) return whole;
	const at = pieces.findIndex(({ id }) => id === compactionPreparation.firstKeptEntryId);
	const firstKeptEntryIndex = startIndex + at;
	const turnStartIndex = compactionPreparation.isSplitTurn
		? findTurnStartIndex(entries, firstKeptEntryIndex - 1, startIndex)
		: -1;
	return { firstKeptEntryIndex, turnStartIndex, isSplitTurn: compactionPreparation.isSplitTurn };
}

export interface CompactionPreparation extends OurPreparation {
	tokensBefore: number;
	settings: CompactionSettings;
}

/** `pathEntries` go from the root to the leaf. Undefined where there is nothing to sum up. */
export function prepareCompaction(
	pathEntries: readonly SessionEntry[],
	settings: CompactionSettings = DEFAULT_COMPACTION_SETTINGS,
): CompactionPreparation | undefined {
	const previous = getLatestCompactionEntry(pathEntries);
	const visible = buildContextEntries(pathEntries);
	const files = previous && !previous.fromHook ? readFileLists(previous.details) : undefined;
	const prepared = prepare(piecesOf(visible), {
		keepTokens: settings.keepRecentTokens,
		access: builtinAccess,
		...(previous ? { previous: { summary: previous.summary, ...(files ? { files } : {}) } } : {}),
	});
	if (!prepared) return undefined;
	const messages = visible.flatMap(sessionEntryToContextMessages);
	return { ...prepared, tokensBefore: tokensOf(messages), settings };
}

function tokensOf(messages: readonly AgentMessage[]): number {
	return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}

interface Access {
	model: Model;
	apiKey: string | undefined;
	headers: Record<string, string> | undefined;
	signal: AbortSignal | undefined;
	reserveTokens: number;
	onAnswer?: (answer: AssistantMessage) => void;
}

function meansOf({ model, apiKey, headers, signal, reserveTokens, onAnswer }: Access): SummaryMeans {
	const window = { ...DEFAULT_COMPACTION_SETTINGS, reserveTokens, thresholdPercent: 0, thresholdTokens: 0 };
	return {
		budget: windowBudget(model.contextWindow, window),
		retry: noRetry,
		signal: signal ?? new AbortController().signal,
		ask: async (context, options) => {
			const answer = await streamInScope(model, context, {
				...options,
				...(apiKey === undefined ? {} : { apiKey }),
				...(headers ? { headers } : {}),
			}).result();
			onAnswer?.(answer);
			return answer;
		},
	};
}

/** Rejects with the error of the model's server. */
export async function generateSummary(
	...about: Parameters<typeof generateSummaryWithUsage>
): Promise<string> {
	return (await generateSummaryWithUsage(...about)).text;
}

/** The same, with what it has cost. */
export async function generateSummaryWithUsage(
	messages: readonly AgentMessage[],
	model: Model,
	reserveTokens: number = DEFAULT_COMPACTION_SETTINGS.reserveTokens,
	apiKey?: string,
	headers?: Record<string, string>,
	signal?: AbortSignal,
	instructions?: string,
	previousSummary?: string,
): Promise<{ text: string; usage: Usage | undefined }> {
	let usage: Usage | undefined;
	const onAnswer = (answer: AssistantMessage): void => {
		usage = answer.usage;
	};
	const means = meansOf({ model, apiKey, headers, signal, reserveTokens, onAnswer });
	const text = await summarize({ template: first, messages, instructions, previousSummary }, means);
	return { text, usage };
}

export interface CompactionResult {
	summary: string;
	firstKeptEntryId: string;
	tokensBefore: number;
	details: { readFiles: string[]; modifiedFiles: string[] };
}

/** Writes nothing: the caller appends the result to the session, or returns it. */
export async function compact(
	preparation: CompactionPreparation,
	model: Model,
	apiKey?: string,
	headers?: Record<string, string>,
	instructions?: string,
	signal?: AbortSignal,
	_thinkingLevel?: ThinkingLevel,
): Promise<CompactionResult> {
	const { messagesToSummarize, turnPrefixMessages, previousSummary, fileOps } = preparation;
	const { reserveTokens } = preparation.settings ?? DEFAULT_COMPACTION_SETTINGS;
	const means = meansOf({ model, apiKey, headers, signal, reserveTokens });
	const about = { template: first, messages: messagesToSummarize, instructions, previousSummary };
	const [history, turn] = await Promise.all([
		messagesToSummarize.length > 0 ? summarize(about, means) : (previousSummary ?? ""),
		turnPrefixMessages.length > 0
			? summarize({ template: turnPrefix, messages: turnPrefixMessages }, means)
			: "",
	]);
	const text = history !== "" && turn !== "" ? fill(splitTurn, { history, turn }) : history || turn;
	const summary = [text, fileTree(fileOps)].filter((part) => part !== "").join("\n\n");
	const { firstKeptEntryId, tokensBefore } = preparation;
	return { summary, firstKeptEntryId, tokensBefore, details: fileLists(fileOps) };
}

/** Without a session: what the built-in tools say, with paths as the model wrote them. */
export const builtinAccess = fileAccess({
	findTool: (name) => {
		const tool = builtinTool(name);
		return tool && { touches: (args) => tool.touches(args, { cwd: "", resolve: (path) => path }) };
	},
	cwd: "",
});

/** pi's name for it, from messages instead of calls. */
export function fileOpsOf(messages: readonly AgentMessage[]) {
	return fileOperations(messages, builtinAccess);
}
