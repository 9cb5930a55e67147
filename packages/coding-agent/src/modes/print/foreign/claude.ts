/** The lines of `claude -p --output-format json` and `stream-json`, so that scripts written for Claude Code read Tau's. */
import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage, Usage } from "@tau/ai";
import { uuidv7 } from "@tau/utils";
import type { SessionEvent } from "@tau/session";

import type { Output } from "../../output.ts";
import type { Printer, PrintOutcome } from "../run-print.ts";

/** What the first and the last line say of the session. */
export interface RunFacts {
	readonly sessionId: string;
	readonly cwd: string;
	readonly model: string;
	readonly tools: readonly string[];
	readonly approvalMode: string;
	/** US dollars, as of now. */
	readonly cost: number;
}

export interface ClaudePrinterOptions {
	out: Output;
	/** False: only the last line, `--output-format json`. */
	isStream: boolean;
	/** Read when a line needs it: tools and servers come and go. */
	facts(): RunFacts;
}

/** One result per call of `conclude`; a stream begins with what the session is. */
export function claudePrinter({ out, isStream, facts }: ClaudePrinterOptions): Printer {
	const run = new Run();
	let isAnnounced = false;
	const line = (value: object): void | Promise<void> =>
		out.write(`${JSON.stringify({ ...value, session_id: facts().sessionId, uuid: uuidv7() })}\n`);
	const announce = (): void => {
		if (!isStream || isAnnounced) return;
		isAnnounced = true;
		void line(initLine(facts()));
	};
	return {
		onEvent(event) {
			run.take(event);
			if (!isStream) return undefined;
			if (event.type === "agent_start") return announce();
			const { shown, parent } = ownMessage(event);
			const message = shown && claudeMessage(shown);
			return message && line({ ...message, parent_tool_use_id: parent });
		},
		end: () => {},
		conclude(outcome) {
			announce();
			return line(run.result(outcome, facts().cost));
		},
	};
}

function initLine(facts: RunFacts): object {
	return {
		type: "system",
		subtype: "init",
		cwd: facts.cwd,
		tools: facts.tools,
		model: facts.model,
		permissionMode: facts.approvalMode,
		apiKeySource: "none",
		output_style: "default",
	};
}

/** The message that an event has completed, also one of an agent. */
function ownMessage(event: SessionEvent): { shown?: AgentMessage; parent: string | null } {
	if (event.type === "child_event") {
		const { shown } = ownMessage(event.event as SessionEvent);
		return { ...(shown ? { shown } : {}), parent: event.id };
	}
	return event.type === "message_end" ? { shown: event.message, parent: null } : { parent: null };
}

/** Undefined for what Claude Code has no line for, such as a notice of an extension. */
function claudeMessage(message: AgentMessage): object | undefined {
	if (message.role === "assistant") return { type: "assistant", message: assistantOf(message) };
	if (message.role !== "toolResult") return undefined;
	const { toolCallId, content, isError } = message;
	const blocks = content.map((part) =>
		part.type === "text"
			? { type: "text", text: part.text }
			: { type: "image", source: { type: "base64", media_type: part.mimeType, data: part.data } },
	);
	const result = { type: "tool_result", tool_use_id: toolCallId, content: blocks, is_error: isError };
	return { type: "user", message: { role: "user", content: [result] } };
}

function assistantOf(message: AssistantMessage): object {
	const content = message.content.flatMap((part): object[] => {
		switch (part.type) {
			case "text":
				return [{ type: "text", text: part.text }];
			case "thinking":
				return [{ type: "thinking", thinking: part.thinking, signature: part.thinkingSignature ?? "" }];
			case "toolCall":
				return [{ type: "tool_use", id: part.id, name: part.name, input: part.arguments }];
			default:
				return [];
		}
	});
	return {
		id: message.responseId ?? `msg_${uuidv7()}`,
		type: "message",
		role: "assistant",
		model: message.model,
		content,
		stop_reason: stopReasons[message.stopReason],
		stop_sequence: null,
		usage: usageOf(message.usage),
	};
}

