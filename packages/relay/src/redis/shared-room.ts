/** A room in Redis: hands this node's messages on to the others, and takes theirs. */
import { readHeader, type Direction } from "@tau/wire/envelope";
import { isRecord } from "@tau/utils";

import { limits } from "../limits.ts";
import type { Metrics } from "../metrics.ts";
import type { Room } from "../room.ts";
import { LogReader, local } from "../room-log.ts";
import { unlessAway, type RedisLink } from "./link.ts";
import * as scripts from "./scripts.ts";
import type { Batch, Source, Writer } from "./writer.ts";

export interface RoomParts {
	/** The name of this node among the others, new with each start. */
	readonly node: string;
	readonly writer: Writer;
	readonly metrics: Metrics;
	/** How long a room outlives its last sign of life. */
	readonly ttlMs: number;
	onSafe(room: Room): void;
	onDisposed(room: RedisRoom): void;
	isAlive(node: string): Promise<boolean>;
}

const directions = ["down", "up"] as const satisfies Direction[];
/** What a stream's key ends with, and the field that counts its bytes is called. */
const fields = { down: "d", up: "u" } as const;

export class RedisRoom implements Source, Disposable {
	readonly room: Room;
	/** What it is called in Redis. */
	readonly name: string;
	readonly #link: RedisLink;
	readonly #parts: RoomParts;
	readonly #keys: Readonly<Record<"room" | "guests" | "down" | "up" | "nodes", string>>;
	/** How many bytes of each stream this node has. */
	readonly #seen = { down: 0, up: 0 };
	readonly #readers: Readonly<Record<Direction, LogReader>>;
	/** Batches whose writing was not confirmed: they are written again, and repeated messages are dropped by all logs. */
	readonly #unconfirmed: { down?: Batch | undefined; up?: Batch | undefined } = {};
	readonly #isPulling = { down: false, up: false };
	/** Something came while missed messages were read. */
	readonly #pullsAgain = { down: false, up: false };
	/** The order of claims and joins: notes of earlier ones than this node's own are outdated. */
	readonly #turns = new Map<string, number>();
	/** Another one when Redis has lost the room meanwhile. */
	#generation = "";
	/** Its members know that others cannot be reached. */
	#isCut = false;
	#isDisposed = false;

