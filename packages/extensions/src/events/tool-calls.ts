/** Lets extensions check calls of tools before they run, and change what they gave back. */
import type { AgentToolResult, CheckedCall, FrozenCall, Rewrite, ToolGate, Verdict } from "@tau/agent";
import type { SessionEvent } from "@tau/session";

import { limits } from "../support/limits.ts";
import { plainData } from "../support/plain-data.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import { sanitizeContent } from "../support/sanitize-result.ts";
import type { ToolCallEvent, ToolCallResult, ToolResultEvent } from "../api/event-types.ts";
import type { SingleHandler } from "./dispatcher.ts";

export class ToolEvents {
	readonly #runner: () => ExtensionRunner;

	constructor(runner: () => ExtensionRunner) {
		this.#runner = runner;
	}

	onEvent(event: SessionEvent): void {
		if (event.type === "tool_execution_end") this.#runner().asides.delete(event.toolCallId);
	}

	/** Each handler of `tool_call` is a gate of its own, so that what each makes of the arguments is validated. */
	*gates(): Iterable<ToolGate> {
		const runner = this.#runner();
		for (const handler of runner.events.each("tool_call")) yield handlerGate(runner, handler);
		yield { name: "Extensions", change: (call, result) => this.change(call, result) };
	}

	async change(call: FrozenCall, result: AgentToolResult): Promise<AgentToolResult | undefined> {
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
			input: mutableCopy(call.arguments),
			content: changed.content,
			details: changed.details,
			isError: changed.isError ?? false,
		});
		await events.ask("tool_result", event, ({ content, details, isError }) => {
			changed = {
				...changed,
				...(Array.isArray(content) ? { content: sanitizeContent(content) } : {}),
				...(details === undefined ? {} : { details: plainData(details) }),
				...(typeof isError === "boolean" ? { isError } : {}),
			};
			return undefined;
		});
		return changed;
	}
}

function handlerGate(runner: ExtensionRunner, handler: SingleHandler<"tool_call">): ToolGate {
	const name = `The extension ${handler.extension.label}`;
	return {
		name,
		// The dispatcher has limits of its own, which wait while a dialog is open.
		deadlineMs: Infinity,
		rewrite: (call) => askHandler(runner, handler, call),
		judge: (call) => askAgain(handler, call),
	};
}

/** pi's handlers change `event.input` in place, or answer with another one; a `block` is a denial. */
async function askHandler(
	runner: ExtensionRunner,
	handler: SingleHandler<"tool_call">,
	call: CheckedCall,
): Promise<Rewrite | undefined> {
	const event = eventOf(call);
	const answer = await handler.ask(event, failClosed);
	if (answer?.additionalContext) runner.addAside(call.id, answer.additionalContext);
	if (answer?.block) {
		if (answer.terminate) runner.endAfter(call.id);
		return { deny: denial(call, answer) };
	}
	const input = isRecord(answer?.input) ? answer.input : event.input;
	return Bun.deepEquals(input, call.arguments, true) ? undefined : { arguments: { ...input } };
}

/** A handler that saw other arguments than those that run is asked again; only a `block` counts now. */
async function askAgain(handler: SingleHandler<"tool_call">, call: FrozenCall): Promise<Verdict | undefined> {
	if (!call.changedSince || call.denied !== undefined) return undefined;
	const answer = await handler.ask(eventOf(call), failClosed);
	return answer?.block ? { allow: false, reason: denial(call, answer) } : undefined;
}

const failClosed = { failClosed: true, limitMs: limits.handlerMs };

function eventOf({ id, name, arguments: args }: CheckedCall): ToolCallEvent {
	return { type: "tool_call", toolCallId: id, toolName: name, input: mutableCopy(args) };
}

function denial({ name }: CheckedCall, { reason }: ToolCallResult): string {
	return reason ?? `${name} was blocked by an extension.`;
}

/** Handlers may write into what they get; the call itself is frozen. */
function mutableCopy(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return structuredClone(args);
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
