/** A room in Redis: hands this node's messages on to the others, and takes theirs. */
import { readHeader, type Direction } from "@tau/wire/envelope";
import { isRecord } from "@tau/utils";

import { limits } from "../limits.ts";
import type { Metrics } from "../metrics.ts";
import { keyText, type Room } from "../room.ts";
import { LogReader } from "../room-log.ts";
import { RedisAway, type RedisLink } from "./link.ts";
import * as scripts from "./scripts.ts";

export interface NodeParts {
	/** The name of this node among the others, new with each start. */
	readonly node: string;
	readonly metrics: Metrics;
	/** How long a room outlives its last sign of life. */
	readonly ttlMs: number;
	onSafe(room: Room): void;
	/** The room has something to write; those that have are written together. */
	onWritten(room: RedisRoom): void;
	onDisposed(room: RedisRoom): void;
	isAlive(node: string): Promise<boolean>;
}

interface Batch {
	readonly payload: string;
	/** What each member had sent when the batch was made; empty unless the batch has all of it. */
	readonly received: ReadonlyMap<{ safe: number }, number>;
}

const directions = ["down", "up"] as const satisfies Direction[];
const fields = { down: "d", up: "u" } as const;
/** Base64 takes a third more. */
const caps = { down: Math.ceil((limits.downBytes * 4) / 3), up: Math.ceil((limits.upBytes * 4) / 3) };

export class RedisRoom implements Disposable {
	readonly room: Room;
	readonly #link: RedisLink;
	readonly #parts: NodeParts;
	readonly #keys: Readonly<Record<"room" | "guests" | "down" | "up" | "channel", string>>;
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
	#flushing: Promise<void> | undefined;
	/** Its members know that others cannot be reached. */
	#isCut = false;
	#isDisposed = false;

