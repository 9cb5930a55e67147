/** Connections of Tau's own dialect: a host proves its key, members come back with their cursors. */
import { hostProof, headerBytes, peerOf, readHeader, roomOf, type Envelope } from "@tau/wire/envelope";
import { isRecord, parseShape, refined, shapes, type Shape } from "@tau/utils";

import { codes, type Closing } from "./codes.ts";
import { native } from "./dialects.ts";
import { Bucket } from "./buckets.ts";
import { allowances, limits } from "./limits.ts";
import { Member, type Socket, type SocketHandler } from "./member.ts";
import type { Metrics } from "./metrics.ts";
import type { PushForwarder } from "./push.ts";
import { GuestReader, LogReader } from "./room-log.ts";
import { Room, type RoomKey } from "./room.ts";
import type { Rooms } from "./rooms.ts";

export interface ConnectionParts {
	readonly rooms: Rooms;
	readonly metrics: Metrics;
	readonly push?: PushForwarder;
}

const matching = (pattern: RegExp) =>
	refined(
		shapes.string,
		(value) => pattern.test(value),
		() => `expected ${pattern}`,
	);
const whole = (least: number, most: number) =>
	refined(
		shapes.integer,
		(value) => value >= least && value <= most,
		() => `expected ${least} to ${most}`,
	);

const encodedBytes = matching(/^[\w-]{1,128}$/);
const link = matching(/^[\w-]{1,64}$/);
const links = refined(
	shapes.array(link),
	(list) => list.length <= limits.links,
	() => "too many links",
);
const count = whole(0, Number.MAX_SAFE_INTEGER);
const stream = whole(1, 2 ** 32 - 1);

const hostHello = shapes.object({
	key: encodedBytes,
	sig: encodedBytes,
	stream,
	links: shapes.optional(links),
	up: shapes.optional(shapes.record(count)),
});
const guestHello = shapes.object({
	secret: encodedBytes,
	link,
	stream: shapes.optional(stream),
	all: shapes.optional(count),
	own: shapes.optional(count),
});

/** What both ends share: a greeting, then messages, until the socket is gone. */
abstract class NativeConnection implements SocketHandler {
	protected readonly socket: Socket;
	protected readonly parts: ConnectionParts;
	protected readonly key: RoomKey;
	protected member?: Member;
	protected room?: Room;
	#isGreeting = false;
	/** A timer that is done with would take memory of each connection. */
	#hurry: Timer | undefined;

	constructor(socket: Socket, parts: ConnectionParts) {
		this.socket = socket;
		this.parts = parts;
		this.key = { dialect: "v1", id: socket.data.room };
		this.#hurry = setTimeout(() => this.refuse(codes.noHello), limits.helloMs);
	}

	onText(text: string): void {
		const message = text.length <= limits.controlBytes ? parsed(text) : undefined;
		if (!message) return this.refuse(codes.malformed);
		// Control messages count as well; the host's links are the largest.
		if (this.member?.accepts(text.length) === false) return;
		if (message.t === "ping") return void this.socket.sendText(JSON.stringify({ t: "pong" }));
		if (!this.room) return void this.#greet(message);
		this.command(message, this.room);
	}

	onBinary(bytes: Uint8Array): void {
		const { member, room } = this;
		if (!member || !room) return this.refuse(codes.malformed);
		if (bytes.length > limits.frameBytes + headerBytes) return this.refuse(codes.tooLarge);
		const envelope = readHeader(bytes);
		if (!envelope || !this.mayCarry(envelope, member)) return this.refuse(codes.malformed);
		if (member.accepts(bytes.length)) this.parts.rooms.take(room, member, envelope, bytes);
	}

	onDrain(): void {
		this.parts.metrics.add("deliveries", this.member?.pump() ?? 0);
	}

	onMove(ms: number): void {
		this.member?.notify({ t: "move", ms });
	}

	onClose(): void {
		this.#endHurry();
		if (this.member) this.room?.drop(this.member);
	}

	protected abstract hello(message: Record<string, unknown>): Promise<Closing | undefined>;
	protected abstract command(message: Record<string, unknown>, room: Room): void;
	protected abstract mayCarry(envelope: Envelope, member: Member): boolean;

	protected get isGone(): boolean {
		return this.socket.readyState !== 1;
	}

	protected refuse({ code, reason }: Closing): void {
		this.parts.metrics.add("closed_by_relay");
		this.socket.close(code, reason);
	}

	protected countReturn(lost: boolean): void {
		this.parts.metrics.add(lost ? "lost" : "resumed");
	}

	async #greet(message: Record<string, unknown>): Promise<void> {
		if (this.#isGreeting || message.t !== "hello") return this.refuse(codes.malformed);
		this.#isGreeting = true;
		const refusal = await this.hello(message);
		this.#endHurry();
		if (refusal) this.refuse(refusal);
	}

	#endHurry(): void {
		clearTimeout(this.#hurry);
		this.#hurry = undefined;
	}
}

export class NativeHost extends NativeConnection {
	readonly #pushes = new Bucket(allowances.pushes);
	readonly #nonce = crypto
		.getRandomValues(new Uint8Array(32))
		.toBase64({ alphabet: "base64url", omitPadding: true });

