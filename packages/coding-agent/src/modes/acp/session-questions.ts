/** The questions of one session to its client: each after the call that it is about, and each answered once. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import { answerBy, type Asker, type Choice, type FormAnswer, type Subject } from "@tau/server/adapters";
import { log } from "@tau/utils";
import type { EventFrameOf, SessionClient, UserAnswer, UserRequest } from "@tau/wire";

import { until, type AcpPeer } from "./peer.ts";
import { approvalContent, describedCall, shownText, textContent } from "./tool-calls.ts";
import { notice, type Updates } from "./updates.ts";

export interface QuestionsOptions {
	client(): SessionClient;
	peer: AcpPeer;
	capabilities: acp.ClientCapabilities;
	sessionId: string;
	updates: Updates;
	send(update: acp.SessionUpdate): void;
	/** What was sent is on its way before the question. */
	flush(): void;
}

type DescribedCall = Omit<acp.ToolCallUpdate, "toolCallId">;

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
		const { updates } = this.#options;
		const closed = new AbortController();
		this.#open.set(request.id, closed);
		const { id, isOwn, call } = this.#callOf(request);
		let answer: UserAnswer | undefined;
		try {
			answer = await answerBy(request, this.#asker(id, call, closed.signal));
		} catch (error) {
			// A client that cannot be asked, is gone, or answers with something else has not agreed.
			if (!closed.signal.aborted) log.warn("a question was not answered", { reason: String(error) });
		}
		if (isOwn) this.#send(updates.shown(updates.calls.end(id, !answer)));
		if (this.#open.delete(request.id)) this.#answer(request.id, answer);
	}

	#answer(requestId: string, answer: UserAnswer | undefined): void {
		const given = answer ?? { cancelled: true as const };
		this.#options
			.client()
			.request("answer_request", { requestId, answer: given })
			.catch((error: unknown) => log.info("an answer came too late", { reason: String(error) }));
	}

	/** The call that a question is about; for others one is made up, because a client shows questions with calls alone. */
	#callOf(request: UserRequest): { id: string; isOwn: boolean; call: DescribedCall } {
		const { updates, client } = this.#options;
		const { cwd } = client().view.facts.session;
		if (request.kind !== "approval") return { id: `request/${request.id}`, isOwn: true, call: {} };
		const { call: asked, agent, title } = request;
		const shown = { toolName: asked.toolName, args: asked.args, cwd, agent };
		const known = updates.calls.idOf(asked.toolCallId, agent);
		const isOwn = !updates.calls.isOpen(known);
		const id = isOwn ? `request/${request.id}` : known;
		if (isOwn) this.#send(updates.shown(updates.calls.begin(id, shown)));
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

	#asker(toolCallId: string, about: DescribedCall, signal: AbortSignal): Asker {
		const { peer, capabilities, sessionId, updates, flush } = this.#options;
		return {
			hasForms: capabilities.elicitation?.form != null,
			choose: async (choices, subject) => {
				signal.throwIfAborted();
				const call = subject ? callAbout(subject) : about;
				if (!updates.calls.isOpen(toolCallId)) this.#send(updates.announce(toolCallId, call));
				flush();
				const { outcome } = await peer.request(
					acp.methods.client.session.requestPermission,
					{ sessionId, toolCall: { toolCallId, ...call }, options: choices.map(optionOf) },
					until(signal),
				);
				return outcome.outcome === "selected" ? outcome.optionId : undefined;
			},
			form: async (message, properties, required) => {
				signal.throwIfAborted();
				flush();
				const requestedSchema = { type: "object" as const, properties, required };
				const answer = await peer.request(
					acp.methods.client.elicitation.create,
					{ mode: "form", sessionId, message, requestedSchema },
					until(signal),
				);
				return answer.action === "accept" ? ((answer.content ?? {}) as FormAnswer) : undefined;
			},
			notice: (text) => this.#send([notice(text)]),
		};
	}

	#send(updates: readonly acp.SessionUpdate[]): void {
		for (const update of updates) this.#options.send(update);
	}
}

function optionOf({ id, label, allows, isLasting }: Choice): acp.PermissionOption {
	const kind = `${allows ? "allow" : "reject"}_${isLasting ? "always" : "once"}` as const;
	return { optionId: id, name: label, kind };
}

function callAbout({ title, text, runs, paths = [] }: Subject): DescribedCall {
	const content = text ? [textContent(text)] : [];
	if (runs === undefined) return { title, kind: "other", content };
	const shown = textContent(`It would run:\n\n${shownText(runs, "")}`);
	return { title, kind: "execute", content: [shown], locations: paths.map((path) => ({ path })) };
}
