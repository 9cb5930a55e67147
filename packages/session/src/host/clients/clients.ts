/** The clients of a session: identity, rights, and the frames that each is sent. */
import { log, onDispose, timer, uuidv7 } from "@tau/utils";
import {
	Live,
	permits,
	type ClientInfo,
	type Cursor,
	type EventFrame,
	type RequestKind,
	type Right,
} from "@tau/wire";

import type { SessionEvent } from "../../run/behavior.ts";
import { UserError } from "../../run/user-error.ts";
import { answerRight } from "../guests.ts";
import { limits } from "../limits.ts";
import type { RequestClient, UserRequests } from "../requests.ts";
import type { SessionHost } from "../session-host.ts";
import { Broadcast, type BroadcastOptions } from "./broadcast.ts";
import { eventFrame } from "./event-frame.ts";
import { factsOfSession, isUncounted, tailOf } from "./facts.ts";
import { FrameClient, type ComponentSource, type LineReceiver } from "./frame-client.ts";
import { FrameFeed } from "./frame-feed.ts";

/** A promise says when the event was dealt with: written to a pipe, for example. */
type Receiver<E extends { type: string }> = (event: E) => void | Promise<void>;
export type EventReceiver = Receiver<SessionEvent>;

/** A program, or a part of this one, that follows a session. */
export interface Client {
	/** Given where it is absent. */
	readonly id?: string;
	/** As people see it. A client without one is a part of this program, and in no list. */
	readonly name?: string;
	/** `control` by default. */
	readonly rights?: Right;
	/** In this process: gets the events themselves. */
	readonly onEvent?: EventReceiver;
	/** Elsewhere: gets frames as lines of JSON. */
	readonly onLines?: LineReceiver;
	/** A member of a room: it reads by itself only what was sent to all before it came, or what it has lost. */
	readonly room?: Broadcast;
	/** The requests to the user that it can show. */
	readonly kinds?: readonly RequestKind[];
	/** Shows a request; a client elsewhere reads of it in a frame. */
	readonly open?: RequestClient["open"];
	readonly terminals?: RequestClient["terminals"];
}

/** A client's place at the session; disposing of it leaves, and stops nothing. */
export interface Attached extends Disposable {
	readonly info: ClientInfo;
	/** Resolves when everything that happened until now was dealt with. */
	settled(): Promise<void>;
	/** Answers a command of a client elsewhere, after everything that happened until now. */
	respond(body: Parameters<FrameClient["respond"]>[1]): void;
	/** From now on it is sent what this source has, each time that it is called. */
	showComponents(source: ComponentSource): void;
	/** It has lost the frames after this one. */
	resume(from: Cursor): void;
	/** Whether it leaves too many responses unread to send more commands. */
	readonly isFull: boolean;
}

interface Member {
	readonly info: ClientInfo;
	readonly isListed: boolean;
	readonly events?: EventClient<SessionEvent>;
	readonly frames?: FrameClient;
}

export class Clients implements Disposable {
	readonly #host: SessionHost;
	readonly #members = new Set<Member>();
	/** The listeners of clients in this process. */
	readonly #listeners = new Set<EventClient<EventFrame>>();
	readonly #live: Live | undefined;
	#feed: FrameFeed | undefined;
	readonly #rooms = new Set<Broadcast>();
	readonly #owned = new DisposableStack();

	/** `isShared`: others may join later, and see what is being made. */
	constructor(host: SessionHost, isShared: boolean) {
		this.#host = host;
		this.#live = isShared ? new Live() : undefined;
	}