	/** Sends the challenge. */
	async begin(): Promise<void> {
		const room = await this.parts.rooms.find(this.key);
		const known = room instanceof Room ? room.stream : 0;
		if (!this.isGone)
			this.socket.sendText(JSON.stringify({ t: "challenge", nonce: this.#nonce, stream: known }));
	}

	protected async hello(message: Record<string, unknown>): Promise<Closing | undefined> {
		const result = parseShape(hostHello, message);
		if (!result.ok) return codes.malformed;
		const hello = result.value;
		if (!(await isProved(this.key.id, this.#nonce, hello))) return codes.notHost;
		const room = await this.parts.rooms.open(this.key, this.socket.data.address);
		if (!room) return codes.tooManyRooms;
		if (hello.stream < room.stream) return codes.notHost;
		if (room.shared && !(await room.shared.claim(hello.stream, hello.links))) return codes.notHost;
		if (this.isGone) {
			if (!room.host) void room.shared?.leaveAsHost();
			return undefined;
		}
		this.#enter(room, hello);
		return undefined;
	}

	#enter(room: Room, hello: ShapeOf<typeof hostHello>): void {
		room.beginStream(hello.stream);
		const reader = new LogReader(room.logs.up);
		const lost = hello.up ? reader.resume(new Map(Object.entries(hello.up))) : [];
		if (hello.up) this.countReturn(lost.length > 0);
		const member = new Member(this.socket, native, { peer: "", link: "", reader });
		this.member = member;
		this.room = room;
		room.setHost(member);
		room.allow(hello.links && new Set(hello.links));
		const present = [...room.guests.values()].map((guest) => ({ peer: guest.peer, link: guest.link }));
		const elsewhere = [...room.elsewhere].map(([peer, each]) => ({ peer, link: each.link }));
		const welcome = {
			t: "welcome",
			stream: room.stream,
			accepted: Object.fromEntries(room.logs.down.last),
			peers: [...present, ...elsewhere],
			lost,
			up: Object.fromEntries(reader.seen),
		};
		this.socket.sendText(JSON.stringify(welcome));
		member.pump();
	}

	protected command(message: Record<string, unknown>, room: Room): void {
		if (message.t === "close") room.endEverywhere();
		else if (message.t === "kick" && typeof message.peer === "string") {
			if (!room.refuse(message.peer)) void room.shared?.kick(message.peer);
		} else if (message.t === "links") {
			const result = parseShape(links, message.links);
			if (!result.ok) return this.refuse(codes.malformed);
			room.allow(new Set(result.value));
			void room.shared?.allow(result.value);
		} else if (message.t === "push") void this.#push(message);
	}

	async #push(message: Record<string, unknown>): Promise<void> {
		const pushed = await this.parts.push?.forward(message, this.#pushes);
		this.member?.notify({ t: "pushed", ...(pushed ?? { endpoint: "", status: 501 }) });
	}

	protected mayCarry({ direction }: Envelope): boolean {
		return direction === "down";
	}
}

export class NativeGuest extends NativeConnection {
	protected async hello(message: Record<string, unknown>): Promise<Closing | undefined> {
		const result = parseShape(guestHello, message);
		if (!result.ok) return codes.malformed;
		const hello = result.value;
		const secret = decoded(hello.secret);
		if (!secret || secret.length < 16) return codes.malformed;
		const peer = await peerOf(secret);
		const room = await this.parts.rooms.find(this.key);
		if (room === undefined || room === "away") return room ? codes.tryLater : codes.noRoom;
		if (!room.admits(hello.link)) return codes.refused;
		if (isFull(room, peer)) return codes.full;
		if (room.shared && (await room.shared.join(peer, hello.link)) === "full") return codes.full;
		if (this.isGone) {
			if (!room.guests.has(peer)) void room.shared?.leave(peer);
			return undefined;
		}
		this.#enter(room, peer, hello);
		return undefined;
	}

	#enter(room: Room, peer: string, hello: ShapeOf<typeof guestHello>): void {
		const { all, own = 0 } = hello;
		const reader = new GuestReader(room.logs.down, peer);
		const isBack = all !== undefined && hello.stream === room.stream;
		const lost = isBack
			? reader.resume(
					new Map([
						["", all],
						[peer, own],
					]),
				).length > 0
			: all !== undefined;
		if (all !== undefined) this.countReturn(lost);
		const member = new Member(this.socket, native, { peer, link: hello.link, reader });
		this.member = member;
		this.room = room;
		const welcome = {
			t: "welcome",
			peer,
			stream: room.stream,
			host: room.hasHost,
			all: reader.seen.get("") ?? (isBack ? all : 0),
			own: reader.seen.get(peer) ?? (isBack ? own : 0),
			accepted: room.logs.up.last.get(peer) ?? 0,
			lost,
		};
		this.socket.sendText(JSON.stringify(welcome));
		room.addGuest(member);
		member.pump();
	}

	/** Guests have nothing to say to the relay. */
	protected command(): void {}

	protected mayCarry({ direction, peer }: Envelope, member: Member): boolean {
		return direction === "up" && peer === member.peer;
	}
}

type ShapeOf<S> = S extends Shape<infer T> ? T : never;

export function isFull(room: Room, peer: string): boolean {
	const isKnown = room.guests.has(peer) || room.elsewhere.has(peer);
	return !isKnown && room.guests.size + room.elsewhere.size >= limits.guests;
}

async function isProved(
	room: string,
	nonce: string,
	{ key, sig, stream: life }: ShapeOf<typeof hostHello>,
): Promise<boolean> {
	const [publicKey, signature] = [decoded(key), decoded(sig)];
	if (publicKey?.length !== 32 || signature?.length !== 64 || (await roomOf(publicKey)) !== room)
		return false;
	try {
		const imported = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
		return await crypto.subtle.verify("Ed25519", imported, signature, hostProof(room, nonce, life));
	} catch {
		// Bytes that are no point of the curve prove nothing.
		return false;
	}
}

function parsed(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isRecord(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
	try {
		return Uint8Array.fromBase64(text, { alphabet: "base64url" });
	} catch {
		return undefined;
	}
}
