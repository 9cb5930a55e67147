/** Members of Tau's own dialect: a host proves its key, and both ends come back with their cursors. */
import type { ServerWebSocket } from "bun";

import { hostProof, headerBytes, peerOf, readHeader, roomOf, type Envelope } from "@tau/wire/envelope";
import { isRecord, parseShape, refined, shapes, type Shape } from "@tau/utils";

import { codes, type Closing } from "./codes.ts";
import { Bucket } from "./buckets.ts";
import { allowances, limits } from "./limits.ts";
import { Member, type Control, type NodeParts } from "./member.ts";
import { LogReader, type Cursors, type Entry } from "./room-log.ts";
import { Room } from "./room.ts";

/** Whoever sends something else is closed, and hears no more about it. */
const bounded = <T>(shape: Shape<T>, holds: (value: T) => boolean): Shape<T> =>
	refined(shape, holds, () => "out of bounds");
const matching = (pattern: RegExp) => bounded(shapes.string, (value) => pattern.test(value));
const whole = (least: number, most: number) =>
	bounded(shapes.integer, (value) => value >= least && value <= most);

const encodedBytes = matching(/^[\w-]{1,128}$/);
const link = matching(/^[\w-]{1,64}$/);
const links = bounded(shapes.array(link), (list) => list.length <= limits.links);
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
abstract class NativeMember extends Member {
	#isGreeting = false;
	/** A timer that is done with would take memory of each connection. */
	#hurry: Timer | undefined;

	override open(socket: ServerWebSocket<Member>): void {
		super.open(socket);
		this.#hurry = setTimeout(() => this.refuse(codes.noHello), limits.helloMs);
	}

	onText(text: string): void {
		const message = text.length <= limits.controlBytes ? parsed(text) : undefined;
		if (!message) return this.refuse(codes.malformed);
		// Control messages count as well; the host's links are the largest.
		if (this.room && !this.accepts(text.length)) return;
		if (message.t === "ping") return void this.socket.sendText(JSON.stringify({ t: "pong" }));
		if (!this.room) return void this.#greet(message);
		this.command(message, this.room);
	}

	onBinary(bytes: Uint8Array): void {
		const { room } = this;
		if (!room) return this.refuse(codes.malformed);
		if (bytes.length > limits.frameBytes + headerBytes) return this.refuse(codes.tooLarge);
		const envelope = readHeader(bytes);
		if (!envelope || !this.mayCarry(envelope)) return this.refuse(codes.malformed);
		if (this.accepts(bytes.length)) this.parts.rooms.take(room, this, envelope, bytes);
	}

	override onClose(): void {
		this.#endHurry();
		super.onClose();
	}

	protected abstract hello(message: Record<string, unknown>): Promise<Closing | undefined>;
	protected abstract command(message: Record<string, unknown>, room: Room): void;
	protected abstract mayCarry(envelope: Envelope): boolean;

	protected encode({ bytes }: Entry): Uint8Array {
		return bytes;
	}

