/** Ties extensions to a session: each thing that happens there becomes the event that they know. */
import type { AgentMessage, AgentToolResult } from "@tau/agent";
import type { ToolCall } from "@tau/ai";
import { abortable } from "@tau/utils";

import type { Behavior, Prompt, Selection, SessionEvent, SessionHandle } from "../../session/index.ts";
import { customMessage } from "./actions.ts";
import { compactionHook } from "./events/compaction.ts";
import type { ToolResultEvent } from "./events/types.ts";
import { limits } from "./limits.ts";
import type { ExtensionRunner } from "./runner.ts";

/** Stands before everything that keeps messages: a handler of `message_end` may put another in its place. */
export function messageGate(runner: () => ExtensionRunner): Behavior {
	return {
		name: "extension-messages",
		attach: (session) =>
			session.on(async (event) => {
				if (event.type !== "message_end") return;
				await runner().events.ask(
					"message_end",
					() => event,
					({ message }) => {
						if (message?.role === event.message.role) exchange(event.message, message);
						return undefined;
					},
				);
			}),
	};
}

/** In place: the loop, the context and whoever listens hold the same object. */
function exchange(message: AgentMessage, other: AgentMessage): void {
	for (const key of Object.keys(message)) if (!(key in other)) Reflect.deleteProperty(message, key);
	Object.assign(message, other);
}

