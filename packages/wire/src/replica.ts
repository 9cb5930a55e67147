/** A copy of a session that runs elsewhere, kept by its frames. Runs in browsers. */
import { ComponentBoard } from "./components.ts";
import type { EventFrame } from "./events.ts";
import { frameLimits as limits, type Cursor, type Frame, type FrameOf, type LeanEvent } from "./frames.ts";
import { Live } from "./live.ts";
import type { WireAnswer, WireMessage } from "./messages.ts";
import type { ClientInfo } from "./session-shapes.ts";
import type { Entry, EntryTail, SessionFacts, SessionSnapshot, SessionView } from "./view.ts";

type Response = FrameOf<"response">["body"];

export class Replica implements SessionView {
	#cursor: Cursor | undefined;
	#facts: SessionFacts | undefined;
	#tail: EntryTail = { leafId: null, entries: [], earlier: 0 };
	#live = new Live();
	#clients: readonly ClientInfo[] = [];
	readonly #listeners = new Set<(event: EventFrame) => void>();
	readonly #resets = new Set<() => void>();
	readonly #factListeners = new Set<() => void>();
	readonly #responses = new Set<(response: Response) => void>();
	/** What extensions draw for this client, if it has said that it can show it. */
	readonly components = new ComponentBoard();

	/** What was read last; a connection that is made again continues from here. */
	get cursor(): Cursor | undefined {
		return this.#cursor;
	}

	/** Whether there is something to draw. */
	get isReady(): boolean {
		return this.#facts !== undefined;
	}

	get facts(): SessionFacts {
		if (!this.#facts) throw new Error("The session has not been received yet.");
		return this.#facts;
	}

	get tail(): EntryTail {
		return this.#tail;
	}

	get live(): Live {
		return this.#live;
	}

	get clients(): readonly ClientInfo[] {
		return this.#clients;
	}

	subscribe(listener: (event: EventFrame) => void): Disposable {
		return registered(this.#listeners, listener);
	}

	onReset(listener: () => void): Disposable {
		return registered(this.#resets, listener);
	}

	/** Called when facts have changed, which need not come with an event: what was used is counted after a start. */
	onFacts(listener: () => void): Disposable {
		return registered(this.#factListeners, listener);
	}

	onResponse(listener: (response: Response) => void): Disposable {
		return registered(this.#responses, listener);
	}

	/** Returns false where a frame is missing before this one: then a snapshot has to be asked for. */
	take(frame: Frame): boolean {
		if (frame.kind === "response") {
			for (const listener of this.#responses) listener(frame.body);
			return true;
		}
		if (frame.kind === "component") return this.components.take(frame.body);
		if (frame.kind === "snapshot") {
			this.#restore(frame.body);
			return true;
		}
		const { epoch, seq } = frame;
		if (this.#cursor?.epoch !== epoch || seq > this.#cursor.seq + 1) return false;
		// Sent again after a connection was made anew.
		if (seq <= this.#cursor.seq) return true;
		this.#cursor = { epoch, seq };
		return this.#apply(frame);
	}

	#apply(frame: Frame): boolean {
		switch (frame.kind) {
			case "entry":
				return this.#append(frame.body.entry);
			case "event":
			case "request":
				this.#event(frame.body);
				break;
			case "state":
				this.#facts = { ...this.facts, ...frame.body };
				for (const listener of this.#factListeners) listener();
				break;
			case "presence":
				this.#clients = frame.body.clients;
				this.#emit({ type: "clients_changed", clients: frame.body.clients });
		}
		return true;
	}

	#event(lean: LeanEvent): void {
		const event = this.#whole(lean);
		if (!event) return;
		this.#live.apply(event);
		this.#emit(event);
	}

	#emit(event: EventFrame): void {
		for (const listener of this.#listeners) listener(event);
	}

	#restore({ cursor, facts, tail, live, clients }: SessionSnapshot): void {
		this.#cursor = cursor;
		this.#facts = facts;
		this.#tail = tail;
		this.#live = new Live(live);
		this.#clients = clients;
		for (const listener of this.#resets) listener();
	}

	/** Returns false where its parent was never seen. */
	#append(entry: Entry): boolean {
		const { entries, earlier } = this.#tail;
		const parent = entry.parentId === null ? -1 : entries.findLastIndex(({ id }) => id === entry.parentId);
		if (parent === -1 && (entry.parentId !== null || earlier > 0)) return false;
		const kept = [...(parent === entries.length - 1 ? entries : entries.slice(0, parent + 1)), entry];
		// Twice as many as a snapshot has, so that the oldest do not leave one by one.
		const gone = kept.length > 2 * limits.tailEntries ? kept.length - limits.tailEntries : 0;
		this.#tail = { leafId: entry.id, entries: gone > 0 ? kept.slice(gone) : kept, earlier: earlier + gone };
		return true;
	}

	/** Undefined where what it is about has never been seen. */
	#whole(lean: LeanEvent): EventFrame | undefined {
		switch (lean.type) {
			case "message_end": {
				const message = lean.message ?? this.#messageOf(lean.entryId);
				return message && { ...lean, message };
			}
			case "turn_end":
				return this.#turn(lean);
			case "agent_end":
				return { ...lean, messages: [] };
			default:
				return lean;
		}
	}

	#messageOf(id: string | undefined): WireMessage | undefined {
		const entry = this.#tail.entries.findLast((each) => each.id === id);
		return entry?.message as WireMessage | undefined;
	}

	#turn(lean: Extract<LeanEvent, { type: "turn_end" }>): EventFrame | undefined {
		const messages = this.#tail.entries.flatMap(({ message }) => (message ? [message as WireMessage] : []));
		const at = messages.findLastIndex(({ role }) => role === "assistant");
		const message = messages[at] as WireAnswer | undefined;
		const toolResults = messages.slice(at + 1).filter((each) => each.role === "toolResult");
		return message && { ...lean, message, toolResults };
	}
}

function registered<T>(among: Set<T>, one: T): Disposable {
	among.add(one);
	return { [Symbol.dispose]: () => void among.delete(one) };
}
