/** Ties extensions to a session: each thing that happens there becomes the event that they know. */
import type { AgentMessage } from "@tau/agent";
import { log } from "@tau/utils";
import { customToolEventNames, extensionEventNames } from "@tau/wire";
import type { Behavior, Prompt, Selection, SessionEvent, SessionHandle } from "@tau/session";

import { type RunPreparation, UserError } from "@tau/session/run";

import { customMessage } from "../api/actions.ts";
import { isHostEvent } from "../api/event-names.ts";
import type { PlainEventName } from "../api/event-types.ts";
import { CompactionEvents } from "../events/compaction.ts";
import { PromptDraft } from "../events/prompt-options.ts";
import { HandlerFailed } from "../events/dispatcher.ts";
import { askChange, requestWatch } from "../events/requests.ts";
import { SettleEvents } from "../events/settle.ts";
import { ToolEvents } from "../events/tool-calls.ts";
import type { ExtensionRunner } from "./runner.ts";

/** Attached before everything that stores messages: a handler of `message_end` may replace one. */
export function messageRewrite(runner: () => ExtensionRunner): Behavior {
	return {
		name: "extension-messages",
		attach: (session) =>
			session.onBefore(["message_end"], async (event) => {
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

/** The message is changed in place, because the loop, the context and all listeners share the same object. */
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
			owned.use(
				hooks.commands.add({
					has: ({ text, isVerbatim }) => !isVerbatim && runner().commands.find(text) !== undefined,
					run(prompt) {
						userActed(runner(), prompt);
						return runner().runCommand(prompt);
					},
				}),
			);
			owned.use(hooks.inputs.add((prompt) => askInput(runner(), prompt)));
			owned.use(hooks.preparers.add((prompt, systemPrompt) => prepare(runner(), prompt, systemPrompt)));
			owned.use(hooks.contexts.add((messages) => changeContext(runner(), messages)));
			owned.use(hooks.requests.add(requestWatch(runner)));
			owned.use(hooks.asks.add(askChange(runner)));
			const compactions = new CompactionEvents(runner);
			owned.use(hooks.compactions.add(compactions));
			owned.use(hooks.selections.add((selection) => void emitSelection(runner(), selection)));
			const tools = new ToolEvents(runner);
			owned.use(session.gateTools(() => tools.gates()));
			const turns = new Turns();
			const settling = new SettleEvents(runner);
			owned.use(hooks.settlers.add(() => settling.beforeSettle()));
			const onEvent = async (event: SessionEvent): Promise<void> => {
				await emitSessionEvent(runner(), event, turns);
				if (event.type === "turn_end") await settling.turnEnd(event, turns.count - 1);
				await compactions.onEvent(event);
				tools.onEvent(event);
				runner().turns.onEvent(event);
				runner().routes.onEvent(event);
				await settling.onEvent(event, turns.count);
				if (event.type !== "turn_end") return;
				if (runner().wantsEnd(event.toolResults.map(({ toolCallId }) => toolCallId))) session.stop();
			};
			owned.use(
				session.onBefore("all", (event) => {
					// Progress concerns its handlers only, and there is an event for each delta.
					const isProgress = event.type === "message_update" || event.type === "tool_execution_update";
					if (isProgress && !runner().events.has(event.type)) return undefined;
					return onEvent(event);
				}),
			);
			return owned.move();
		},
	};
}

/** Counts the turns of a run, as pi's events do. */
class Turns {
	#index = -1;

	of(event: SessionEvent): number {
		if (event.type === "agent_start") this.#index = -1;
		if (event.type === "turn_start") this.#index++;
		return this.#index;
	}

	get count(): number {
		return this.#index + 1;
	}
}

/** Passes on what the protocol table marks for extensions. */
async function emitSessionEvent(runner: ExtensionRunner, event: SessionEvent, turns: Turns): Promise<void> {
	const turnIndex = turns.of(event);
	if (event.type === "turn_start") return runner.emit({ ...event, turnIndex, timestamp: Date.now() });
	if (isPlain(event)) await runner.emit(event);
	if (!customToolEventNames.has(event.type)) return;
	const { type, ...data } = event;
	// The reason of a compaction is called `trigger` in omp, because `reason` is the name of the event.
	const trigger = "reason" in data ? { trigger: data.reason } : {};
	await runner.emitToToolSessions({ ...data, ...trigger, reason: type });
}

/** Handlers of the others may answer, and are asked where the answer is used. */
function isPlain(event: SessionEvent): event is Extract<SessionEvent, { type: PlainEventName }> {
	return extensionEventNames.has(event.type) && !isHostEvent(event.type);
}

function userActed({ turns }: ExtensionRunner, { source }: Prompt): void {
	if (source !== "extension") turns.userActed();
}

async function askInput(runner: ExtensionRunner, prompt: Prompt): Promise<Prompt | undefined> {
	userActed(runner, prompt);
	let submitted: Prompt | undefined = prompt;
	const { source = runner.mode.source } = prompt;
	const asking = runner.events.ask(
		"input",
		() => ({
			type: "input",
			text: submitted?.text ?? "",
			...(submitted?.images ? { images: submitted.images } : {}),
			source,
			...(prompt.streamingBehavior ? { streamingBehavior: prompt.streamingBehavior } : {}),
		}),
		(answer) => {
			if (answer.action === "handled") submitted = undefined;
			if (answer.action === "transform") {
				const images = answer.images ?? submitted?.images;
				submitted = { text: answer.text, source, ...(images ? { images } : {}) };
			}
			return submitted ? undefined : "stop";
		},
		// What it would have made of the prompt is unknown: a filter that hangs must not let everything through.
		{ failClosed: "late" },
	);
	try {
		await asking;
	} catch (error) {
		if (!(error instanceof HandlerFailed)) throw error;
		throw new UserError(`The prompt was not sent: ${error.message}`);
	}
	return submitted;
}

async function prepare(
	runner: ExtensionRunner,
	{ text, images }: Prompt,
	base: string,
): Promise<RunPreparation> {
	const messages = runner.takeNextTurn();
	const { hidden } = runner.tools.loadout;
	if (!runner.events.has("before_agent_start") && hidden.size === 0) return { messages, systemPrompt: base };
	const { bound } = runner;
	const draft = new PromptDraft(base, bound.promptOptions(), (options) => bound.buildPrompt(options));
	draft.options.hiddenTools = [...hidden];
	runner.pendingPrompt = draft;
	try {
		await runner.events.ask(
			"before_agent_start",
			() => ({
				type: "before_agent_start",
				messageType: "user",
				prompt: text,
				...(images ? { images } : {}),
				systemPrompt: draft.text,
				systemPromptOptions: draft.options,
			}),
			({ message, systemPrompt }) => {
				if (message) messages.push(customMessage(message));
				if (typeof systemPrompt === "string") draft.text = systemPrompt;
				return undefined;
			},
		);
		const { chosenTools, hiddenTools } = draft;
		using scope = new DisposableStack();
		if (chosenTools) scope.use(runner.tools.activateFor(chosenTools));
		if (hiddenTools.length > 0) scope.use(runner.tools.hideDeclarations(hiddenTools));
		return { messages, systemPrompt: draft.finished, scope: scope.move() };
	} finally {
		runner.pendingPrompt = undefined;
	}
}

/** Copies the messages only if an extension handles `context`: the cost grows with the conversation. */
async function changeContext(
	runner: ExtensionRunner,
	messages: readonly AgentMessage[],
): Promise<readonly AgentMessage[]> {
	if (!runner.events.has("context")) return messages;
	let sent = messages.map(copyOf);
	await runner.events.ask(
		"context",
		() => ({ type: "context", messages: sent }),
		(answer) => {
			// An invalid message list would fail every request, so the previous list stays in use.
			if (isConversation(answer.messages)) sent = answer.messages;
			else if (answer.messages !== undefined)
				log.warn("an extension returned a context that is not a list of messages");
			return undefined;
		},
	);
	return sent;
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

async function emitSelection(runner: ExtensionRunner, selection: Selection): Promise<void> {
	await (selection.type === "model_select" ? runner.emit(selection) : runner.emit(selection));
}

const modelRoles: ReadonlySet<unknown> = new Set(["user", "assistant", "toolResult"]);

/** Extensions are not always typed. */
function isConversation(messages: unknown): messages is AgentMessage[] {
	return Array.isArray(messages) && messages.every(isMessage);
}

function isMessage(message: unknown): boolean {
	if (typeof message !== "object" || message === null || !("role" in message)) return false;
	if (!modelRoles.has(message.role)) return typeof message.role === "string";
	if (!("content" in message)) return false;
	const { content } = message;
	return typeof content === "string" || (Array.isArray(content) && content.every(isPart));
}

function isPart(part: unknown): boolean {
	if (typeof part !== "object" || part === null || !("type" in part)) return false;
	return part.type === "text" ? "text" in part && typeof part.text === "string" : true;
}
