/** Turns the events of a session into blocks of the transcript. */
import type { TranscriptBlock } from "@tau/tui";
import { shortenHome } from "@tau/utils";
import type {
	CompactionResult,
	EventFrame,
	EventFrameOf,
	LiveState,
	RunningCommand,
	WireAnswer,
	WireMessage,
} from "@tau/wire";

import type { NoticeLevel } from "./host.ts";
import { limits } from "./limits.ts";
import { AnswerView } from "./views/answer.ts";
import { CallGroup } from "./views/call-group.ts";
import { DividerView } from "./views/divider.ts";
import type { CommandEcho } from "./views/echo.ts";
import { failureText } from "./views/failure-text.ts";
import { compactionTitle, customView, type PastView } from "./views/message-views.ts";
import { commentText } from "./history.ts";
import { NoticeView } from "./views/notice.ts";
import type { ViewContext } from "./views/view-context.ts";
import { TurnEndView } from "./views/turn-end.ts";
import { ToolCallView, type ToolCallFacts } from "./views/tool-call.ts";
import { UserCommandView } from "./views/user-command.ts";
import { UserMessageView } from "./views/user-message.ts";

export interface BlockSink {
	addChild(block: TranscriptBlock): void;
	removeChild(block: TranscriptBlock): void;
}

export class ConversationView {
	readonly #view: ViewContext;
	readonly #blocks: BlockSink;
	readonly #live: () => LiveState;
	readonly #echo: CommandEcho | undefined;
	/** Commands of the users that run, with when they were seen first. */
	readonly #commands = new Map<string, { block: UserCommandView; since: number }>();
	readonly #calls = new Map<string, ToolCallView>();
	#answer: AnswerView | undefined;
	/** Whether the beginning of the message that ends next has been seen. */
	#hasBegun = false;
	/** The newest entry of the past that was shown, where it is known: its message may still end. */
	#joinedAt: string | null | undefined;
	/** The last block, where more calls may join it. */
	#group: CallGroup | undefined;
	/** The error of the last answer, until it is known whether the request is made again. */
	#failure: TranscriptBlock | undefined;
	/** When the run started, by the clock of the animation. */
	#startedAt: number | undefined;
	/** The block of calls at the end: lines of calls touch each other. */
	#lastCalls: CallGroup | ToolCallView | undefined;

	/** `live`: what is being made, as of the event that is shown. `echo` shows the command that is running above what it leads to. */
	constructor(view: ViewContext, blocks: BlockSink, live: () => LiveState, echo?: CommandEcho) {
		this.#view = view;
		this.#blocks = blocks;
		this.#live = live;
		this.#echo = echo;
	}

	/** Another conversation starts. */
	reset(): void {
		this.#hasBegun = false;
		this.#joinedAt = undefined;
		this.#calls.clear();
		this.#commands.clear();
		this.#answer = undefined;
		this.#group = undefined;
		this.#lastCalls = undefined;
		this.#failure = undefined;
		this.#startedAt = undefined;
	}