	/** Those that people know of. Who is elsewhere knows the host by its name, and not by its terminals. */
	get all(): readonly ClientInfo[] {
		const listed = [...this.#members].filter(({ isListed }) => isListed).map(({ info }) => info);
		const [room] = this.#rooms;
		if (!room) return listed;
		return listed.map((info) =>
			info.rights === "control" ? { ...info, name: `${room.hostName} (${info.name})` } : info,
		);
	}

	/** Whether a client is another program, so that what it does is signed with its name. */
	isRemote({ id }: ClientInfo): boolean {
		return [...this.#members].some(({ info, frames }) => info.id === id && frames !== undefined);
	}

	/** What is being made now; undefined in a session that nobody can join. */
	get live(): Live | undefined {
		return this.#live;
	}

	attach(client: Client, requests: UserRequests, from?: Cursor): Attached {
		if (this.#members.size >= limits.clients)
			throw new UserError(`${limits.clients} clients are attached to this session. Close one.`);
		const { id = uuidv7(), name = "", rights = "control", kinds = [], onEvent, onLines } = client;
		const info: ClientInfo = { id, name, rights, kinds };
		const feed = onLines && this.#startFeed();
		const member: Member = {
			info,
			isListed: client.name !== undefined,
			...(onEvent ? { events: new EventClient(onEvent) } : {}),
			...(feed && onLines ? { frames: new FrameClient(feed, onLines, { from, room: client.room }) } : {}),
		};
		const owned = new DisposableStack();
		this.#members.add(member);
		owned.defer(() => this.#leave(member));
		// Who may not answer is not asked.
		const answered = kinds.filter((kind) => permits(rights, answerRight(kind)));
		if (answered.length > 0)
			owned.use(
				requests.connect({
					kinds: new Set(answered),
					terminals: client.terminals,
					open: client.open ?? (() => {}),
				}),
			);
		if (member.isListed) this.#changed(member);
		member.frames?.wake();
		const { frames, events } = member;
		return {
			info,
			settled: async () => events?.settled(),
			respond: (body) => frames?.respond(this.#host.log.getSessionId(), body),
			showComponents(source) {
				if (!frames) return;
				frames.components = source;
				frames.wake();
			},
			resume: (lost) => frames?.resume(lost),
			get isFull() {
				return frames?.isFull ?? false;
			},
			[Symbol.dispose]: () => owned.dispose(),
		};
	}

	/** Sends the frames of a session once for all members of a room; the members are attached with it. */
	broadcast(options: BroadcastOptions): Broadcast {
		const room: Broadcast = new Broadcast(this.#startFeed(), options, {
			onSent: () => this.#wakeMembers(),
			onGone: () => {
				this.#rooms.delete(room);
				if (!this.#owned.disposed) this.#changed();
			},
		});
		this.#rooms.add(room);
		this.#changed();
		return room;
	}

	/** Events as every client reads them, when `live` has them already. */
	subscribe(listener: Receiver<EventFrame>): Disposable {
		const added = new EventClient(listener);
		this.#listeners.add(added);
		return onDispose(() => this.#listeners.delete(added));
	}

	/** Tells everybody. A promise where a pipe of this process has to be waited for. */
	readonly emit = (event: SessionEvent): void | Promise<void> => {
		const isRead = this.#feed !== undefined || this.#listeners.size > 0;
		const frame = isRead || needsFrame(event) ? eventFrame(event) : (event as EventFrame);
		this.#live?.apply(frame);
		this.#feed?.push(frame);
		let waits: Promise<void>[] | undefined;
		for (const { events } of this.#members) {
			const wait = events?.offer(event);
			if (wait) (waits ??= []).push(wait);
		}
		for (const listener of this.#listeners) {
			const wait = listener.offer(frame);
			if (wait) (waits ??= []).push(wait);
		}
		return waits && Promise.all(waits).then(() => {});
	};

	[Symbol.dispose](): void {
		this.#owned.dispose();
		for (const { frames } of this.#members) frames?.[Symbol.dispose]();
		this.#members.clear();
		this.#listeners.clear();
	}

	/** From the first client elsewhere on. */
	#startFeed(): FrameFeed {
		if (this.#feed) return this.#feed;
		const host = this.#host;
		const live = this.#live;
		if (!live) throw new UserError("This session cannot be joined.");
		const clients = (): readonly ClientInfo[] => this.all;
		const feed = new FrameFeed(
			{
				get sessionId() {
					return host.log.getSessionId();
				},
				get leafId() {
					return host.log.getLeafId();
				},
				live,
				get clients() {
					return clients();
				},
				facts: () => factsOfSession(host),
				tail: () => tailOf(host.log),
				entry(id) {
					const entry = host.log.getEntry(id);
					return entry && { ...entry };
				},
			},
			() => {
				for (const room of this.#rooms) room.wake();
				this.#wakeMembers();
			},
		);
		this.#feed = this.#owned.use(feed);
		this.#owned.use(host.log.onAppend((id) => feed.pushEntry(id)));
		if (isUncounted(host)) this.#owned.use(timer(limits.countAfterMs, () => void this.#count()));
		return feed;
	}

	#wakeMembers(): void {
		for (const { frames } of this.#members) frames?.wake();
	}

	async #count(): Promise<void> {
		await this.#host.session.usage.count();
		if (!this.#owned.disposed) this.#feed?.refresh();
	}

	#leave(member: Member): void {
		if (!this.#members.delete(member)) return;
		member.frames?.[Symbol.dispose]();
		if (member.isListed) this.#changed();
	}

	/** The one that has joined knows that it is there. */
	#changed(joined?: Member): void {
		const clients = this.all;
		const event = { type: "clients_changed", clients } as const;
		for (const member of this.#members) if (member !== joined) void member.events?.offer(event);
		for (const listener of this.#listeners) void listener.offer(event);
		this.#feed?.pushClients(clients);
	}
}

/** In this process the first part of a call does not have its name. */
function needsFrame(event: SessionEvent): boolean {
	return event.type === "message_update" && event.assistantMessageEvent.type === "toolcall_start";
}

/** Throws the reason why a client may not do something. */
export function assertRight({ name, rights }: ClientInfo, needed: Right, what: string): void {
	if (permits(rights, needed)) return;
	const who = name === "" ? "this client" : name;
	throw new UserError(`${what} needs the right "${needed}"; ${who} has "${rights}".`);
}

/** A client in this process: it gets the events themselves, at once, and never holds up another one. */
class EventClient<E extends { type: string }> {
	readonly #receive: Receiver<E>;
	readonly #pending = new Set<Promise<void>>();

	constructor(receive: Receiver<E>) {
		this.#receive = receive;
	}

	/** A promise where too much is unread: the pipe of the process that owns the session fills no memory. */
	offer(event: E): void | Promise<void> {
		let reading: void | Promise<void>;
		try {
			reading = this.#receive(event);
		} catch (error) {
			return report(event, error);
		}
		if (!reading) return;
		const settled = reading
			.catch((error: unknown) => report(event, error))
			.then(() => void this.#pending.delete(settled));
		this.#pending.add(settled);
		if (this.#pending.size > limits.unreadEvents) return Promise.race(this.#pending);
	}

	/** Resolves when everything that was offered is dealt with. */
	async settled(): Promise<void> {
		while (this.#pending.size > 0) await Promise.all(this.#pending);
	}
}

/** A client that fails does not take the conversation with it. */
function report({ type }: { type: string }, error: unknown): void {
	log.error("a session listener failed", { event: type, reason: String(error) });
}

/** One event after the other, for a receiver that takes its time over each. */
export function inOrder(receive: EventReceiver): EventReceiver {
	let last: Promise<void> | undefined;
	return (event) => {
		const reading = last ? last.then(() => receive(event)) : receive(event);
		if (!reading) return;
		const mine = reading
			.catch((error: unknown) => report(event, error))
			.then(() => {
				if (last === mine) last = undefined;
			});
		last = mine;
		return mine;
	};
}
