/** A room: its log, its members on this node, and what is known of those on other nodes. */
import type { Direction, Envelope } from "@tau/wire/envelope";

import { codes, type Closing } from "./codes.ts";
import { limits } from "./limits.ts";
import type { Control, Member } from "./member.ts";
import { RoomLog } from "./room-log.ts";
import type { RedisRoom } from "./redis/shared-room.ts";

interface RoomEvents {
	/** There is something to read for members of this node. */
	onWritten(room: Room): void;
	/** Nobody may come back to it. */
	onEnded(room: Room): void;
}

export class Room {
	/** `v1:<id>` or `omp:<id>`: rooms of the two dialects never meet, because an id of omp's proves nothing. */
	readonly key: string;
	readonly logs: Readonly<Record<Direction, RoomLog>> = {
		down: new RoomLog(limits.downBytes),
		up: new RoomLog(limits.upBytes),
	};
	readonly guests = new Map<string, Member>();
	/** Guests that are connected to other nodes. */
	readonly elsewhere = new Map<string, { readonly node: string; readonly link: string }>();
	readonly #events: RoomEvents;
	host: Member | undefined;
	/** The other node that the host is connected to. */
	hostNode: string | undefined;
	hostLeftAt = Date.now();
	writtenAt = Date.now();
	/** Somebody was about to join: a node does not forget the room at that moment. */
	usedAt = Date.now();
	stream = 0;
	/** The links that may join; undefined: any. */
	links: ReadonlySet<string> | undefined;
	shared?: RedisRoom;
	/** omp's guests are counted from 1. */
	guestNumber = 0;

	constructor(key: string, events: RoomEvents) {
		this.key = key;
		this.#events = events;
	}

	get isOmp(): boolean {
		return this.key.startsWith("omp:");
	}

	get hasHost(): boolean {
		return this.host !== undefined || this.hostNode !== undefined;
	}

	get members(): Member[] {
		return this.host ? [this.host, ...this.guests.values()] : [...this.guests.values()];
	}

	/** Whether a member is connected to another node. */
	get isSpread(): boolean {
		return this.hostNode !== undefined || this.elsewhere.size > 0;
	}

	/** What its logs take of the memory. */
	get cost(): number {
		return this.logs.down.cost + this.logs.up.cost;
	}

	/** A message of a member, or of another node. Messages of another life of the host are too late for everybody. */
	write(envelope: Envelope, bytes: Uint8Array, isLocal: boolean): void {
		if (envelope.stream > this.stream && !isLocal) this.beginStream(envelope.stream);
		if (envelope.stream !== this.stream) return;
		if (!this.logs[envelope.direction].append(envelope, bytes, isLocal)) return;
		this.writtenAt = Date.now();
		this.#events.onWritten(this);
	}

	/** The host process is a new one: nothing of the old one's numbers and keys holds. */
	beginStream(stream: number): void {
		if (stream <= this.stream) return;
		this.stream = stream;
		this.logs.down.clear();
		this.logs.up.clear();
		for (const guest of this.guests.values()) guest.notify({ t: "host", present: this.hasHost, stream });
	}

	/** The newest connection of a host is the one that counts: the older one may be asleep. */
	setHost(member: Member): void {
		const before = this.host;
		this.host = member;
		this.hostNode = undefined;
		before?.close(codes.replaced);
		this.tellGuests({ t: "host", present: true, stream: this.stream });
	}

	addGuest(member: Member): void {
		const before = this.guests.get(member.peer);
		this.guests.set(member.peer, member);
		this.elsewhere.delete(member.peer);
		before?.close(codes.replaced);
		this.host?.notify({ t: "peer-joined", peer: member.peer, link: member.link });
	}

	/** The socket of a member is gone. A member that has been replaced is gone already. */
	drop(member: Member): void {
		if (this.host === member) {
			this.host = undefined;
			void this.shared?.leaveAsHost();
			if (this.isOmp) this.endEverywhere();
			else this.hostIsAway();
		} else if (this.guests.get(member.peer) === member) {
			this.guests.delete(member.peer);
			void this.shared?.leave(member.peer);
			this.host?.notify({ t: "peer-left", peer: member.peer });
			if (this.isOmp) this.logs.up.forgetChannel(member.peer);
		}
	}

	/** A guest is connected to another node, also one that was connected to this one before. */
	addElsewhere(peer: string, node: string, link: string): void {
		const before = this.guests.get(peer);
		this.guests.delete(peer);
		this.elsewhere.set(peer, { node, link });
		before?.close(codes.replaced);
		this.host?.notify({ t: "peer-joined", peer, link });
	}

	dropElsewhere(peer: string): void {
		if (this.elsewhere.delete(peer)) this.host?.notify({ t: "peer-left", peer });
	}

	/** The host is connected to another node. */
	setHostNode(node: string): void {
		const before = this.host;
		this.host = undefined;
		this.hostNode = node;
		before?.close(codes.replaced);
		this.tellGuests({ t: "host", present: true, stream: this.stream });
	}

	hostIsAway(): void {
		this.hostNode = undefined;
		if (this.host) return;
		this.hostLeftAt = Date.now();
		this.#deliver();
		this.tellGuests({ t: "host", present: false, stream: this.stream });
	}

	/** Only these links may join from now on. */
	allow(links: ReadonlySet<string> | undefined): void {
		this.links = links;
		for (const guest of this.guests.values()) if (!this.admits(guest.link)) this.refuse(guest.peer);
	}

	/** Closes the connection of a guest of this node, after what was said to it; false if it has no such guest. */
	refuse(peer: string): boolean {
		const guest = this.guests.get(peer);
		guest?.pump();
		guest?.close(codes.refused);
		return guest !== undefined;
	}

	/** Whether a guest is connected to this node or another one. */
	knows(peer: string): boolean {
		return this.guests.has(peer) || this.elsewhere.has(peer);
	}

	isFullFor(peer: string): boolean {
		return !this.knows(peer) && this.guests.size + this.elsewhere.size >= limits.guests;
	}

	admits(link: string): boolean {
		return this.links?.has(link) ?? true;
	}

	/** What was written before comes before. */
	#deliver(): void {
		for (const guest of this.guests.values()) guest.pump();
	}

	tellGuests(control: Control): void {
		for (const guest of this.guests.values()) guest.notify(control);
	}

	/** For everybody: its host ended it. Guests on other nodes read its last messages, too. */
	endEverywhere(): void {
		if (this.shared) void this.shared.end().then(() => this.end());
		else this.end();
	}

	/** For good, on this node: its host ended it, or stayed away. */
	end(why: Closing = codes.roomClosed): void {
		this.#deliver();
		this.tellGuests({ t: "room-closed" });
		for (const member of this.members) member.close(why);
		this.host = undefined;
		this.guests.clear();
		this.logs.down.clear();
		this.logs.up.clear();
		this.#events.onEnded(this);
	}
}
