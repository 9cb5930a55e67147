/** Lets extensions check calls of tools before they run, and change what they gave back. */
import type { AgentToolResult, ToolCallVerdict } from "@tau/agent";
import type { ToolCall } from "@tau/ai";
import { abortable } from "@tau/utils";
import type { SessionEvent } from "@tau/session";

import { limits } from "../support/limits.ts";
import { plainData } from "../support/plain-data.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import { soundContent } from "../support/sound-result.ts";
import type { ToolResultEvent } from "../api/event-types.ts";

export class ToolTalk {
	readonly #runner: () => ExtensionRunner;
	readonly #starts = new ToolStarts();

	constructor(runner: () => ExtensionRunner) {
		this.#runner = runner;
	}

	hear(event: SessionEvent): void {
		if (event.type === "tool_execution_start") this.#starts.tell(event.toolCallId);
		if (event.type !== "tool_execution_end") return;
		this.#starts.forget(event.toolCallId);
		this.#runner().asides.delete(event.toolCallId);
	}

	/** Rejects when a handler throws: who was to check the call has not said yes. */
	async check(
		call: ToolCall,
		input: Record<string, unknown>,
		signal: AbortSignal,
	): Promise<ToolCallVerdict | undefined> {
		if (!this.#runner().events.has("tool_call")) return undefined;
		await abortable(this.#starts.heard(call.id), signal);
		return await this.#starts.inTurn(() => this.#ask(call, input));
	}

	async #ask(call: ToolCall, input: Record<string, unknown>): Promise<ToolCallVerdict | undefined> {
		const runner = this.#runner();
		let verdict: ToolCallVerdict | undefined;
		await runner.events.ask(
			"tool_call",
			() => ({ type: "tool_call", toolCallId: call.id, toolName: call.name, input }),
			({ block, reason, terminate, input: instead, additionalContext }) => {
				if (typeof instead === "object" && instead !== null) exchange(input, instead);
				if (additionalContext) runner.addAside(call.id, additionalContext);
				if (!block) return undefined;
				if (terminate) runner.endAfter(call.id);
				verdict = { block, reason: reason ?? `${call.name} was blocked by an extension.` };
				return "stop";
			},
			{ failClosed: true, limitMs: limits.handlerMs },
		);
		return verdict;
	}

	async change(call: ToolCall, result: AgentToolResult): Promise<AgentToolResult | undefined> {
		const { events, asides: all } = this.#runner();
		const asides = all.get(call.id) ?? [];
		if (!events.has("tool_result") && asides.length === 0) return undefined;
		let changed: AgentToolResult = {
			...result,
			content: [...result.content, ...asides.map((text) => ({ type: "text" as const, text }))],
		};
		const event = (): ToolResultEvent => ({
			type: "tool_result",
			toolCallId: call.id,
			toolName: call.name,
			input: call.arguments,
			content: changed.content,
			details: changed.details,
			isError: changed.isError ?? false,
		});
		await events.ask("tool_result", event, ({ content, details, isError }) => {
			changed = {
				...changed,
				...(Array.isArray(content) ? { content: soundContent(content) } : {}),
				...(details === undefined ? {} : { details: plainData(details) }),
				...(typeof isError === "boolean" ? { isError } : {}),
			};
			return undefined;
		});
		return changed;
	}
}

/** In place: whoever runs the call holds the same object. */
function exchange(input: Record<string, unknown>, instead: Record<string, unknown>): void {
	for (const key of Object.keys(input)) if (!(key in instead)) Reflect.deleteProperty(input, key);
	Object.assign(input, instead);
}

/** Which calls were told of: a check comes behind `tool_execution_start`, when the log holds the call. */
class ToolStarts {
	readonly #told = new Map<string, PromiseWithResolvers<void>>();
	#last: Promise<unknown> = Promise.resolve();

	heard(id: string): Promise<void> {
		return this.#of(id).promise;
	}

	tell(id: string): void {
		this.#of(id).resolve();
	}

	forget(id: string): void {
		this.#told.delete(id);
	}

	/** Calls of one answer are checked one after the other, and run side by side. */
	inTurn<T>(check: () => Promise<T>): Promise<T> {
		const turn = this.#last.then(check, check);
		this.#last = turn.catch(() => {});
		return turn;
	}

	#of(id: string): PromiseWithResolvers<void> {
		const known = this.#told.get(id) ?? Promise.withResolvers<void>();
		this.#told.set(id, known);
		return known;
	}
}
