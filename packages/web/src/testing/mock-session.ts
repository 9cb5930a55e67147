/** A session that is played: it has entries, facts and frames as a real one has, and does what a script says. */
import {
	frameLimits,
	frameLines,
	leanEvent,
	Live,
	type ClientInfo,
	type Cursor,
	type Entry,
	type EventFrame,
	type Frame,
	type SessionFacts,
	type WireMessage,
} from "@tau/wire";

type Send = (line: string) => void;
type Handler = (fields: Record<string, unknown>, session: MockSession) => unknown;

const epoch = "mock";

export class MockSession {
	readonly id: string;
	readonly entries: Entry[] = [];
	/** Answers of commands by their names; one without a row is refused. */
	readonly handlers: Record<string, Handler> = {};
	readonly received: Record<string, unknown>[] = [];
	/** Each time that a client came, with where it left off. */
	readonly joins: { readonly id: string; readonly from: Cursor | undefined }[] = [];
	facts: SessionFacts;
	readonly #live = new Live();
	readonly #clients = new Map<string, { info: ClientInfo; send: Send }>();
	readonly #frames: Frame[] = [];
	#seq = 0;
	#next = 0;

	constructor(facts: SessionFacts) {
		this.facts = facts;
		this.id = facts.session.id;
	}

	get live(): Live {
		return this.#live;
	}

	get clients(): readonly ClientInfo[] {
		return [...this.#clients.values()].map(({ info }) => info);
	}

	/** A message as an entry at the end of the branch. */
	message(message: WireMessage): Entry {
		const entry = this.entry("message", { message });
		this.append(entry);
		return entry;
	}

	entry(type: string, fields: Record<string, unknown>): Entry {
		const parentId = this.entries.at(-1)?.id ?? null;
		return {
			type,
			id: (++this.#next).toString(16).padStart(8, "0"),
			parentId,
			timestamp: new Date().toISOString(),
			...fields,
		};
	}

	append(entry: Entry): void {
		this.entries.push(entry);
		this.#send({ kind: "entry", body: { entry, leafId: entry.id } });
	}

	emit(event: EventFrame): void {
		this.#live.apply(event);
		this.#send({ kind: "event", body: leanEvent(event) });
	}

	change(facts: Partial<SessionFacts>): void {
		this.facts = { ...this.facts, ...facts };
		this.#send({ kind: "state", body: facts });
	}

	/** Returns what takes the lines of the client. */
	join(
		info: ClientInfo,
		from: Cursor | undefined,
		send: Send,
	): { take(line: Record<string, unknown>): void; leave(): void } {
		this.#clients.set(info.id, { info, send });
		this.joins.push({ id: info.id, from });
		const missed = from?.epoch === epoch ? this.#frames.filter(({ seq }) => seq > from.seq) : undefined;
		if (missed && missed.length === this.#seq - (from?.seq ?? 0))
			for (const frame of missed) write(frame, send);
		else write(this.#snapshot(), send);
		this.#presence();
		return {
			take: (line) => void this.#command(line, send),
			leave: () => {
				this.#clients.delete(info.id);
				this.#presence();
			},
		};
	}

	#presence(): void {
		this.#send({ kind: "presence", body: { clients: this.clients } });
	}

	#snapshot(): Frame {
		const entries = this.entries.slice(-frameLimits.tailEntries);
		const body = {
			cursor: { epoch, seq: this.#seq },
			facts: this.facts,
			tail: { leafId: entries.at(-1)?.id ?? null, entries, earlier: this.entries.length - entries.length },
			live: this.#live.state(),
			clients: this.clients,
		};
		return { epoch, seq: this.#seq, sessionId: this.id, kind: "snapshot", body };
	}

	#send(frame: Pick<Frame, "kind" | "body">): void {
		const whole = { epoch, seq: ++this.#seq, sessionId: this.id, ...frame } as Frame;
		this.#frames.push(whole);
		for (const { send } of this.#clients.values()) write(whole, send);
	}

	async #command(line: Record<string, unknown>, send: Send): Promise<void> {
		if (line.type === "ping") return send('{"type":"pong"}');
		if (line.type === "bye") return;
		this.received.push(line);
		const respond = (body: object): void =>
			write(
				{
					epoch,
					seq: this.#seq,
					sessionId: this.id,
					kind: "response",
					body: { id: String(line.id), ...body },
				} as Frame,
				send,
			);
		const handler = this.handlers[String(line.type)] ?? entriesHandler(line);
		if (!handler)
			return respond({ ok: false, error: `The played session does not know ${String(line.type)}.` });
		try {
			respond({ ok: true, data: await handler(line, this) });
		} catch (error) {
			respond({ ok: false, error: error instanceof Error ? error.message : String(error) });
		}
	}
}

/** What every session can do. */
function entriesHandler({ type }: Record<string, unknown>): Handler | undefined {
	if (type !== "get_entries") return undefined;
	return ({ before, limit = 200 }, { entries }) => {
		const end = entries.findIndex(({ id }) => id === before);
		return {
			entries: entries.slice(Math.max(0, end - Number(limit)), end),
			leafId: entries.at(-1)?.id ?? null,
		};
	};
}

function write(frame: Frame, send: Send): void {
	for (const line of frameLines(frame)) send(line);
}
