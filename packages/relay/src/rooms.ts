/** The rooms of a node: opens, finds, delivers, sweeps and ends them. */
import type { Envelope } from "@tau/wire/envelope";

import { AddressBuckets } from "./buckets.ts";
import { allowances, limits } from "./limits.ts";
import type { Member } from "./member.ts";
import type { Metrics } from "./metrics.ts";
import { Room } from "./room.ts";
import type { RedisExchange } from "./redis/exchange.ts";

export interface RoomsOptions {
	readonly metrics: Metrics;
	readonly hostAwayMs: number;
	readonly exchange?: RedisExchange;
}

export class Rooms implements AsyncDisposable {
	readonly #options: RoomsOptions;
	readonly #rooms = new Map<string, Room>();
	readonly #opening = new Map<string, Promise<Room | "away" | undefined>>();
	readonly #newRooms = new AddressBuckets(allowances.rooms);
	/** Rooms with something to read for their members. */
	readonly #written = new Set<Room>();
	readonly #unacknowledged = new Set<Room>();
	readonly #sweeping: Timer;
	#pumping: NodeJS.Immediate | undefined;
	#acknowledging: Timer | undefined;

	constructor(options: RoomsOptions) {
		this.#options = options;
		this.#sweeping = setInterval(() => this.#sweep(), limits.sweepMs);
		this.#sweeping.unref();
	}

	get exchange(): RedisExchange | undefined {
		return this.#options.exchange;
	}

	get count(): number {
		return this.#rooms.size;
	}

	/** A room that this node or another one knows. */
	async find(key: string): Promise<Room | "away" | undefined> {
		const room = this.#rooms.get(key);
		if (room) {
			room.usedAt = Date.now();
			return room;
		}
		if (!this.exchange) return undefined;
		return await this.#opening.getOrInsertComputed(key, () =>
			this.#openShared(key).finally(() => this.#opening.delete(key)),
		);
	}

	/** The room of a host that has proved its key, or undefined if its address has opened too many. */
	async open(key: string, address: string): Promise<Room | undefined> {
		const found = await this.find(key);
		if (found instanceof Room) return found;
		// Another connection of the same host may have been quicker.
		const quicker = this.#rooms.get(key);
		if (quicker) return quicker;
		if (this.#rooms.size >= limits.rooms || !this.#newRooms.take(address)) return undefined;
		const room = this.#newRoom(key);
		this.#rooms.set(key, room);
		const shared = this.exchange?.create(room);
		if (shared) room.shared = shared;
		this.#options.metrics.add("rooms_opened");
		return room;
	}

	/** Takes a message of a member. The member hears later that it is safe. */
	take(room: Room, member: Member, envelope: Envelope, bytes: Uint8Array): void {
		member.received++;
		this.#options.metrics.add("messages");
		this.#options.metrics.add("message_bytes", bytes.length);
		room.write(envelope, bytes, true);
		if (room.shared) room.shared.flush();
		else member.safe = member.received;
		this.acknowledgeSoon(room);
	}

	/** Sends what waits. */
	pump(): void {
		this.#pumping = undefined;
		for (const room of this.#written) {
			this.#written.delete(room);
			let delivered = 0;
			for (const member of room.members) delivered += member.pump();
			this.#options.metrics.add("deliveries", delivered);
		}
	}

	acknowledgeSoon(room: Room): void {
		this.#unacknowledged.add(room);
		this.#acknowledging ??= setTimeout(() => {
			this.#acknowledging = undefined;
			for (const each of this.#unacknowledged) for (const member of each.members) member.acknowledge();
			this.#unacknowledged.clear();
		}, limits.ackMs);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#sweeping);
		clearTimeout(this.#acknowledging);
		clearImmediate(this.#pumping);
		for (const room of this.#rooms.values()) room.shared?.[Symbol.dispose]();
		this.#rooms.clear();
		await this.exchange?.[Symbol.asyncDispose]();
	}

	async #openShared(key: string): Promise<Room | "away" | undefined> {
		const room = this.#newRoom(key);
		const shared = await this.exchange?.open(room);
		if (shared === undefined || shared === "away") return shared;
		room.shared = shared;
		this.#rooms.set(key, room);
		return room;
	}

	#newRoom(key: string): Room {
		return new Room(key, {
			onWritten: (room) => this.#onWritten(room),
			onEnded: (room) => this.#forget(room),
		});
	}

	/** Messages that arrive in one turn of the event loop are sent together. */
	#onWritten(room: Room): void {
		this.#written.add(room);
		this.#pumping ??= setImmediate(() => this.pump());
	}

	#forget(room: Room): void {
		this.#written.delete(room);
		this.#unacknowledged.delete(room);
		room.shared?.[Symbol.dispose]();
		if (this.#rooms.get(room.key) === room) this.#rooms.delete(room.key);
	}

	#sweep(): void {
		const now = Date.now();
		let total = 0;
		for (const room of this.#rooms.values()) {
			room.logs.down.forget(now - limits.replayMs);
			room.logs.up.forget(now - limits.replayMs);
			total += room.cost;
			if (!room.hasHost && now - room.hostLeftAt > this.#options.hostAwayMs) room.end();
			else if (now - room.writtenAt > limits.idleRoomMs) room.end();
			else if (room.shared && room.members.length === 0 && now - room.usedAt > 2 * limits.helloMs)
				this.#forget(room);
		}
		if (total > limits.replayTotalBytes) this.#shed(total);
	}

	/** Rooms that were quiet for longest keep nothing: their members ask the host when they come back. */
	#shed(total: number): void {
		const quiet = [...this.#rooms.values()].toSorted((a, b) => a.writtenAt - b.writtenAt);
		for (const room of quiet) {
			if (total <= limits.replayTotalBytes) return;
			total -= room.cost;
			room.logs.down.forget();
			room.logs.up.forget();
			this.#options.metrics.add("rooms_shed");
		}
	}
}
