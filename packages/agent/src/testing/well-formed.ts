/** Checks that the events of a run are in a valid order, and reports where they are not. */
import type { AssistantMessage, ToolCall, ToolResultMessage } from "@tau/ai";

import type { AgentEvent, AgentMessage } from "../types.ts";

type EventOf<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/**
 * A run is `agent_start`, turns and `agent_end`. A turn is `turn_start`, whole messages (the user's, which only a
 * turn after tool calls can omit), the streamed answer, the executions of its tool calls in any nesting, their
 * results as whole messages in the order of the calls, and `turn_end`. Every call of an answer that did not fail has
 * one execution and one result.
 */
export function assertWellFormedRun(events: readonly AgentEvent[]): void {
	const reader = new Reader(events);
	const messages: AgentMessage[] = [];
	reader.take("agent_start");
	let hadCalls = false;
	while (reader.peek() === "turn_start") hadCalls = readTurn(reader, hadCalls, messages);
	const { messages: reported } = reader.take("agent_end");
	reader.check(sameItems(reported, messages), "agent_end does not report the messages that ended, in order");
	reader.check(reader.peek() === undefined, "something comes after agent_end");
}

class Reader {
	readonly #events: readonly AgentEvent[];
	#at = 0;

	constructor(events: readonly AgentEvent[]) {
		this.#events = events;
	}

	peek(): AgentEvent["type"] | undefined {
		return this.#events[this.#at]?.type;
	}

	take<T extends AgentEvent["type"]>(type: T): EventOf<T> {
		const event = this.#events[this.#at];
		this.check(event?.type === type, `expected ${type}`);
		this.#at++;
		return event as EventOf<T>;
	}

	check(holds: boolean, problem: string): void {
		if (!holds) throw new Error(`at event ${this.#at} (${this.peek() ?? "the end"}): ${problem}`);
	}

	nextMessage(): AgentMessage | undefined {
		const event = this.#events[this.#at];
		return event?.type === "message_start" ? event.message : undefined;
	}
}

/** Returns whether the turn had calls, whose results the next one answers. */
function readTurn(reader: Reader, hadCalls: boolean, messages: AgentMessage[]): boolean {
	reader.take("turn_start");
	reader.check(hadCalls || reader.nextMessage()?.role === "user", "a turn answers nothing");
	while (reader.nextMessage()?.role === "user") messages.push(readWhole(reader));
	const answer = readAnswer(reader);
	messages.push(answer);
	const failed = answer.stopReason === "error" || answer.stopReason === "aborted";
	const calls = failed ? [] : answer.content.filter((block) => block.type === "toolCall");
	readExecutions(reader, calls);
	const results = calls.map((call) => readResult(reader, call));
	messages.push(...results);
	const { message, toolResults } = reader.take("turn_end");
	reader.check(message === answer, "turn_end names another answer");
	reader.check(sameItems(toolResults, results), "turn_end names other results");
	return calls.length > 0;
}

function readWhole(reader: Reader): AgentMessage {
	const { message } = reader.take("message_start");
	reader.check(reader.take("message_end").message === message, "another message ended than started");
	return message;
}

function readAnswer(reader: Reader): AssistantMessage {
	const { message } = reader.take("message_start");
	if (message.role !== "assistant") throw new Error(`expected an answer, but ${message.role} started`);
	while (reader.peek() === "message_update") {
		reader.check(reader.take("message_update").message === message, "an update belongs to another answer");
	}
	reader.check(reader.take("message_end").message === message, "another answer ended than started");
	return message;
}

/** Executions start in the order of the calls; each is `start`, updates and one `end`. */
function readExecutions(reader: Reader, calls: readonly ToolCall[]): void {
	const waiting = [...calls];
	const running = new Set<string>();
	while (reader.peek()?.startsWith("tool_execution_")) {
		if (reader.peek() === "tool_execution_start") {
			const { toolCallId } = reader.take("tool_execution_start");
			reader.check(waiting.shift()?.id === toolCallId, "an execution starts out of order");
			running.add(toolCallId);
		} else if (reader.peek() === "tool_execution_update") {
			const { toolCallId } = reader.take("tool_execution_update");
			reader.check(running.has(toolCallId), "an update of what does not run");
		} else {
			const { toolCallId } = reader.take("tool_execution_end");
			reader.check(running.delete(toolCallId), "an end of what does not run");
		}
	}
	reader.check(waiting.length === 0, `${waiting.length} calls were not executed`);
	reader.check(running.size === 0, `${running.size} executions did not end`);
}

function readResult(reader: Reader, call: ToolCall): ToolResultMessage {
	const message = readWhole(reader);
	if (message.role !== "toolResult") throw new Error(`expected a result, but ${message.role} came`);
	reader.check(message.toolCallId === call.id, `the result of ${call.id} is missing or out of order`);
	return message;
}

function sameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
	return one.length === other.length && one.every((item, index) => item === other[index]);
}