	constructor(room: Room, link: RedisLink, parts: NodeParts) {
		this.room = room;
		this.#link = link;
		this.#parts = parts;
		const name = `tau:{${keyText(room.key)}}`;
		this.#keys = {
			room: name,
			guests: `${name}:g`,
			down: `${name}:d`,
			up: `${name}:u`,
			channel: `${name}:c`,
		};
		this.#readers = {
			down: new LogReader(room.logs.down, ({ isLocal }) => isLocal),
			up: new LogReader(room.logs.up, ({ isLocal }) => isLocal),
		};
	}

	/** False if Redis has no such room. */
	async load(): Promise<boolean> {
		await this.#subscribe();
		if (!(await this.#readFacts())) return false;
		await Promise.all(directions.map((direction) => this.#pull(direction)));
		return true;
	}

	/** This node has the host now. False if another host has the room: one with a newer stream, or any other of omp's. */
	async claim(stream: number, links: readonly string[] | undefined): Promise<boolean> {
		if (!this.#link.isUp) return true;
		await this.#subscribe();
		const { node, ttlMs } = this.#parts;
		const { room, down, up, channel } = this.#keys;
		const exclusive = this.room.key.dialect === "omp" ? "1" : "0";
		const allowed = JSON.stringify(links ?? null);
		const args = [String(stream), allowed, node, String(ttlMs), channel, crypto.randomUUID(), exclusive];
		const reply = await this.#attempt(() => this.#link.run(scripts.claim, [room, down, up], args));
		if (!Array.isArray(reply)) return true;
		const [isOurs, generation, turn] = reply;
		if (isOurs !== 1) return false;
		this.#turns.set("", Number(turn));
		this.#setGeneration(String(generation));
		return true;
	}

	/** "alone": the others cannot be told now, and are told later. */
	async join(peer: string, link: string): Promise<"joined" | "full" | "alone"> {
		const { node, ttlMs } = this.#parts;
		const { room, guests, channel } = this.#keys;
		const args = [peer, node, link, String(limits.guests), String(ttlMs), channel];
		const reply = await this.#attempt(() => this.#link.run(scripts.join, [room, guests], args));
		const [outcome, turn] = Array.isArray(reply) ? reply : [-1];
		if (outcome === 0) return "full";
		if (outcome !== 1) return "alone";
		this.#turns.set(peer, Number(turn));
		return "joined";
	}

	async leave(peer: string): Promise<void> {
		await this.#leaveOf(peer, this.#parts.node);
	}

	async leaveAsHost(): Promise<void> {
		await this.#flushed();
		await this.#leaveHostOf(this.#parts.node);
	}

	async allow(links: readonly string[]): Promise<void> {
		const text = JSON.stringify(links);
		await this.#attempt(async () => {
			await this.#link.send("HSET", [this.#keys.room, "links", text]);
			await this.#notify({ t: "links", links: text });
		});
	}

	async kick(peer: string): Promise<void> {
		await this.#attempt(() => this.#notify({ t: "kick", peer }));
	}

	async end(): Promise<void> {
		await this.#flushed();
		const { room, guests, down, up } = this.#keys;
		await this.#attempt(async () => {
			await this.#link.send("DEL", [room, guests, down, up]);
			await this.#notify({ t: "end" });
		});
	}

	/** The number of a guest of omp's. */
	async nextNumber(): Promise<number> {
		const number = await this.#attempt(() => this.#link.send("HINCRBY", [this.#keys.room, "number", "1"]));
		return typeof number === "number" ? number : 0x7fff_0000 + ++this.room.guestNumber;
	}

	/** There is something of this node's members to hand on. */
	flush(): void {
		this.#parts.onWritten(this);
	}

	write(): void {
		if (this.#flushing || this.#generation === "" || !this.#link.isUp) return;
		this.#flushing = this.#attempt(() => this.#flushAll()).finally(() => {
			this.#flushing = undefined;
		});
	}

	/** Messages of members reach the others before the news that a member has left. */
	async #flushed(): Promise<void> {
		await this.#flushing;
		this.write();
		await this.#flushing;
	}

	/** Redis is away: members on other nodes cannot be reached. */
	cut(): void {
		if (this.room.isSpread) this.#setCut(true);
	}

	/** Redis is there again, perhaps without the room: this node publishes again everything that it knows better. */
	async recover(): Promise<void> {
		await this.#attempt(async () => {
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
		const { room, guests, down, up } = this.#keys;
		await this.#attempt(() =>
			Promise.all(
				[room, guests, down, up].map((key) => this.#link.send("PEXPIRE", [key, String(this.#parts.ttlMs)])),
			),
		);
	}

	/** Whoever is not in Redis any more, after all nodes had time to say who is there, has left meanwhile. */
	async reconcile(): Promise<void> {
		const guests = await this.#attempt(() => this.#link.send("HKEYS", [this.#keys.guests]));
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
			await this.#leaveOf(peer, node);
		}
	}

	[Symbol.dispose](): void {
		if (this.#isDisposed) return;
		this.#isDisposed = true;
		this.#link.unsubscribe(this.#keys.channel);
		this.#parts.onDisposed(this);
	}

	#setCut(on: boolean): void {
		if (this.#isCut === on) return;
		this.#isCut = on;
		for (const member of this.room.members) member.notify({ t: "partition", on });
	}

	async #subscribe(): Promise<void> {
		await this.#link.subscribe(this.#keys.channel, (message) => this.#onMessage(message));
	}

	/** Redis being away is no failure: `recover` does what was missed. */
	async #attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
		try {
			return await action();
		} catch (error) {
			if (error instanceof RedisAway) return undefined;
			throw error;
		}
	}

	/** Who is in the room; false if Redis does not know it. */
	async #readFacts(): Promise<boolean> {
		const { room } = this;
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
			if (host !== "" && host !== this.#parts.node) {
				if (await this.#parts.isAlive(host)) room.setHostNode(host);
				else await this.#leaveHostOf(host);
			}
		}
		for (const [peer, value] of Object.entries(isRecord(guests) ? guests : {})) {
			const [node = "", link = ""] = String(value).split(" ");
			if (!(await this.#parts.isAlive(node))) await this.#leaveOf(peer, node);
			else if (node !== this.#parts.node && !room.guests.has(peer)) room.addElsewhere(peer, node, link);
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
	}

	async #flushAll(): Promise<void> {
		for (const direction of directions) {
			for (let batch = this.#nextBatch(direction); batch; batch = this.#nextBatch(direction)) {
				if (!(await this.#append(direction, batch))) return void (await this.recover());
				this.#unconfirmed[direction] = undefined;
				for (const [member, received] of batch.received) member.safe = received;
				this.#parts.onSafe(this.room);
			}
		}
	}

	/** False if Redis has lost the room. */
	async #append(direction: Direction, { payload }: Batch): Promise<boolean> {
		const { node, ttlMs, metrics } = this.#parts;
		const { room, channel } = this.#keys;
		const [cap, ttl] = [String(caps[direction]), String(ttlMs)];
		const args = [fields[direction], payload, cap, ttl, channel, node, this.#generation];
		const total = await this.#link.run(scripts.append, [room, this.#keys[direction]], args);
		metrics.add("redis_writes");
		return total !== -1;
	}

	#nextBatch(direction: Direction): Batch | undefined {
		const unconfirmed = this.#unconfirmed[direction];
		if (unconfirmed) return unconfirmed;
		const reader = this.#readers[direction];
		reader.skipDropped();
		const messages: Uint8Array[] = [];
		for (let bytes = 0; bytes < limits.redis.batchBytes;) {
			const entry = reader.next();
			if (!entry) break;
			messages.push(entry.bytes);
			bytes += entry.bytes.length;
		}
		const senders =
			direction === "up" ? [...this.room.guests.values()] : this.room.host ? [this.room.host] : [];
		const received = reader.isAtEnd ? senders.map((member) => [member, member.received] as const) : [];
		if (messages.length === 0) {
			for (const [member, count] of received) member.safe = count;
			return undefined;
		}
		const batch = { payload: packed(messages), received: new Map(received) };
		this.#unconfirmed[direction] = batch;
		return batch;
	}

	#onMessage(message: string): void {
		if (message.startsWith("f ")) this.#onBatch(message);
		else if (message.startsWith("n ")) {
			const [, node = ""] = message.split(" ", 2);
			if (node !== this.#parts.node) this.#onNote(node, JSON.parse(message.slice(node.length + 3)));
		}
	}

	/** `f <stream> <bytes before> <bytes with it> <node> <payload>`. */
	#onBatch(message: string): void {
		const [, field, before, total, node] = message.split(" ", 5);
		const direction = field === fields.down ? "down" : "up";
		const end = Number(total);
		if (end <= this.#seen[direction]) return;
		if (this.#isPulling[direction] || Number(before) > this.#seen[direction])
			return void this.#pull(direction);
		this.#seen[direction] = end;
		if (node !== this.#parts.node) this.#take(direction, message.slice(message.lastIndexOf(" ") + 1));
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
		const reply = await this.#attempt(() => this.#link.send("XRANGE", [this.#keys[direction], after, "+"]));
		for (const [id, values] of entriesOf(reply)) {
			this.#seen[direction] = Number.parseInt(id, 10);
			this.#take(direction, values[1] ?? "");
		}
	}

	#take(direction: Direction, payload: string): void {
		for (const bytes of unpacked(payload)) {
			const envelope = readHeader(bytes);
			if (envelope?.direction === direction) this.room.write(envelope, bytes, false);
		}
	}

	#onNote(node: string, note: unknown): void {
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
		const generation = await this.#attempt(() => this.#link.send("HGET", [this.#keys.room, "generation"]));
		if (typeof generation === "string" && generation !== this.#generation) await this.recover();
	}

	async #notify(note: object): Promise<void> {
		await this.#link.send("PUBLISH", [this.#keys.channel, `n ${this.#parts.node} ${JSON.stringify(note)}`]);
	}

	async #leaveOf(peer: string, node: string): Promise<void> {
		const { guests, channel } = this.#keys;
		await this.#attempt(() => this.#link.run(scripts.leave, [guests], [peer, node, channel]));
	}

	async #leaveHostOf(node: string): Promise<void> {
		const { room, channel } = this.#keys;
		await this.#attempt(() => this.#link.run(scripts.leaveAsHost, [room], [node, channel]));
	}
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

const lengthBytes = 4;

/** Messages as nodes hand them on: each with its length, in base64, because Bun's client reads replies as text. */
function packed(messages: readonly Uint8Array[]): string {
	const size = messages.reduce((sum, { length }) => sum + lengthBytes + length, 0);
	const bytes = Buffer.allocUnsafe(size);
	let at = 0;
	for (const message of messages) {
		bytes.writeUInt32BE(message.length, at);
		bytes.set(message, at + lengthBytes);
		at += lengthBytes + message.length;
	}
	return bytes.toString("base64");
}

function unpacked(text: string): Uint8Array[] {
	const bytes = Buffer.from(text, "base64");
	const messages: Uint8Array[] = [];
	for (let at = 0; at + lengthBytes <= bytes.length;) {
		const end = at + lengthBytes + bytes.readUInt32BE(at);
		if (end > bytes.length) break;
		messages.push(bytes.subarray(at + lengthBytes, end));
		at = end;
	}
	return messages;
}
