/** The questions of one session to its client: each after the call that it is about, and each answered once. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import { log } from "@tau/utils";
import type { EventFrameOf, SessionClient, UserRequest } from "@tau/wire";

import type { AcpPeer } from "./agent.ts";
import { answerOf, type Asked, type FormAnswer } from "./questions.ts";
import { approvalContent, describedCall, type ShownCall } from "./tool-calls.ts";
import type { UpdateQueue } from "./update-queue.ts";
import { notice, type Updates } from "./updates.ts";

export interface QuestionsOptions {
	client(): SessionClient;
	peer: AcpPeer;
	capabilities: acp.ClientCapabilities;
	sessionId: string;
	queue: UpdateQueue;
	updates: Updates;
}

export class SessionQuestions implements Disposable {
	readonly #options: QuestionsOptions;
	readonly #open = new Map<string, AbortController>();

	constructor(options: QuestionsOptions) {
		this.#options = options;
	}

	onEvent(event: EventFrameOf<"request_opened" | "request_closed">): void {
		// The schema of the event and the type of requests are made from the same rows.
		if (event.type === "request_opened") void this.#ask(event.request as UserRequest);
		else this.#close(event.id);
	}

	/** Everything that is open is declined. */
	decline(): void {
		for (const id of this.#open.keys()) {
			this.#close(id);
			this.#answer(id, undefined);
		}
	}

	[Symbol.dispose](): void {
		for (const id of this.#open.keys()) this.#close(id);
	}

	#close(id: string): void {
		this.#open.get(id)?.abort();
		this.#open.delete(id);
	}

	async #ask(request: UserRequest): Promise<void> {
		const closed = new AbortController();
		this.#open.set(request.id, closed);
		const { id, isOwn, call } = this.#callOf(request);
		let answer: Awaited<ReturnType<typeof answerOf>>;
		try {
			answer = await answerOf(request, this.#asked(id, closed.signal), call);
		} catch (error) {
			// A client that cannot be asked, is gone, or answers with something else has not agreed.
			if (!closed.signal.aborted) log.warn("a question was not answered", { reason: String(error) });
		}
		if (isOwn) this.#send(this.#options.updates.end(id, answer ? "completed" : "failed"));
		if (this.#open.delete(request.id)) this.#answer(request.id, answer);
	}

	#answer(requestId: string, answer: Awaited<ReturnType<typeof answerOf>>): void {
		const given = answer ?? { cancelled: true as const };
		this.#options
			.client()
			.request("answer_request", { requestId, answer: given })
			.catch((error: unknown) => log.info("an answer came too late", { reason: String(error) }));
	}

	/** The call that a question is about; for others one is made up, because a client shows questions with calls alone. */
	#callOf(request: UserRequest): {
		id: string;
		isOwn: boolean;
		call: Omit<acp.ToolCallUpdate, "toolCallId">;
	} {
		const { updates, client } = this.#options;
		const { cwd } = client().view.facts.session;
		if (request.kind !== "approval") return { id: `request/${request.id}`, isOwn: true, call: {} };
		const { call: asked, agent, title } = request;
		const shown: ShownCall = { toolName: asked.toolName, args: asked.args, cwd, agent };
		const known = updates.callId(asked.toolCallId, agent);
		const isOwn = !updates.isOpen(known);
		const id = isOwn ? `request/${request.id}` : known;
		if (isOwn) this.#send(updates.announce(id, shown));
		const described = describedCall(shown);
		const isCommand = request.touches.some(({ kind }) => kind === "exec");
		const call = {
			...described,
			...(title === undefined ? {} : { title }),
			...(isCommand ? { kind: "execute" as const } : {}),
			status: "pending" as const,
			content: approvalContent(request, cwd),
		};
		return { id, isOwn, call };
	}

	#asked(toolCallId: string, signal: AbortSignal): Asked {
		const { peer, capabilities, sessionId, queue, updates } = this.#options;
		const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
		return {
			hasForms: capabilities.elicitation?.form != null,
			permission: async (call, choices) => {
				signal.throwIfAborted();
				if (!updates.isOpen(toolCallId)) this.#send(updates.announceAs(toolCallId, call));
				void queue.flush();
				const { outcome } = await peer.request(
					acp.methods.client.session.requestPermission,
					{ sessionId, toolCall: { toolCallId, ...call }, options: choices },
					options,
				);
				if (outcome.outcome !== "selected") return undefined;
				return outcome.optionId;
			},
			form: async (message, properties, required) => {
				signal.throwIfAborted();
				void queue.flush();
				const requestedSchema = { type: "object" as const, properties, required };
				const answer = await peer.request(
					acp.methods.client.elicitation.create,
					{ mode: "form", sessionId, message, requestedSchema },
					options,
				);
				return answer.action === "accept" ? ((answer.content ?? {}) as FormAnswer) : undefined;
			},
			notice: (text) => this.#send([notice(text)]),
		};
	}

	#send(updates: readonly acp.SessionUpdate[]): void {
		for (const update of updates) void this.#options.queue.push(update);
	}
}