	protected control(control: Control): string {
		return JSON.stringify(control);
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

export class NativeHost extends NativeMember {
	readonly #id: string;
	readonly #address: string;
	readonly #pushes = new Bucket(allowances.pushes);
	readonly #nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");

	constructor(parts: NodeParts, id: string, address: string) {
		super(parts, `v1:${id}`);
		this.#id = id;
		this.#address = address;
	}

	override open(socket: ServerWebSocket<Member>): void {
		super.open(socket);
		void this.#challenge();
	}

	async #challenge(): Promise<void> {
		const room = await this.parts.rooms.find(this.key);
		const known = room instanceof Room ? room.stream : 0;
		if (!this.isGone)
			this.socket.sendText(JSON.stringify({ t: "challenge", nonce: this.#nonce, stream: known }));
	}

	protected async hello(message: Record<string, unknown>): Promise<Closing | undefined> {
		const result = parseShape(hostHello, message);
		if (!result.ok) return codes.malformed;
		const hello = result.value;
		if (!(await isProved(this.#id, this.#nonce, hello))) return codes.notHost;
		const room = await this.parts.rooms.open(this.key, this.#address);
		if (!room) return codes.tooManyRooms;
		if (hello.stream < room.stream) return codes.notHost;
		if (room.shared && !(await room.shared.claim(hello.stream, hello.links))) return codes.notHost;
		if (this.isGone) {
			if (!room.host) void room.shared?.leaveAsHost();
			return undefined;
		}
		this.#join(room, hello);
		return undefined;
	}

	#join(room: Room, hello: ShapeOf<typeof hostHello>): void {
		// In another life the numbers begin anew.
		const up = hello.stream === room.stream ? hello.up : undefined;
		room.beginStream(hello.stream);
		const reader = new LogReader(room.logs.up);
		const lost = up ? reader.resume(new Map(Object.entries(up))) : [];
		if (up) this.countReturn(lost.length > 0);
		this.enter(room, reader);
		room.setHost(this);
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
		this.pump();
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
		this.notify({ t: "pushed", ...(pushed ?? { endpoint: "", status: 501 }) });
	}

	protected mayCarry({ direction }: Envelope): boolean {
		return direction === "down";
	}

	protected onMissed(seen: Cursors): void {
		this.notify({ t: "resync", up: Object.fromEntries(seen) });
	}
}

export class NativeGuest extends NativeMember {
	protected async hello(message: Record<string, unknown>): Promise<Closing | undefined> {
		const result = parseShape(guestHello, message);
		if (!result.ok) return codes.malformed;
		const hello = result.value;
		const secret = Buffer.from(hello.secret, "base64url");
		if (secret.length < 16) return codes.malformed;
		const peer = await peerOf(secret);
		const room = await this.parts.rooms.find(this.key);
		if (room === undefined || room === "away") return room ? codes.tryLater : codes.noRoom;
		if (!room.admits(hello.link)) return codes.refused;
		if (room.isFullFor(peer)) return codes.full;
		if (room.shared && !(await room.shared.join(peer, hello.link))) return codes.full;
		if (this.isGone) {
			if (!room.guests.has(peer)) void room.shared?.leave(peer);
			return undefined;
		}
		this.peer = peer;
		this.link = hello.link;
		this.#join(room, hello);
		return undefined;
	}

	#join(room: Room, { all, own = 0, stream: known }: ShapeOf<typeof guestHello>): void {
		const { peer } = this;
		const reader = new LogReader(room.logs.down, peer);
		const isBack = all !== undefined && known === room.stream;
		const cursors = new Map([
			["", all ?? 0],
			[peer, own],
		]);
		const lost = isBack ? reader.resume(cursors).length > 0 : all !== undefined;
		if (all !== undefined) this.countReturn(lost);
		this.enter(room, reader);
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
		room.addGuest(this);
		this.pump();
	}

	/** Guests have nothing to say to the relay. */
	protected command(): void {}

	protected mayCarry({ direction, peer }: Envelope): boolean {
		return direction === "up" && peer === this.peer;
	}

	protected onMissed(seen: Cursors): void {
		this.notify({ t: "resync", all: seen.get("") ?? 0, own: seen.get(this.peer) ?? 0 });
	}
}

type ShapeOf<S> = S extends Shape<infer T> ? T : never;

async function isProved(
	room: string,
	nonce: string,
	{ key, sig, stream: life }: ShapeOf<typeof hostHello>,
): Promise<boolean> {
	const [publicKey, signature] = [Buffer.from(key, "base64url"), Buffer.from(sig, "base64url")];
	if (publicKey.length !== 32 || signature.length !== 64 || (await roomOf(publicKey)) !== room) return false;
	// Bytes that are no point of the curve prove nothing.
	const imported = await crypto.subtle
		.importKey("raw", publicKey, "Ed25519", false, ["verify"])
		.catch(() => undefined);
	const proof = hostProof(room, nonce, life);
	return imported !== undefined && (await crypto.subtle.verify("Ed25519", imported, signature, proof));
}

function parsed(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isRecord(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