	/** Shows a conversation that may be going on, up to the entry `leafId`: what is being made is shown as far as it has come. */
	join({ blocks, openCalls }: PastView, isRunning: boolean, leafId?: string | null): void {
		const live = this.#live();
		this.#joinedAt = leafId;
		for (const block of blocks) {
			this.add(this.#echo?.above(block) ?? block);
			if (block instanceof CallGroup && block !== blocks.at(-1)) block.close();
		}
		const last = blocks.at(-1);
		if (last instanceof CallGroup) this.#group = last;
		for (const [id, call] of openCalls) {
			if (isRunning) this.#calls.set(id, call);
			else call.drop();
		}
		if (isRunning) this.#startedAt ??= this.#view.animation.now();
		if (live.answer) {
			this.#answer = this.#newAnswer();
			this.#answer.join(live);
		}
		for (const call of live.calls) this.#resume(call);
		for (const command of live.commands) this.#command(command);
		if (!isRunning) this.#closeGroup();
	}

	add(block: TranscriptBlock): void {
		this.#closeGroup();
		this.#lastCalls = block instanceof CallGroup || block instanceof ToolCallView ? block : undefined;
		this.#blocks.addChild(block);
		this.#view.redraw(block);
	}

	notice(text: string, level: NoticeLevel, echo?: CommandEcho): TranscriptBlock {
		const view = new NoticeView(this.#view, text, level, this.#lastCalls);
		const notice = echo?.above(view) ?? view;
		this.add(notice);
		return notice;
	}

	readonly onEvent = (event: EventFrame): void => {
		switch (event.type) {
			case "message_start":
				return this.#begin(event.message);
			case "message_update":
				return this.#answer?.update(event.assistantMessageEvent, this.#live());
			case "message_end":
				return this.#end(event);
			case "tool_execution_start":
				// The tool that made the call shows what it wants to show of it.
				if (event.parentToolCallId !== undefined) return;
				return this.#call(event.toolCallId, event.toolName, event.args).start(event.args);
			case "tool_approval_requested":
				return this.#calls.get(event.toolCallId)?.wait(true);
			case "tool_approval_resolved":
				return this.#calls.get(event.toolCallId)?.resume(event.args);
			case "tool_execution_update":
				return this.#calls.get(event.toolCallId)?.update(event.partialResult);
			case "tool_execution_end":
				this.#calls.get(event.toolCallId)?.finish(event.result, event.isError, event.durationMs);
				this.#calls.delete(event.toolCallId);
				return;
			case "user_command_start":
			case "user_command_output":
			case "user_command_end":
				return this.#onCommand(event);
			case "agent_start":
				this.#startedAt ??= this.#view.animation.now();
				return;
			case "agent_end":
				return this.#endRun();
			case "phase_changed":
				return event.phase === "idle" ? this.#endTurn() : undefined;
			case "auto_retry_start":
				return this.#forgetFailure();
			case "compaction_start":
				return event.willRetry ? this.#forgetFailure() : undefined;
			case "compaction_end":
				return this.#compacted(event);
			case "notice":
				if (event.own && this.#view.signsOwn) return;
				if (event.by === undefined || event.by !== this.#view.self) this.notice(event.message, event.level);
				return;
			case "comment_added":
				return void this.notice(commentText(event), "info");
			case "extension_error":
				return void this.notice(
					`${shortenHome(event.extensionPath)} (${event.event}): ${event.error}`,
					"error",
				);
			case "budget_exhausted":
				return void this.notice(event.message, "warning");
		}
	};

	#begin(message: WireMessage): void {
		this.#hasBegun = true;
		if (message.role === "assistant") this.#answer = this.#newAnswer();
		else this.#add(message);
	}

	/** A message that is whole from the beginning. */
	#add(message: WireMessage): void {
		if (message.role === "user") return this.add(new UserMessageView(this.#view, message));
		const view = message.role === "custom" ? customView(this.#view, message) : undefined;
		if (view) this.add(view);
	}

	#newAnswer(): AnswerView {
		return new AnswerView(this.#view, {
			add: (block) => this.add(block),
			call: (id, name, args) => this.#call(id, name, args),
		});
	}

	/** A call that ran before this view was there. */
	#resume({
		toolCallId,
		toolName,
		parentToolCallId,
		args,
		partialResult,
		isWaiting,
	}: LiveState["calls"][number]): void {
		if (parentToolCallId !== undefined) return;
		const call = this.#call(toolCallId, toolName, { ...args });
		call.start({ ...args });
		// Its output so far is what an event has carried.
		if (partialResult !== undefined)
			call.update(partialResult as EventFrameOf<"tool_execution_update">["partialResult"]);
		if (isWaiting) call.wait(true);
	}

	#onCommand(event: EventFrameOf<"user_command_start" | "user_command_output" | "user_command_end">): void {
		if (event.type === "user_command_start") {
			const { type: _, commandId: id, ...command } = event;
			return this.#command({ id, ...command, output: "" });
		}
		const known = this.#commands.get(event.commandId);
		if (!known) return;
		if (event.type === "user_command_output") return known.block.show(event.output);
		this.#commands.delete(event.commandId);
		const { message } = event;
		const isCommand = message.role === "bashExecution" || message.role === "pythonExecution";
		const end = isCommand ? message : { output: "", exitCode: undefined, cancelled: true };
		known.block.finish({ ...end, tookMs: this.#view.animation.now() - known.since });
	}

	#command({ id, output, ...run }: RunningCommand): void {
		const block = new UserCommandView(this.#view, run);
		if (output !== "") block.show(output);
		this.add(block);
		this.#commands.set(id, { block, since: this.#view.animation.now() });
	}

	#end({ message, interrupted, entryId }: EventFrameOf<"message_end">): void {
		const hasBegun = this.#hasBegun;
		this.#hasBegun = false;
		if (message.role !== "assistant") {
			// It began before this view was there, and ended too late for the past that was shown.
			const isLate = !hasBegun && this.#joinedAt !== undefined && entryId !== this.#joinedAt;
			return isLate ? this.#add(message) : undefined;
		}
		this.#answer?.finish(message);
		this.#answer = undefined;
		this.#group?.endAnswer();
		if (interrupted) return void this.notice(interrupted.reason, "info");
		this.#showEnd(message);
	}

	#showEnd(message: WireAnswer): void {
		if (message.stopReason === "aborted") this.notice("Interrupted.", "warning");
		else if (message.stopReason === "error") this.#failure = this.notice(failureText(message), "error");
		else if (message.stopReason === "length")
			this.notice("The answer was cut off at the model's output limit.", "warning");
	}