export function extensionBehavior(
	runner: () => ExtensionRunner,
	onAttach: (handle: SessionHandle) => void,
): Behavior {
	return {
		name: "extensions",
		attach(session) {
			using owned = new DisposableStack();
			onAttach(session);
			const { hooks } = session;
			const starts = new ToolStarts();
			owned.use(
				hooks.commands.add({
					has: ({ text }) => runner().commands.find(text) !== undefined,
					run: (prompt) => runner().runCommand(prompt),
				}),
			);
			owned.use(hooks.inputs.add((prompt) => askInput(runner(), prompt)));
			owned.use(hooks.preparers.add((prompt, systemPrompt) => prepare(runner(), prompt, systemPrompt)));
			owned.use(hooks.contexts.add((messages) => changeContext(runner(), messages)));
			owned.use(hooks.requests.add(requestWatch(runner)));
			owned.use(hooks.compactions.add(compactionHook(runner)));
			owned.use(hooks.selections.add((selection) => void tellSelection(runner(), selection)));
			owned.use(
				session.beforeTool(async (call, args, signal) => {
					if (!runner().events.has("tool_call")) return undefined;
					await abortable(starts.heard(call.id), signal);
					return await starts.inTurn(() => askToolCall(runner(), call, args));
				}),
			);
			owned.use(session.afterTool((call, result) => changeResult(runner(), call, result)));
			const turns = new Turns();
			owned.use(
				session.on(async (event) => {
					await tell(runner(), event, turns);
					if (event.type === "tool_execution_start") starts.tell(event.toolCallId);
					if (event.type === "tool_execution_end") starts.forget(event.toolCallId);
					if (event.type !== "turn_end") return;
					if (runner().wantsEnd(event.toolResults.map(({ toolCallId }) => toolCallId))) session.stop();
				}),
			);
			return owned.move();
		},
	};
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

/** Counts the turns of a run, as pi's events do. */
class Turns {
	#index = -1;

	of(event: SessionEvent): number {
		if (event.type === "agent_start") this.#index = -1;
		if (event.type === "turn_start") this.#index++;
		return this.#index;
	}
}

async function tell(runner: ExtensionRunner, event: SessionEvent, turns: Turns): Promise<void> {
	const turnIndex = turns.of(event);
	switch (event.type) {
		case "turn_start":
			return runner.emit({ ...event, turnIndex, timestamp: Date.now() });
		case "turn_end":
			return runner.emit({ ...event, turnIndex });
		case "agent_start":
		case "agent_end":
		case "message_start":
		case "message_update":
		case "tool_execution_start":
		case "tool_execution_update":
		case "tool_execution_end":
			return runner.emit(event);
		case "auto_retry_start":
		case "auto_retry_end":
		case "auto_compaction_start":
		case "auto_compaction_end":
		case "ttsr_triggered":
			await runner.emit(event);
			return runner.tellTools(event.type);
		default:
			return undefined;
	}
}

async function askInput(runner: ExtensionRunner, prompt: Prompt): Promise<Prompt | undefined> {
	let said: Prompt | undefined = prompt;
	const { source = runner.mode.source } = prompt;
	await runner.events.ask(
		"input",
		() => ({
			type: "input",
			text: said?.text ?? "",
			...(said?.images ? { images: said.images } : {}),
			source,
		}),
		(answer) => {
			if (answer.action === "handled") said = undefined;
			if (answer.action === "transform") {
				const images = answer.images ?? said?.images;
				said = { text: answer.text, source, ...(images ? { images } : {}) };
			}
			return said ? undefined : "stop";
		},
	);
	return said;
}

async function prepare(
	runner: ExtensionRunner,
	{ text, images }: Prompt,
	base: string,
): Promise<{ messages: AgentMessage[]; systemPrompt: string }> {
	const messages = runner.takeNextTurn();
	runner.pendingPrompt = base;
	try {
		await runner.events.ask(
			"before_agent_start",
			() => ({
				type: "before_agent_start",
				prompt: text,
				...(images ? { images } : {}),
				systemPrompt: runner.pendingPrompt ?? base,
				systemPromptOptions: {
					...runner.side.promptOptions,
					selectedTools: runner.tools.active.map(({ name }) => name),
					toolSnippets: { ...runner.tools.additions().snippets },
					promptGuidelines: [...runner.tools.additions().guidelines],
				},
			}),
			({ message, systemPrompt }) => {
				if (message) messages.push(customMessage(message));
				if (typeof systemPrompt === "string") runner.pendingPrompt = systemPrompt;
				return undefined;
			},
		);
		return { messages, systemPrompt: runner.pendingPrompt };
	} finally {
		runner.pendingPrompt = undefined;
	}
}

/** The copy is made only where somebody wants it: it costs the length of the conversation. */
async function changeContext(
	runner: ExtensionRunner,
	messages: readonly AgentMessage[],
): Promise<readonly AgentMessage[]> {
	if (!runner.events.has("context")) return messages;
	let told = messages.map(copyOf);
	await runner.events.ask(
		"context",
		() => ({ type: "context", messages: told }),
		(answer) => {
			if (Array.isArray(answer.messages)) told = answer.messages;
			return undefined;
		},
	);
	return told;
}

/** What a tool keeps in its details may be anything, also what cannot be copied. */
function copyOf(message: AgentMessage): AgentMessage {
	try {
		return structuredClone(message);
	} catch {
		// Then only the message itself is a copy, and what is in it is shared.
		return { ...message };
	}
}

function requestWatch(runner: () => ExtensionRunner) {
	return {
		async onPayload(payload: unknown): Promise<unknown> {
			let sent = payload;
			await runner().events.ask(
				"before_provider_request",
				() => ({ type: "before_provider_request", payload: sent }),
				(answer) => {
					sent = answer;
					return undefined;
				},
			);
			return sent;
		},
		onResponse({ status, headers }: { status: number; headers: Record<string, string> }): void {
			void runner().emit({ type: "after_provider_response", status, headers });
		},
	};
}

async function tellSelection(runner: ExtensionRunner, selection: Selection): Promise<void> {
	await (selection.type === "model_select" ? runner.emit(selection) : runner.emit(selection));
}

/** Throws when a handler does: who was to check the call has not said yes. */
async function askToolCall(runner: ExtensionRunner, call: ToolCall, input: Record<string, unknown>) {
	let verdict: { block: true; reason: string } | undefined;
	await runner.events.ask(
		"tool_call",
		() => ({ type: "tool_call", toolCallId: call.id, toolName: call.name, input }),
		({ block, reason }) => {
			if (!block) return undefined;
			verdict = { block, reason: reason ?? `${call.name} was blocked by an extension.` };
			return "stop";
		},
		{ failClosed: true, limitMs: limits.handlerMs },
	);
	return verdict;
}

async function changeResult(
	runner: ExtensionRunner,
	call: ToolCall,
	result: AgentToolResult,
): Promise<AgentToolResult | undefined> {
	if (!runner.events.has("tool_result")) return undefined;
	let changed = result;
	const event = (): ToolResultEvent => ({
		type: "tool_result",
		toolCallId: call.id,
		toolName: call.name,
		input: call.arguments,
		content: changed.content,
		details: changed.details,
		isError: changed.isError ?? false,
	});
	await runner.events.ask("tool_result", event, ({ content, details, isError }) => {
		changed = {
			...changed,
			...(Array.isArray(content) ? { content } : {}),
			...(details === undefined ? {} : { details }),
			...(typeof isError === "boolean" ? { isError } : {}),
		};
		return undefined;
	});
	return changed;
}
