/** Members of omp's dialect: no greeting, no numbers, no replay; the room lives as long as its host's connection. */
import type { ServerWebSocket } from "bun";

import { headerBytes, sealedInto, type Envelope } from "@tau/wire/envelope";

import { codes, type Closing } from "./codes.ts";
import { limits } from "./limits.ts";
import { Member, type Control, type NodeParts } from "./member.ts";
import { LogReader, type Entry } from "./room-log.ts";

/** A number of four bytes, and the sealed payload. */
const ompHeaderBytes = 4;

export class OmpMember extends Member {
	/** The address of a host; guests have none. */
	readonly #hostAddress: string | undefined;
	/** What arrives while the room is looked up. */
	readonly #early: Uint8Array[] = [];

	constructor(parts: NodeParts, key: string, hostAddress?: string) {
		super(parts, key);
		this.#hostAddress = hostAddress;
	}

	override open(socket: ServerWebSocket<Member>): void {
		super.open(socket);
		void this.#begin();
	}

	/** omp's clients send no text. */
	onText(): void {}

	onBinary(bytes: Uint8Array): void {
		if (bytes.length > limits.ompFrameBytes) return this.refuse(codes.tooLarge);
		if (bytes.length < ompHeaderBytes) return this.refuse(codes.malformed);
		if (this.room) this.#take(bytes);
		else if (this.#early.length < 16) this.#early.push(bytes);
		else this.refuse(codes.tooFast);
	}

	protected encode({ bytes, peer }: Entry): Uint8Array {
		const message = new Uint8Array(ompHeaderBytes + bytes.length - headerBytes);
		message.set(bytes.subarray(headerBytes), ompHeaderBytes);
		// A guest always sees 0, the host the number of the sender.
		new DataView(message.buffer).setUint32(0, this.peer === "" ? ompNumber(peer) : 0);
		return message;
	}

	protected control(control: Control): string | undefined {
		if (control.t === "room-closed") return JSON.stringify(control);
		if (control.t === "peer-joined" || control.t === "peer-left")
			return JSON.stringify({ t: control.t, peer: ompNumber(control.peer) });
		return undefined;
	}

	/** omp's guests ask for everything again when they connect again, and know no other way. */
	protected onMissed(): void {
		this.close(codes.tryLater);
	}

	async #begin(): Promise<void> {
		const address = this.#hostAddress;
		const refusal = await (address === undefined ? this.#enterAsGuest() : this.#enterAsHost(address));
		if (refusal) return this.refuse(refusal);
		for (const bytes of this.#early.splice(0)) this.#take(bytes);
	}

	async #enterAsHost(address: string): Promise<Closing | undefined> {
		const { rooms } = this.parts;
		const found = await rooms.find(this.key);
		if (found === "away") return codes.tryLater;
		if (found?.hasHost) return codes.hostThere;
		const room = await rooms.open(this.key, address);
		if (!room) return codes.tooManyRooms;
		if (room.hasHost) return codes.hostThere;
		const stream = Math.max(room.stream + 1, Math.floor(Date.now() / 1000));
		if (room.shared && !(await room.shared.claim(stream, undefined))) return codes.hostThere;
		if (room.hasHost) return codes.hostThere;
		if (this.isGone) return void room.endEverywhere();
		room.beginStream(stream);
		this.enter(room, new LogReader(room.logs.up));
		room.setHost(this);
		return undefined;
	}

	async #enterAsGuest(): Promise<Closing | undefined> {
		const room = await this.parts.rooms.find(this.key);
		if (room === "away") return codes.tryLater;
		if (!room?.hasHost) return codes.noRoom;
		this.peer = ompPeer(room.shared ? await room.shared.nextNumber() : ++room.guestNumber);
		if (room.isFullFor(this.peer)) return codes.full;
		if (room.shared && !(await room.shared.join(this.peer, ""))) return codes.full;
		if (this.isGone) return void room.shared?.leave(this.peer);
		this.enter(room, new LogReader(room.logs.down, this.peer));
		room.addGuest(this);
		return undefined;
	}

	/** Puts a message under the header that all rooms use. */
	#take(bytes: Uint8Array): void {
		const { room } = this;
		if (!room || !this.accepts(bytes.length)) return;
		const recipient = recipientOf(bytes);
		const isHost = this.peer === "";
		if (isHost && recipient !== "" && !room.knows(recipient)) return;
		const peer = isHost ? recipient : this.peer;
		const direction = isHost ? "down" : "up";
		// The relay numbers what omp does not.
		const seq = (room.logs[direction].last.get(peer) ?? 0) + 1;
		const envelope: Envelope = { direction, stream: room.stream, peer, seq };
		this.parts.rooms.take(room, this, envelope, sealedInto(envelope, bytes.subarray(ompHeaderBytes)));
	}
}

/** "" for everyone. */
function recipientOf(bytes: Uint8Array): string {
	const number = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
	return number === 0 ? "" : ompPeer(number);
}

/** omp's numbers are kept as ids of eight bytes, so that a room works the same in both dialects. */
function ompPeer(number: number): string {
	const bytes = new Uint8Array(8);
	new DataView(bytes.buffer).setUint32(4, number);
	return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function ompNumber(peer: string): number {
	return Buffer.from(peer, "base64url").readUInt32BE(4);
}
