/** A relay in memory that does to messages what a relay must not be able to do unnoticed: for tests. */
import { peerOf, readHeader, writeHeader } from "../envelope.ts";
import { identityCard, newIdentity } from "./keys.ts";
import { bodyTypes } from "./message.ts";
import { base64url, concat, fromBase64url, randomBytes, type Bytes } from "./bytes.ts";
import type { ConnectRelay, RelayEvents } from "./relay-socket.ts";

export const attacks = [
	"drop",
	"repeat",
	"later",
	"swap",
	"truncate",
	"flip",
	"transplant",
	"renumber",
	"redirect",
	"forge",
	"stall",
	"impersonate",
] as const;
export type Attack = (typeof attacks)[number];

interface Member {
	readonly events: RelayEvents;
	readonly peer: string;
	isGone: boolean;
}

interface Room {
	host: Member | undefined;
	stream: number;
	readonly guests: Map<string, Member>;
	/** What went through, for repeats and transplants. */
	readonly seen: Bytes[];
}

export class HostileRelay {
	readonly #rooms = new Map<string, Room>();
	/** What to do to the next message; undefined: pass it on. */
	choose: (bytes: Bytes) => Attack | undefined = () => undefined;
	/** A number below the bound, from the seed of the run. */
	pick: (bound: number) => number = () => 0;
	readonly done: Attack[] = [];
	#held: (() => void)[] = [];
	#stalled: (() => void)[] = [];
	/** The card of a host that it has made itself. */
	readonly #ownCard: Bytes;

	private constructor(ownCard: Bytes) {
		this.#ownCard = ownCard;
	}

	static async create(): Promise<HostileRelay> {
		return new HostileRelay(await identityCard((await newIdentity()).identity));
	}

	readonly connect: ConnectRelay = (_, room, role, events) => {
		const at = this.#roomOf(room);
		const member: Member = { events, peer: role === "host" ? "" : "?", isGone: false };
		const own: { peer: string } = { peer: "" };
		queueMicrotask(() => {
			if (role === "host") {
				at.host = member;
				events.onControl({ t: "challenge", nonce: base64url(randomBytes(32)), stream: 0 });
			} else events.onOpen();
		});
		return {
			send: (bytes) => this.#pass(at, role, bytes),
			control: (control) => void this.#onControl(at, member, own, control as Record<string, unknown>),
			[Symbol.dispose]: () => {
				if (member.isGone) return;
				member.isGone = true;
				at.guests.delete(own.peer);
				if (role === "guest") at.host?.events.onControl({ t: "peer-left", peer: own.peer });
				events.onEnd({ code: 1000, reason: "" });
			},
		};
	};

	/** Messages that were held back go out now. */
	release(): void {
		for (const send of this.#held.splice(0)) send();
	}

	/** From now on it does its work; what it has withheld comes as well. */
	calm(): void {
		this.choose = () => undefined;
		this.release();
		for (const send of this.#stalled.splice(0)) send();
	}

	#roomOf(room: string): Room {
		const known = this.#rooms.get(room) ?? { host: undefined, stream: 0, guests: new Map(), seen: [] };
		this.#rooms.set(room, known);
		return known;
	}

	async #onControl(
		room: Room,
		member: Member,
		own: { peer: string },
		control: Record<string, unknown>,
	): Promise<void> {
		if (control.t !== "hello") return;
		if (member === room.host) {
			room.stream = Number(control.stream);
			return member.events.onControl({ t: "welcome", stream: room.stream });
		}
		own.peer = await peerOf(fromBase64url(String(control.secret)) ?? new Uint8Array(0));
		room.guests.set(own.peer, member);
		member.events.onControl({ t: "welcome", peer: own.peer, stream: room.stream, host: true });
	}

	#pass(room: Room, role: "host" | "guest", bytes: Bytes): void {
		const attack = this.choose(bytes);
		room.seen.push(bytes);
		if (attack) this.done.push(attack);
		const send = (message: Bytes): void => queueMicrotask(() => this.#deliver(room, role, message));
		switch (attack) {
			case undefined:
				send(bytes);
				return this.release();
			case "drop":
				return;
			case "repeat":
				send(bytes);
				return send(bytes);
			case "later":
				return void setTimeout(() => send(bytes), 5);
			case "swap":
				return void this.#held.push(() => send(bytes));
			case "stall":
				return void this.#stalled.push(() => send(bytes));
			case "truncate":
				return send(bytes.slice(0, 20 + this.pick(Math.max(1, bytes.length - 20))));
			default:
				return send(this.#changed(room, bytes, attack));
		}
	}

	#changed(
		room: Room,
		bytes: Bytes,
		attack: "flip" | "transplant" | "renumber" | "redirect" | "forge" | "impersonate",
	): Bytes {
		const header = readHeader(bytes);
		if (!header) return bytes;
		switch (attack) {
			case "flip": {
				const copy = bytes.slice();
				const at = 20 + this.pick(bytes.length - 20);
				copy[at] = (copy[at] ?? 0) ^ (1 << this.pick(8));
				return copy;
			}
			case "transplant": {
				// The body of another message, of this room or another, in the place of this one.
				const rooms = [...this.#rooms.values()].flatMap(({ seen }) => seen);
				const other = rooms[this.pick(rooms.length)] ?? bytes;
				return concat(bytes.subarray(0, 20), other.subarray(20));
			}
			case "renumber":
				return rewritten(bytes, { ...header, seq: header.seq + 1 + this.pick(3) });
			case "redirect": {
				const peers = ["", ...room.guests.keys()];
				return rewritten(bytes, { ...header, peer: peers[this.pick(peers.length)] ?? "" });
			}
			case "impersonate": {
				// As the host towards a guest that knocks, otherwise as the sender.
				const type = bytes[20] ?? 0;
				const body =
					type === bodyTypes.identity ? this.#ownCard : randomBytes(Math.max(1, bytes.length - 21));
				return concat(bytes.subarray(0, 20), Uint8Array.of(type), body);
			}
			case "forge":
				return concat(bytes.subarray(0, 20), Uint8Array.of(bodyTypes.group, 0, 0, 0, 1), randomBytes(200));
		}
	}

	#deliver(room: Room, role: "host" | "guest", bytes: Bytes): void {
		if (role === "guest") {
			if (room.host && !room.host.isGone) room.host.events.onMessage(bytes);
			return;
		}
		const header = readHeader(bytes);
		for (const [peer, guest] of room.guests)
			if (header && (header.peer === "" || header.peer === peer)) guest.events.onMessage(bytes);
	}
}

function rewritten(bytes: Bytes, header: Parameters<typeof writeHeader>[1]): Bytes {
	const copy = bytes.slice();
	writeHeader(copy, header);
	return copy;
}