	/** The model may have called it, or an event is the first to mention it. */
	#call(id: string, name: string, args: Record<string, unknown>): ToolCallView {
		const known = this.#calls.get(id);
		if (known) return known;
		const view = this.#newCall({ id, name, args });
		this.#calls.set(id, view);
		return view;
	}

	#newCall(facts: ToolCallFacts): ToolCallView {
		const answer = this.#answer;
		// Shown whole, results are long: one that is finished goes to the terminal's history at once.
		const mayJoin = !this.#view.expandTools;
		if (mayJoin && this.#group?.takes(facts, answer)) return this.#group.add(facts, answer);
		const above = this.#lastCalls ?? "blank";
		const group = mayJoin ? CallGroup.begin(this.#view, facts, above) : undefined;
		const view = group?.add(facts, answer) ?? new ToolCallView(this.#view, facts, above);
		this.add(group ?? view);
		this.#group = group;
		return view;
	}

	#closeGroup(): void {
		this.#group?.close();
		this.#group = undefined;
	}

	/** Calls that did not run, because the run was aborted. */
	#endRun(): void {
		for (const call of this.#calls.values()) call.drop();
		this.#calls.clear();
		this.#closeGroup();
	}

	/** What is tried again has not failed yet. */
	#forgetFailure(): void {
		if (this.#failure) this.#blocks.removeChild(this.#failure);
		this.#failure = undefined;
	}

	#endTurn(): void {
		this.#failure = undefined;
		const tookMs = this.#startedAt === undefined ? 0 : this.#view.animation.now() - this.#startedAt;
		this.#startedAt = undefined;
		if (tookMs >= limits.turnLineMs) this.add(new TurnEndView(this.#view, tookMs, new Date()));
	}

	#compacted({ result, aborted, reason, errorMessage }: EventFrameOf<"compaction_end">): void {
		const echo = reason === "manual" ? this.#echo : undefined;
		const divider = result ? compactionDivider(this.#view, result) : undefined;
		if (divider) this.add(echo?.above(divider) ?? divider);
		else if (aborted) this.notice("Compaction cancelled. Nothing changed.", "info", echo);
		// An automatic one says itself what failed.
		else if (reason !== "manual") this.notice(errorMessage ?? "Auto-compaction failed.", "warning");
		else if (errorMessage?.startsWith("Nothing to compact") === true) this.notice(errorMessage, "info", echo);
		else this.notice(`Compaction failed: ${errorMessage ?? "unknown reason"}`, "warning", echo);
	}
}

function compactionDivider(
	view: ViewContext,
	{ tokensBefore, summary, shortSummary, carried }: CompactionResult,
): DividerView {
	const text = carried === undefined ? summary : `${summary}\n\n${carried}`;
	return new DividerView(view, compactionTitle({ tokensBefore, shortSummary }), text);
}
