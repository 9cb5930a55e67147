/** The session of an omp host, kept from its frames, and told on as frames of Tau. */
import { isRecord } from "@tau/utils/portable";

import type { EventFrame } from "../events.ts";
import { frameLines, type Frame, type LeanEvent } from "../frames.ts";
import { Live } from "../live.ts";
import type { WireAnswer } from "../messages.ts";
import type { UserRequest } from "../requests.ts";
import type { ClientInfo } from "../session-shapes.ts";
import type { Entry, EntryTail, SessionFacts } from "../view.ts";
import {
	answerSteps,
	clientsFromOmp,
	entryFromOmp,
	eventFromOmp,
	factsFromOmp,
	messageFromOmp,
} from "./from-omp.ts";
import { ompLimits as limits } from "./limits.ts";

type Fields = Readonly<Record<string, unknown>>;
type Body = Frame extends infer F
	? F extends { kind: infer K; body: infer B }
		? { kind: K; body: B }
		: never
	: never;

export class OmpMirror {
	readonly #epoch = crypto.randomUUID();
	readonly #emit: (line: string) => void;
	readonly #entries = new Map<string, Entry>();
	readonly #requests = new Map<number, UserRequest>();
	#header: Fields = {};
	#state: Fields = {};
	#agents: readonly unknown[] = [];
	#leaf: string | null = null;
	#seq = 0;
	#answer: WireAnswer | undefined;
	#isLive = false;

	constructor(emit: (line: string) => void) {
		this.#emit = emit;
	}

	get isIdle(): boolean {
		return this.#state.isStreaming !== true;
	}

	get agents(): readonly Fields[] {
		return this.#agents.filter(isRecord);
	}

	/** What the host calls the request that a user answers. */
	requestNumber(id: string): number | undefined {
		return [...this.#requests].find(([, request]) => request.id === id)?.[0];
	}

	welcome({ header, state, agents }: Fields): void {
		this.#header = isRecord(header) ? header : {};
		this.#state = isRecord(state) ? state : {};
		this.#agents = Array.isArray(agents) ? agents : [];
	}

	/** Entries of the past, as they come in parts. */
	load(entries: unknown): void {
		if (Array.isArray(entries)) for (const each of entries) this.#keep(each);
	}

	/** The history is complete: from now on everything is sent. */
	begin(): void {
		this.#isLive = true;
		this.#snapshot();
	}

	take(frame: Fields): void {
		if (!this.#isLive) return;
		switch (frame.t) {
			case "entry":
				return this.#entry(frame.entry);
			case "event":
				return isRecord(frame.event) ? this.#event(frame.event) : undefined;
			case "state":
				return isRecord(frame.state) ? this.#setState(frame.state) : undefined;
			case "agents":
				this.#agents = Array.isArray(frame.agents) ? frame.agents : [];
				return this.#tellState({ agents: this.#facts().agents });
			case "ui-request":
				return isRecord(frame.request) ? this.#ask(frame.request) : undefined;
			case "ui-request-end":
				return this.#closeRequest(Number(frame.reqId));
			case "error":
				return this.#event({ type: "notice", level: "warning", message: String(frame.message) });
		}
	}

	/** The answer to a command of this client. */
	respond(body: { id: string; ok: boolean; data?: unknown; error?: string }): void {
		this.#send({ kind: "response", body }, this.#seq);
	}

	/** The way to an entry, the last ones of it; the host's file may have other branches. */
	branch(leaf: string | null = this.#leaf): Entry[] {
		const path: Entry[] = [];
		for (let at = leaf === null ? undefined : this.#entries.get(leaf); at;) {
			path.unshift(at);
			const { parentId }: Entry = at;
			at = parentId === null || path.length > this.#entries.size ? undefined : this.#entries.get(parentId);
		}
		return path;
	}

	#keep(value: unknown): Entry | undefined {
		const read = entryFromOmp(value);
		if (!read) return undefined;
		// omp leaves out entries of its own, and so the parents of others: then it follows what came before it.
		const isLinked = read.parentId === null || this.#entries.has(read.parentId);
		const entry = isLinked ? read : { ...read, parentId: this.#leaf };
		this.#entries.set(entry.id, entry);
		this.#leaf = entry.id;
		return entry;
	}

	#entry(value: unknown): void {
		const before = this.#leaf;
		const entry = this.#keep(value);
		if (!entry) return;
		// The host has moved to another branch: everything is sent again.
		if (entry.parentId !== before) return this.#snapshot();
		this.#send({ kind: "entry", body: { entry, leafId: entry.id } });
	}

	#event(event: Fields): void {
		switch (event.type) {
			case "message_start":
			case "message_update":
			case "message_end":
				return this.#message(event);
			case "turn_end":
				return this.#tellEvent({ type: "turn_end" });
			default: {
				const known = eventFromOmp(event);
				if (!known) return;
				const { type } = known;
				if (type === "agent_start") this.#setStreaming(true);
				this.#tellEvent(known.type === "agent_end" ? { type: "agent_end" } : (known as LeanEvent));
				if (type === "agent_end") this.#setStreaming(false);
			}
		}
	}

