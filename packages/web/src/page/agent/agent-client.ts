/** An agent of this page as a session that the transcript draws; it takes no commands of sessions. */
import type { Agent, AgentMessage, UserMessageWithAttachments } from "@tau/agent";
import type { Entry, RunningCall, SessionView, WireAnswer } from "@tau/wire";
import { Live } from "@tau/wire";

import type { ShownClient } from "../store/open-session.ts";
import { fileClient } from "../store/file-client.ts";
import { snapshotOf } from "../viewer/snapshot.ts";

export function agentClient(agent: Agent): ShownClient {
	const view = new AgentView(agent);
	return {
		...fileClient(view.empty),
		get view(): SessionView {
			return view.now();
		},
		// Events of an agent are those of no session: the transcript looks at the view after each.
		onReset: (listener) => view.onChange(listener),
		[Symbol.dispose]: () => view[Symbol.dispose](),
	};
}

class AgentView implements Disposable {
	readonly empty = snapshotOf(
		{
			format: "tau-share",
			version: 1,
			createdAt: "",
			program: "",
			session: { id: "agent", cwd: "", timestamp: "" },
			leafId: null,
			entries: [],
			agents: [],
			masked: 0,
		},
		null,
	);
	readonly #agent: Agent;
	readonly #calls = new Map<string, RunningCall>();
	readonly #entries = new WeakMap<AgentMessage, Entry>();
	readonly #owned = new DisposableStack();
	readonly #listeners = new Set<() => void>();

	constructor(agent: Agent) {
		this.#agent = agent;
		this.#owned.use(
			agent.subscribe((event) => {
				switch (event.type) {
					case "tool_execution_start":
					case "tool_execution_update": {
						const { type: _, ...call } = event;
						this.#calls.set(call.toolCallId, call);
						break;
					}
					case "tool_execution_end":
						this.#calls.delete(event.toolCallId);
						break;
					case "agent_end":
						this.#calls.clear();
						// The agent is idle when its listeners have the last event.
						void agent.waitForIdle().then(() => this.#changed());
						break;
					default:
				}
				this.#changed();
			}),
		);
	}

	onChange(listener: () => void): Disposable {
		this.#listeners.add(listener);
		return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
	}

	now(): SessionView {
		const { messages, isStreaming, streamMessage, model, thinkingLevel } = this.#agent.state;
		const entries = messages.map((message, at) => this.#entryOf(message, at));
		const answer = streamMessage?.role === "assistant" ? (streamMessage as WireAnswer) : null;
		return {
			...this.empty,
			facts: { ...this.empty.facts, phase: isStreaming ? "running" : "idle", model, thinkingLevel },
			tail: { leafId: entries.at(-1)?.id ?? null, entries, earlier: 0 },
			live: { ...new Live().state(), answer, calls: [...this.#calls.values()] },
		};
	}

	[Symbol.dispose](): void {
		this.#owned.dispose();
	}

	#changed(): void {
		for (const listener of this.#listeners) listener();
	}

	#entryOf(message: AgentMessage, at: number): Entry {
		const known = this.#entries.get(message);
		const id = `m${at}`;
		if (known?.id === id) return known;
		const entry = { id, parentId: at === 0 ? null : `m${at - 1}`, timestamp: "", ...contentOf(message) };
		this.#entries.set(message, entry);
		return entry;
	}
}

/** Messages of an application's own kinds are drawn by the renderers that its page has registered for them. */
function contentOf(message: AgentMessage): { type: string; [field: string]: unknown } {
	if (message.role === "user") return { type: "message", message: shownPrompt(message) };
	if (message.role === "assistant" || message.role === "toolResult") return { type: "message", message };
	const custom: { role: string } = message;
	return { type: "custom_message", customType: custom.role, content: "", details: message };
}

/** Pictures as they are, and the names of documents: their text is for the model. */
function shownPrompt(message: UserMessageWithAttachments): object {
	const { attachments = [], content, ...rest } = message;
	if (attachments.length === 0) return message;
	const names = attachments.filter(({ type }) => type === "document").map(({ fileName }) => `@${fileName}`);
	const pictures = attachments
		.filter(({ type }) => type === "image")
		.map(({ content: data, mimeType }) => ({ type: "image", data, mimeType }));
	const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
	const named = names.length > 0 ? [{ type: "text", text: names.join(" ") }] : [];
	return { ...rest, content: [...named, ...parts, ...pictures] };
}