const stopReasons: Readonly<Record<AssistantMessage["stopReason"], string | null>> = {
	stop: "end_turn",
	length: "max_tokens",
	toolUse: "tool_use",
	error: null,
	aborted: null,
};

type Tokens = Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite">;

function usageOf({ input, output, cacheRead, cacheWrite }: Tokens): object {
	return {
		input_tokens: input,
		cache_creation_input_tokens: cacheWrite,
		cache_read_input_tokens: cacheRead,
		output_tokens: output,
	};
}

/** What the result line sums up, from one result to the next. */
class Run {
	#started = performance.now();
	#modelMs = 0;
	#turns = 0;
	#answer = "";
	#stopReason: string | null = null;
	#tokens: Tokens = noTokens();
	#denied: object[] = [];
	#calls = new Map<string, { name: string; input: unknown }>();
	#value: { value: unknown } | undefined;

	take(event: SessionEvent): void {
		if (event.type === "structured_output") this.#value = { value: event.value };
		if (event.type === "tool_execution_start")
			this.#calls.set(event.toolCallId, { name: event.toolName, input: event.args });
		if (event.type === "tool_execution_end") this.#end(event);
		if (event.type !== "message_end" || event.message.role !== "assistant") return;
		const { usage, stopReason, content, durationMs } = event.message;
		this.#turns++;
		this.#modelMs += durationMs ?? 0;
		this.#stopReason = stopReasons[stopReason];
		this.#answer = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
		const sum = this.#tokens;
		this.#tokens = {
			input: sum.input + usage.input,
			output: sum.output + usage.output,
			cacheRead: sum.cacheRead + usage.cacheRead,
			cacheWrite: sum.cacheWrite + usage.cacheWrite,
		};
	}

	/** A call that never ran was denied: nobody is there to be asked. */
	#end({ toolCallId, isError, durationMs }: Extract<SessionEvent, { type: "tool_execution_end" }>): void {
		const call = this.#calls.get(toolCallId);
		this.#calls.delete(toolCallId);
		if (!call || !isError || durationMs !== undefined) return;
		this.#denied.push({ tool_name: call.name, tool_use_id: toolCallId, tool_input: call.input });
	}

	result(outcome: PrintOutcome, cost: number): object {
		const durationMs = Math.round(performance.now() - this.#started);
		const isError = outcome.kind !== "answered";
		const line = {
			type: "result",
			subtype: subtypeOf(outcome),
			is_error: isError,
			duration_ms: durationMs,
			duration_api_ms: Math.round(this.#modelMs),
			num_turns: this.#turns,
			...(isError ? { errors: [reasonOf(outcome)] } : { result: this.#answer }),
			stop_reason: this.#stopReason,
			total_cost_usd: cost,
			usage: usageOf(this.#tokens),
			permission_denials: this.#denied,
			...(this.#value ? { structured_output: this.#value.value } : {}),
		};
		this.#begin();
		return line;
	}

	#begin(): void {
		this.#started = performance.now();
		this.#modelMs = 0;
		this.#turns = 0;
		this.#answer = "";
		this.#tokens = noTokens();
		this.#denied = [];
		this.#value = undefined;
	}
}

function noTokens(): Tokens {
	return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
}

function subtypeOf(outcome: PrintOutcome): string {
	if (outcome.kind === "answered") return "success";
	if (outcome.kind === "unfit") return "error_max_structured_output_retries";
	if (outcome.kind !== "exhausted") return "error_during_execution";
	return outcome.limit === "cost" ? "error_max_budget_usd" : "error_max_turns";
}

export function reasonOf(outcome: PrintOutcome): string {
	switch (outcome.kind) {
		case "answered":
			return "";
		case "interrupted":
			return "The run was interrupted.";
		case "failed":
			return outcome.failure.message;
		default:
			return outcome.reason;
	}
}