	#message(event: Fields): void {
		const message = messageFromOmp(event.message);
		if (!message) return;
		if (message.role !== "assistant") {
			if (event.type === "message_update") return;
			return this.#tellEvent({ type: event.type as "message_start" | "message_end", message });
		}
		// A turn that was under way when we joined is shown from here.
		if (!this.#answer) {
			this.#answer = { ...message, content: [] };
			this.#tellEvent({ type: "message_start", message: this.#answer });
		}
		for (const step of answerSteps(this.#answer, message)) this.#tellEvent(step as LeanEvent);
		this.#answer = message;
		if (event.type !== "message_end") return;
		this.#answer = undefined;
		this.#tellEvent({ type: "message_end", message });
	}

	#setState(state: Fields): void {
		const wasStreaming = !this.isIdle;
		this.#state = state;
		if (wasStreaming === this.isIdle) this.#phaseChanged();
		const { session, model, thinkingLevel, context, usage } = this.#facts();
		this.#tellState({ session, model, thinkingLevel, context, usage });
		this.#send({ kind: "presence", body: { clients: this.#clients() } });
	}

	#setStreaming(isStreaming: boolean): void {
		if (this.isIdle !== isStreaming) return;
		this.#state = { ...this.#state, isStreaming };
		this.#phaseChanged();
	}

	#phaseChanged(): void {
		const phase = this.isIdle ? "idle" : "running";
		this.#tellState({ phase });
		this.#tellEvent({ type: "phase_changed", phase, previous: this.isIdle ? "running" : "idle" });
	}

	#ask(request: Fields): void {
		const reqId = Number(request.reqId);
		if (this.#requests.size >= limits.requests || this.#requests.has(reqId)) return;
		const asked = requestFromOmp(request, reqId);
		this.#requests.set(reqId, asked);
		this.#send({ kind: "request", body: { type: "request_opened", request: asked } });
	}

	#closeRequest(reqId: number): void {
		const request = this.#requests.get(reqId);
		if (!request) return;
		this.#requests.delete(reqId);
		this.#send({ kind: "request", body: { type: "request_closed", id: request.id } as EventFrame as never });
	}

	#tellEvent(body: LeanEvent): void {
		this.#send({ kind: "event", body });
	}

	#tellState(body: Partial<SessionFacts>): void {
		this.#send({ kind: "state", body });
	}

	#facts(): SessionFacts {
		return factsFromOmp({
			header: this.#header,
			state: this.#state,
			agents: this.#agents,
			entries: this.branch(),
		});
	}

	#clients(): ClientInfo[] {
		return clientsFromOmp(this.#state.participants);
	}

	#snapshot(): void {
		const cursor = { epoch: this.#epoch, seq: ++this.#seq };
		const tail: EntryTail = { leafId: this.#leaf, entries: this.branch(), earlier: 0 };
		const live = { ...new Live().state(), requests: [...this.#requests.values()] };
		this.#send(
			{ kind: "snapshot", body: { cursor, facts: this.#facts(), tail, live, clients: this.#clients() } },
			this.#seq,
		);
	}

	#send({ kind, body }: Body, seq = ++this.#seq): void {
		const frame = { epoch: this.#epoch, seq, sessionId: String(this.#header.id), kind, body } as Frame;
		for (const line of frameLines(frame)) this.#emit(line);
	}
}

/** One question: of a list something is chosen, in an editor something is written. */
function requestFromOmp({ kind, title, options, initialIndex }: Fields, reqId: number): UserRequest {
	const items = kind === "select" && Array.isArray(options) ? options : [];
	return {
		kind: "questions",
		id: `omp-${reqId}`,
		openedAt: Date.now(),
		questions: [
			{
				id: "omp",
				question: String(title),
				multiple: false,
				...(typeof initialIndex === "number" ? { recommended: initialIndex } : {}),
				options: items.map((item: unknown) => {
					const { label, description }: Fields = isRecord(item) ? item : { label: item };
					return {
						label: String(label),
						...(typeof description === "string" ? { description } : {}),
					};
				}),
			},
		],
	};
}
