/** Converts a stored message, or one that does not come from a model, into transcript blocks. */
import type { TranscriptBlock } from "@tau/tui";
import { commentType, type WireAnswer, type WireMessage } from "@tau/wire";

import { AnswerTextView } from "./answer-text.ts";
import { CallGroup } from "./call-group.ts";
import { CustomMessageView, type CustomMessage } from "./custom-message.ts";
import { DividerView } from "./divider.ts";
import { failureText } from "./failure-text.ts";
import { tokens } from "./format.ts";
import { NoticeView } from "./notice.ts";
import { UserCommandView } from "./user-command.ts";
import type { ViewContext } from "./view-context.ts";
import { ThinkingView } from "./thinking.ts";
import { ToolCallView, type ToolCallFacts } from "./tool-call.ts";
import { UserMessageView } from "./user-message.ts";

/** What is drawn of a conversation: blocks, and the calls of its last answer that have no result yet. */
export interface PastView {
	readonly blocks: TranscriptBlock[];
	readonly openCalls: ReadonlyMap<string, ToolCallView>;
}

/** A conversation that is over: calls without a result have none. */
export function pastBlocks(view: ViewContext, messages: readonly WireMessage[]): TranscriptBlock[] {
	const { blocks, openCalls } = pastView(view, messages);
	for (const call of openCalls.values()) call.drop();
	for (const block of blocks) if (block instanceof CallGroup) block.close();
	return blocks;
}

/** In the order of the conversation; results find the calls that they belong to. */
export function pastView(view: ViewContext, messages: readonly WireMessage[]): PastView {
	const blocks: TranscriptBlock[] = [];
	const calls = new Map<string, ToolCallView>();
	for (const [at, message] of messages.entries()) {
		if (message.role === "assistant") {
			for (const call of calls.values()) call.drop();
			calls.clear();
			// An answer that follows at once is that of another try.
			const isRetried = message.stopReason === "error" && messages[at + 1]?.role === "assistant";
			blocks.push(...answerBlocks(view, { message, isRetried }, calls, blocks.at(-1)));
		} else if (message.role === "toolResult") {
			const { content, details, isError, toolCallId, rewritten } = message;
			const call = calls.get(toolCallId);
			// As it was shown live: with the arguments that ran.
			if (rewritten) call?.setArguments(rewritten.arguments, true);
			call?.finish({ content, details }, isError);
			calls.delete(toolCallId);
		} else {
			const block = blockOf(view, message);
			if (block) blocks.push(block);
		}
	}
	return { blocks, openCalls: calls };
}

function answerBlocks(
	view: ViewContext,
	{ message, isRetried }: { message: WireAnswer; isRetried: boolean },
	calls: Map<string, ToolCallView>,
	before: TranscriptBlock | undefined,
): TranscriptBlock[] {
	const blocks: TranscriptBlock[] = [];
	let thinkingIndex = 0;
	for (const [contentIndex, part] of message.content.entries()) {
		if (part.type === "text") blocks.push(new AnswerTextView(view, part.text, true));
		else if (part.type === "thinking") {
			const place = { contentIndex, thinkingIndex: thinkingIndex++ };
			blocks.push(new ThinkingView(view, part.thinking, true, place));
		} else {
			const facts = { id: part.id, name: part.name, args: part.arguments };
			const { call, block } = callIn(view, facts, blocks.at(-1) ?? before, message);
			calls.set(part.id, call);
			if (block) blocks.push(block);
		}
	}
	if (message.stopReason === "aborted") blocks.push(new NoticeView(view, "Interrupted.", "warning"));
	if (message.stopReason === "error" && !isRetried)
		blocks.push(new NoticeView(view, failureText(message), "error"));
	return blocks;
}

/** A call that joins the block before it adds none. */
function callIn(
	view: ViewContext,
	facts: ToolCallFacts,
	before: TranscriptBlock | undefined,
	answer: WireAnswer,
): { call: ToolCallView; block?: TranscriptBlock } {
	if (before instanceof CallGroup && before.takes(facts, answer)) return { call: before.add(facts, answer) };
	const above = before instanceof ToolCallView || before instanceof CallGroup ? before : "blank";
	const group = CallGroup.begin(view, facts, above);
	const call = group?.add(facts, answer) ?? new ToolCallView(view, facts, above);
	return { call, block: group ?? call };
}

function blockOf(view: ViewContext, message: WireMessage): TranscriptBlock | undefined {
	switch (message.role) {
		case "user":
			return new UserMessageView(view, message);
		case "bashExecution":
			return new UserCommandView(
				view,
				{ command: message.command, isPrivate: message.excludeFromContext === true },
				message,
			);
		case "pythonExecution": {
			const { code: command, language = "python", excludeFromContext: isPrivate = false } = message;
			return new UserCommandView(view, { command, isPrivate, language }, message);
		}
		case "custom":
			return customView(view, message);
		case "branchSummary":
			return new DividerView(view, "summary of the other branch", message.summary);
		case "compactionSummary":
			return message.summary === ""
				? new DividerView(view, "compaction undone")
				: new DividerView(view, compactionTitle(message), message.summary);
		default:
			return undefined;
	}
}

/** What a compaction has replaced, and in one line with what. */
export function compactionTitle(compaction: {
	tokensBefore: number;
	shortSummary?: string | undefined;
}): string {
	const { tokensBefore, shortSummary = "" } = compaction;
	return [`compacted from ${tokens(tokensBefore)} tokens`, shortSummary]
		.filter((part) => part !== "")
		.join(" · ");
}

/** The view of an extension's message; undefined if it is not to be displayed. */
export function customView(view: ViewContext, message: CustomMessage): TranscriptBlock | undefined {
	if (!message.display) return undefined;
	if (message.customType === commentType && typeof message.content === "string")
		return new NoticeView(view, message.content, "info");
	return new CustomMessageView(view, message);
}
