/** Connections of omp's dialect: no greeting, no numbers, no replay; the room lives as long as its host's connection. */
import { sealedInto, type Envelope } from "@tau/wire/envelope";

import { codes, type Closing } from "./codes.ts";
import { omp, ompHeaderBytes, ompPeer } from "./dialects.ts";
import { limits } from "./limits.ts";
import { Member, type Socket, type SocketHandler } from "./member.ts";
import { isFull, type ConnectionParts } from "./native.ts";
import { GuestReader, LogReader } from "./room-log.ts";
import type { Room, RoomKey } from "./room.ts";

export class OmpConnection implements SocketHandler {
	readonly #socket: Socket;
	readonly #parts: ConnectionParts;
	readonly #key: RoomKey;
	/** The relay numbers what omp does not. */
	readonly #sent = new Map<string, number>();
	/** What arrives while the room is looked up. */
	readonly #early: Uint8Array[] = [];
	#member?: Member;
	#room?: Room;

	constructor(socket: Socket, parts: ConnectionParts) {
		this.#socket = socket;
		this.#parts = parts;
		this.#key = { dialect: "omp", id: socket.data.room };
	}

	async begin(): Promise<void> {
		const refusal = await (this.#socket.data.role === "host" ? this.#enterAsHost() : this.#enterAsGuest());
		if (refusal) return this.#refuse(refusal);
		for (const bytes of this.#early.splice(0)) this.#take(bytes);
	}

	/** omp's clients send no text. */
	onText(): void {}

	onBinary(bytes: Uint8Array): void {
		if (bytes.length > limits.ompFrameBytes) return this.#refuse(codes.tooLarge);
		if (bytes.length < ompHeaderBytes) return this.#refuse(codes.malformed);
		if (this.#member) this.#take(bytes);
		else if (this.#early.length < 16) this.#early.push(bytes);
		else this.#refuse(codes.tooFast);
	}

	onDrain(): void {
		this.#parts.metrics.add("deliveries", this.#member?.pump() ?? 0);
	}

	onMove(ms: number): void {
		this.#member?.notify({ t: "move", ms });
	}

	onClose(): void {
		if (this.#member) this.#room?.drop(this.#member);
	}

	async #enterAsHost(): Promise<Closing | undefined> {
		const { rooms } = this.#parts;
		const found = await rooms.find(this.#key);
		if (found === "away") return codes.tryLater;
		if (found?.hasHost) return codes.hostThere;
		const room = await rooms.open(this.#key, this.#socket.data.address);
		if (!room) return codes.tooManyRooms;
		if (room.hasHost) return codes.hostThere;
		const stream = Math.max(room.stream + 1, Math.floor(Date.now() / 1000));
		if (room.shared && !(await room.shared.claim(stream, undefined))) return codes.hostThere;
		if (room.hasHost) return codes.hostThere;
		if (this.#socket.readyState !== 1) return void room.endEverywhere();
		room.beginStream(stream);
		const reader = new LogReader(room.logs.up);
		this.#room = room;
		this.#member = new Member(this.#socket, omp, { peer: "", link: "", reader });
		room.setHost(this.#member);
		return undefined;
	}

	async #enterAsGuest(): Promise<Closing | undefined> {
		const room = await this.#parts.rooms.find(this.#key);
		if (room === "away") return codes.tryLater;
		if (!room?.hasHost) return codes.noRoom;
		const peer = ompPeer(room.shared ? await room.shared.nextNumber() : ++room.guestNumber);
		if (isFull(room, peer)) return codes.full;
		if (room.shared && (await room.shared.join(peer, "")) === "full") return codes.full;
		if (this.#socket.readyState !== 1) return void room.shared?.leave(peer);
		const reader = new GuestReader(room.logs.down, peer);
		this.#room = room;
		this.#member = new Member(this.#socket, omp, { peer, link: "", reader });
		room.addGuest(this.#member);
		return undefined;
	}

	/** Puts a message under the header that all rooms use. */
	#take(bytes: Uint8Array): void {
		const [room, member] = [this.#room, this.#member];
		if (!room || !member?.accepts(bytes.length)) return;
		const recipient = recipientOf(bytes);
		const isHost = member.peer === "";
		if (isHost && recipient !== "" && !room.guests.has(recipient) && !room.elsewhere.has(recipient)) return;
		const peer = isHost ? recipient : member.peer;
		const seq = (this.#sent.get(peer) ?? 0) + 1;
		this.#sent.set(peer, seq);
		const envelope: Envelope = { direction: isHost ? "down" : "up", stream: room.stream, peer, seq };
		this.#parts.rooms.take(room, member, envelope, sealedInto(envelope, bytes.subarray(ompHeaderBytes)));
	}

	#refuse({ code, reason }: Closing): void {
		this.#parts.metrics.add("closed_by_relay");
		this.#socket.close(code, reason);
	}
}

/** "" for everyone. */
function recipientOf(bytes: Uint8Array): string {
	const number = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
	return number === 0 ? "" : ompPeer(number);
}
