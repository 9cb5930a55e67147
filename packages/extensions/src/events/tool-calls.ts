/** Lets extensions check tool calls before they run, and change their results. */
import type { AgentToolResult, CheckedCall, FrozenCall, Rewrite, ToolGate, Verdict } from "@tau/agent";
import type { SessionEvent } from "@tau/session";

import { limits } from "../support/limits.ts";
import { plainData } from "../support/plain-data.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import { isUsage, sanitizeContent } from "../support/sanitize-result.ts";
import type { ToolCallEvent, ToolCallResult, ToolResultEvent } from "../api/event-types.ts";
import { ownVerdict } from "../api/tool-approval.ts";
import type { SingleHandler } from "./dispatcher.ts";
import { equivalentCalls } from "./equivalent-calls.ts";

export class ToolEvents {
	readonly #runner: () => ExtensionRunner;

	constructor(runner: () => ExtensionRunner) {
		this.#runner = runner;
	}

	onEvent(event: SessionEvent): void {
		if (event.type === "tool_execution_end") this.#runner().asides.delete(event.toolCallId);
	}

	/** Each handler of `tool_call` is a separate gate, so that its changes to the arguments are validated. */
	*gates(): Iterable<ToolGate> {
		const runner = this.#runner();
		for (const handler of runner.events.each("tool_call")) yield handlerGate(runner, handler);
		yield {
			name: "Extensions",
			judge: ({ tool: { name }, arguments: args }) =>
				ownVerdict(name, runner.tools.definition(name)?.approval, args),
			change: (call, result) => this.change(call, result),
		};
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
			...(changed.structuredContent === undefined ? {} : { structuredContent: changed.structuredContent }),
			isError: changed.isError ?? false,
			...(changed.usage ? { usage: changed.usage } : {}),
			...parentOf(this.#runner(), call.id),
		});
		await events.ask("tool_result", event, ({ content, details, isError, structuredContent, usage }) => {
			const { structuredContent: before, ...rest } = changed;
			// It may no longer say what the new content says.
			const kept = Array.isArray(content) ? structuredContent : (structuredContent ?? before);
			changed = {
				...rest,
				...(kept === undefined ? {} : { structuredContent: plainData(kept) }),
				...(Array.isArray(content) ? { content: sanitizeContent(content) } : {}),
				...(details === undefined ? {} : { details: plainData(details) }),
				...(typeof isError === "boolean" ? { isError } : {}),
				...(isUsage(usage) ? { usage } : {}),
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
		// The dispatcher has its own deadlines, which pause while a dialog is open.
		deadlineMs: Infinity,
		rewrite: (call) => askHandler(runner, handler, call),
		judge: (call) => askAgain(runner, handler, call),
	};
}

/** pi's handlers change `event.input` in place, or return another one; a `block` is a denial. */
async function askHandler(
	runner: ExtensionRunner,
	handler: SingleHandler<"tool_call">,
	call: CheckedCall,
): Promise<Rewrite | undefined> {
	const { event, added, others } = eventsOf(runner, call);
	const answer = await handler.ask(event, failClosed);
	if (answer?.additionalContext) runner.addAside(call.id, answer.additionalContext);
	const blocked = answer?.block ? answer : await askOthers(handler, others);
	if (blocked) {
		if (blocked.terminate) runner.endAfter(call.id);
		return { deny: denial(call, blocked) };
	}
	const input = { ...(isRecord(answer?.input) ? answer.input : event.input) };
	for (const [key, value] of Object.entries(added)) if (Bun.deepEquals(input[key], value)) delete input[key];
	return Bun.deepEquals(input, call.arguments, true) ? undefined : { arguments: input };
}

/** The first block decides. Only the event of the call itself can change its arguments. */
async function askOthers(
	handler: SingleHandler<"tool_call">,
	events: readonly ToolCallEvent[],
): Promise<ToolCallResult | undefined> {
	for (const event of events) {
		const answer = await handler.ask(event, failClosed);
		if (answer?.block) return answer;
	}
	return undefined;
}

/** A handler that saw other arguments than those that run is called again; only a `block` has an effect now. */
async function askAgain(
	runner: ExtensionRunner,
	handler: SingleHandler<"tool_call">,
	call: FrozenCall,
): Promise<Verdict | undefined> {
	if (!call.changedSince || call.denied !== undefined) return undefined;
	const { event, others } = eventsOf(runner, call);
	const answer = await askOthers(handler, [event, ...others]);
	return answer ? { allow: false, reason: denial(call, answer) } : undefined;
}

const failClosed = { failClosed: true, limitMs: limits.handlerMs };

interface CallEvents {
	event: ToolCallEvent;
	/** What the event has besides the arguments of the call. */
	added: Readonly<Record<string, unknown>>;
	/** What else a handler that knows pi's tools has to be asked about. */
	others: ToolCallEvent[];
}

/** A tool of pi's that is called in another form, such as a patch, gets pi's arguments besides its own. */
function eventsOf(runner: ExtensionRunner, call: CheckedCall): CallEvents {
	const { id, name, arguments: args } = call;
	const equivalents = equivalentCalls(call, runner.bound.cwd);
	const same = equivalents.find(({ toolName }) => toolName === name);
	const eventFor = (toolName: string, input: Record<string, unknown>): ToolCallEvent => ({
		type: "tool_call",
		toolCallId: id,
		toolName,
		input,
		...parentOf(runner, id),
	});
	return {
		event: eventFor(name, { ...structuredClone(same?.input), ...mutableCopy(args) }),
		added: same?.input ?? {},
		others: equivalents
			.filter((each) => each !== same)
			.map(({ toolName, input }) => eventFor(toolName, input)),
	};
}

function parentOf(runner: ExtensionRunner, id: string): { parentToolCallId?: string } {
	const parentToolCallId = runner.nestedCalls.get(id);
	return parentToolCallId === undefined ? {} : { parentToolCallId };
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