	constructor(room: Room, link: RedisLink, parts: RoomParts) {
		this.room = room;
		this.#link = link;
		this.#parts = parts;
		const name = `tau:{${room.key}}`;
		this.name = name;
		this.#keys = {
			room: name,
			guests: `${name}:g`,
			down: `${name}:${fields.down}`,
			up: `${name}:${fields.up}`,
			nodes: nodesOf(name),
		};
		this.#readers = {
			down: new LogReader(room.logs.down, local),
			up: new LogReader(room.logs.up, local),
		};
	}

	/** False if Redis has no such room, undefined if it is away. */
	async load(): Promise<boolean | undefined> {
		const isKnown = await unlessAway(() => this.#readFacts());
		if (isKnown) await Promise.all(directions.map((direction) => this.#pull(direction)));
		return isKnown;
	}

	/** This node has the host now. False if another host has the room: one with a newer stream, or any other of omp's. */
	async claim(stream: number, links: readonly string[] | undefined): Promise<boolean> {
		if (!this.#link.isUp) return true;
		const { node, ttlMs } = this.#parts;
		const { room, nodes, down, up } = this.#keys;
		const exclusive = this.room.isOmp ? "1" : "0";
		const allowed = JSON.stringify(links ?? null);
		const args = [String(stream), allowed, node, String(ttlMs), crypto.randomUUID(), exclusive];
		const reply = await unlessAway(() => this.#link.run(scripts.claim, [room, nodes, down, up], args));
		if (!Array.isArray(reply)) return true;
		const [isOurs, generation, turn] = reply;
		if (isOurs !== 1) return false;
		this.#turns.set("", Number(turn));
		this.#setGeneration(String(generation));
		return true;
	}

	/** False if the room is full. While Redis is away, the others are told later. */
	async join(peer: string, link: string): Promise<boolean> {
		const { node, ttlMs } = this.#parts;
		const { room, nodes, guests } = this.#keys;
		const args = [peer, node, link, String(limits.guests), String(ttlMs)];
		const reply = await unlessAway(() => this.#link.run(scripts.join, [room, nodes, guests], args));
		const [outcome, turn] = Array.isArray(reply) ? reply : [];
		if (outcome === 1) this.#turns.set(peer, Number(turn));
		return outcome !== 0;
	}

	/** Also for a node that has died. */
	async leave(peer: string, node = this.#parts.node): Promise<void> {
		const { room, nodes, guests } = this.#keys;
		this.#turns.delete(peer);
		await unlessAway(() => this.#link.run(scripts.leave, [room, nodes, guests], [peer, node]));
	}

	async leaveAsHost(): Promise<void> {
		await this.#parts.writer.flush(this);
		await this.#leaveHostOf(this.#parts.node);
	}

	async allow(links: readonly string[]): Promise<void> {
		const text = JSON.stringify(links);
		await unlessAway(async () => {
			await this.#link.send("HSET", [this.#keys.room, "links", text]);
			await this.#notify({ t: "links", links: text });
		});
	}

	async kick(peer: string): Promise<void> {
		await unlessAway(() => this.#notify({ t: "kick", peer }));
	}

	async end(): Promise<void> {
		await unlessAway(() => this.#notify({ t: "end" }, Object.values(this.#keys)));
	}

	/** The number of a guest of omp's. */
	async nextNumber(): Promise<number> {
		const number = await unlessAway(() => this.#link.send("HINCRBY", [this.#keys.room, "number", "1"]));
		return typeof number === "number" ? number : 0x7fff_0000 + ++this.room.guestNumber;
	}

	/** There is something of this node's members to hand on. */
	flush(): void {
		this.#parts.writer.add(this);
	}

	batches(): Batch[] {
		if (this.#generation === "") return [];
		return directions.map((each) => this.#nextBatch(each)).filter((batch) => batch !== undefined);
	}

	/** Redis is away: members on other nodes cannot be reached. */
	cut(): void {
		if (this.room.isSpread) this.#setCut(true);
	}

	/** Redis is there again, perhaps without the room: this node publishes again everything that it knows better. */
	async recover(): Promise<void> {
		await unlessAway(async () => {
			const { room } = this;
			if (room.host && !(await this.claim(room.stream, room.links && [...room.links]))) {
				room.setHostNode("another");
			}
			if (!(await this.#readFacts())) return;
			for (const { peer, link } of room.guests.values()) await this.join(peer, link);
			await Promise.all(directions.map((direction) => this.#pull(direction)));
			this.flush();
			this.#setCut(false);
		});
	}

	/** The host is there: the room stays. */
	async renew(): Promise<void> {
		const ttl = String(this.#parts.ttlMs);
		const keys = Object.values(this.#keys);
		await unlessAway(() => Promise.all(keys.map((key) => this.#link.send("PEXPIRE", [key, ttl]))));
	}

	/** Whoever is not in Redis any more, after all nodes had time to say who is there, has left meanwhile. */
	async reconcile(): Promise<void> {
		const guests = await unlessAway(() => this.#link.send("HKEYS", [this.#keys.guests]));
		if (!Array.isArray(guests)) return;
		for (const peer of this.room.elsewhere.keys()) if (!guests.includes(peer)) this.room.dropElsewhere(peer);
	}

	/** A node is dead: its members are gone, unless they have reconnected to another node. */
	async buryNode(node: string): Promise<void> {
		const { room } = this;
		if (room.hostNode === node) {
			room.hostIsAway();
			await this.#leaveHostOf(node);
		}
		for (const [peer, guest] of room.elsewhere) {
			if (guest.node !== node) continue;
			room.dropElsewhere(peer);
			await this.leave(peer, node);
		}
	}

	[Symbol.dispose](): void {
		if (this.#isDisposed) return;
		this.#isDisposed = true;
		this.#parts.writer.remove(this);
		this.#parts.onDisposed(this);
	}

	#setCut(on: boolean): void {
		if (this.#isCut === on) return;
		this.#isCut = on;
		for (const member of this.room.members) member.notify({ t: "partition", on });
	}

	/** Who is in the room, and what happens in it from now on; false if Redis does not know it. */
	async #readFacts(): Promise<boolean> {
		const { room } = this;
		const { node, ttlMs } = this.#parts;
		const opened = [this.#keys.room, this.#keys.nodes];
		if ((await this.#link.run(scripts.open, opened, [node, String(ttlMs)])) !== 1) return false;
		const [facts, guests] = await Promise.all([
			this.#link.send("HGETALL", [this.#keys.room]),
			this.#link.send("HGETALL", [this.#keys.guests]),
		]);
		if (!isRecord(facts) || typeof facts.generation !== "string") return false;
		this.#setGeneration(facts.generation);
		room.beginStream(Number(facts.stream));
		if (!room.host) {
			room.allow(linksOf(facts.links));
			const host = String(facts.host ?? "");
			if (host !== "" && host !== node) {
				if (await this.#parts.isAlive(host)) room.setHostNode(host);
				else await this.#leaveHostOf(host);
			}
		}
		for (const [peer, value] of Object.entries(isRecord(guests) ? guests : {})) {
			const [other = "", link = ""] = String(value).split(" ");
			if (!(await this.#parts.isAlive(other))) await this.leave(peer, other);
			else if (other !== node && !room.guests.has(peer)) room.addElsewhere(peer, other, link);
		}
		return true;
	}

	/** After a loss all that this node's members have sent is written again. */
	#setGeneration(generation: string): void {
		if (generation === this.#generation) return;
		const isLoss = this.#generation !== "";
		this.#generation = generation;
		if (!isLoss) return;
		for (const direction of directions) {
			this.#seen[direction] = 0;
			this.#unconfirmed[direction] = undefined;
			this.#readers[direction].rewind();
		}
		this.flush();
	}

	#nextBatch(direction: Direction): Batch | undefined {
		const unconfirmed = this.#unconfirmed[direction];
		if (unconfirmed) return unconfirmed;
		const reader = this.#readers[direction];
		reader.skipDropped();
		let payload = "";
		while (payload.length < limits.redis.batchBytes) {
			const entry = reader.next();
			if (!entry) break;
			const message = entry.bytes.toBase64();
			payload = payload === "" ? message : `${payload},${message}`;
		}
		const { host, guests } = this.room;
		const senders = direction === "up" ? guests.values() : host ? [host] : [];
		if (payload === "") {
			for (const member of senders) member.safe = member.received;
			return undefined;
		}
		// Members hear that all they have sent is safe, once it is.
		const received = reader.isAtEnd
			? Array.from(senders, (member) => [member, member.received] as const)
			: [];
		const batch: Batch = {
			stream: this.#keys[direction],
			generation: this.#generation,
			payload,
			confirm: (total) => {
				if (this.#unconfirmed[direction] !== batch) return false;
				if (total === -1) {
					void this.recover();
					return false;
				}
				this.#unconfirmed[direction] = undefined;
				this.#advance(direction, total - payload.length, total);
				for (const [member, count] of received) member.safe = count;
				this.#parts.onSafe(this.room);
				// Not only what was there when the batch was made: Redis may have been away since.
				return !reader.isAtEnd;
			},
		};
		this.#unconfirmed[direction] = batch;
		return batch;
	}

	/** Another node has written a batch. */
	onBatch(field: string, before: number, total: number, payload: string): void {
		const direction = field === fields.down ? "down" : "up";
		if (this.#advance(direction, before, total)) this.#take(direction, payload);
	}

	/** Whether a batch is the next one of its stream; if others are missing, they are read with it. */
	#advance(direction: Direction, before: number, total: number): boolean {
		if (total <= this.#seen[direction]) return false;
		if (this.#isPulling[direction] || before > this.#seen[direction]) {
			void this.#pull(direction);
			return false;
		}
		this.#seen[direction] = total;
		return true;
	}

	/** Reads what this node has missed. */
	async #pull(direction: Direction): Promise<void> {
		this.#pullsAgain[direction] = true;
		if (this.#isPulling[direction]) return;
		this.#isPulling[direction] = true;
		while (this.#pullsAgain[direction] && this.#link.isUp) {
			this.#pullsAgain[direction] = false;
			await this.#pullOnce(direction);
		}
		this.#isPulling[direction] = false;
	}

	async #pullOnce(direction: Direction): Promise<void> {
		this.#parts.metrics.add("redis_reads");
		const after = `(${this.#seen[direction]}-0`;
		const reply = await unlessAway(() => this.#link.send("XRANGE", [this.#keys[direction], after, "+"]));
		for (const [id, values] of entriesOf(reply)) {
			this.#seen[direction] = Number.parseInt(id, 10);
			this.#take(direction, values[1] ?? "");
		}
	}

	#take(direction: Direction, payload: string): void {
		for (const message of payload.split(",")) {
			const bytes = Uint8Array.fromBase64(message);
			const envelope = readHeader(bytes);
			if (envelope?.direction === direction) this.room.write(envelope, bytes, false);
		}
	}

	onNote(node: string, note: unknown): void {
		if (!isRecord(note)) return;
		const { room } = this;
		const peer = typeof note.peer === "string" ? note.peer : "";
		const turn = typeof note.turn === "number" ? note.turn : Number.POSITIVE_INFINITY;
		if (turn < (this.#turns.get(peer) ?? 0)) return;
		if (note.t === "host") {
			room.beginStream(Number(note.stream));
			room.setHostNode(node);
			room.allow(linksOf(note.links));
			// Redis may have lost the room, and the host's node is the first to tell it again.
			void this.#checkGeneration();
		} else if (note.t === "host-left") {
			if (room.hostNode === node) room.hostIsAway();
		} else if (note.t === "joined") room.addElsewhere(peer, node, String(note.link));
		else if (note.t === "left") {
			if (room.elsewhere.get(peer)?.node === node) room.dropElsewhere(peer);
		} else if (note.t === "links") room.allow(linksOf(note.links));
		else if (note.t === "kick") room.refuse(peer);
		else if (note.t === "end") room.end();
	}

	async #checkGeneration(): Promise<void> {
		const generation = await unlessAway(() => this.#link.send("HGET", [this.#keys.room, "generation"]));
		if (typeof generation === "string" && generation !== this.#generation) await this.recover();
	}

	/** After what was written before, with the keys to delete in the same step. */
	async #notify(note: object, deleted: readonly string[] = []): Promise<void> {
		await this.#parts.writer.flush(this);
		const { room, nodes } = this.#keys;
		await this.#link.run(scripts.note, [room, nodes, ...deleted], [this.#parts.node, JSON.stringify(note)]);
	}

	async #leaveHostOf(node: string): Promise<void> {
		const { room, nodes } = this.#keys;
		await unlessAway(() => this.#link.run(scripts.leaveAsHost, [room, nodes], [node]));
	}
}

/** The nodes that have a room open. */
export function nodesOf(room: string): string {
	return `${room}:n`;
}

/** The links that may join; undefined: any. */
function linksOf(text: unknown): ReadonlySet<string> | undefined {
	const value: unknown = typeof text === "string" ? JSON.parse(text) : null;
	return Array.isArray(value) ? new Set(value.map(String)) : undefined;
}

/** What XRANGE answers: ids with their fields. */
function entriesOf(reply: unknown): [id: string, values: string[]][] {
	return Array.isArray(reply) ? (reply as [string, string[]][]) : [];
}
