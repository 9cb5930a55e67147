/** Joins the nodes of a relay over one or more Redis servers, each with its share of the rooms. */
import { limits } from "../limits.ts";
import type { Metrics } from "../metrics.ts";
import type { Room } from "../room.ts";
import { RedisLink, unlessAway } from "./link.ts";
import { beat, channelOf } from "./scripts.ts";
import { nodesOf, RedisRoom, type RoomParts } from "./shared-room.ts";
import { Writer } from "./writer.ts";

const nodesKey = "tau:nodes";

export interface ExchangeOptions {
	readonly urls: readonly string[];
	readonly metrics: Metrics;
	readonly hostAwayMs: number;
	readonly log: (line: string) => void;
	readonly onSafe: (room: Room) => void;
}

/** One Redis, and the rooms that are in it. */
interface Shard {
	readonly link: RedisLink;
	readonly writer: Writer;
	/** By their names in Redis. */
	readonly rooms: Map<string, RedisRoom>;
	/** Nodes that were alive when last asked. */
	alive: ReadonlySet<string>;
	renewedAt: number;
	/** When this Redis was there again; until all nodes have said so too, none of them is taken for dead. */
	upAt: number;
	isReconciled: boolean;
}

export class RedisExchange implements AsyncDisposable {
	readonly #node = crypto.randomUUID();
	readonly #shards: Shard[];
	readonly #options: ExchangeOptions;
	readonly #ticking: Timer;
	/** Longer than members wait for their host, so that they end the room, and not Redis. */
	readonly #ttlMs: number;

	private constructor(options: ExchangeOptions) {
		this.#options = options;
		this.#ttlMs = options.hostAwayMs + 2 * limits.redis.renewMs;
		this.#shards = options.urls.map((url) => this.#shard(url));
		const ms = limits.redis.nodeMs / 3;
		this.#ticking = setInterval(() => void this.#tick(), ms);
	}

	/** Returns when each Redis was tried once: a relay starts without it, too. */
	static async connect(options: ExchangeOptions): Promise<RedisExchange> {
		const exchange = new RedisExchange(options);
		await Promise.all(exchange.#shards.map(({ link }) => link.connect()));
		return exchange;
	}

	/** Whether the other nodes can be reached. */
	get isUp(): boolean {
		return this.#shards.every(({ link }) => link.isUp);
	}

	/** Fills a room with what the other nodes know. Undefined: they know nothing; "away": they cannot be asked now. */
	async open(room: Room): Promise<RedisRoom | "away" | undefined> {
		const shard = this.#shardOf(room);
		if (!shard.link.isUp) return "away";
		const shared = this.#join(room, shard);
		const isKnown = await shared.load();
		if (isKnown) return shared;
		shared[Symbol.dispose]();
		return isKnown === undefined ? "away" : undefined;
	}

	/** A room that this node knows alone so far. */
	create(room: Room): RedisRoom {
		return this.#join(room, this.#shardOf(room));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#ticking);
		for (const { link, writer } of this.#shards) {
			writer[Symbol.dispose]();
			if (link.isUp) await link.send("ZREM", [nodesKey, this.#node]).catch(() => undefined);
			link[Symbol.dispose]();
		}
	}

	#shard(url: string): Shard {
		const { log, metrics } = this.#options;
		const rooms = new Map<string, RedisRoom>();
		const link = new RedisLink(url, channelOf(this.#node), {
			log,
			onMessage: (message) => this.#onMessage(shard, message),
			onUp: () => void this.#recover(shard),
			onDown: () => {
				metrics.add("redis_lost");
				for (const room of rooms.values()) room.cut();
			},
		});
		const times = { renewedAt: Date.now(), upAt: 0 };
		const writer = new Writer(link, metrics, [this.#node, String(this.#ttlMs)]);
		const shard: Shard = { link, writer, rooms, alive: new Set(), ...times, isReconciled: true };
		return shard;
	}

	/** `f` and lines `<room> <field> <bytes before> <bytes with it> <messages>`, or `n <node> <room> <note>`. */
	#onMessage(shard: Shard, message: string): void {
		if (message.startsWith("n ")) {
			const [, node = "", room = ""] = message.split(" ", 3);
			const note: unknown = JSON.parse(message.slice(node.length + room.length + 4));
			return this.#roomOf(shard, room)?.onNote(node, note);
		}
		for (const line of message.split("\n").slice(1)) {
			const [room = "", field = "", before, total, messages = ""] = line.split(" ");
			this.#roomOf(shard, room)?.onBatch(field, Number(before), Number(total), messages);
		}
	}

	/** A room that this node has forgotten does not concern it any more. */
	#roomOf(shard: Shard, name: string): RedisRoom | undefined {
		const room = shard.rooms.get(name);
		if (!room) shard.link.send("SREM", [nodesOf(name), this.#node]).catch(() => undefined);
		return room;
	}

	/** The same room is in the same Redis for every node that lists them in the same order. */
	#shardOf(room: Room): Shard {
		const hash = Bun.hash.crc32(room.key);
		return this.#shards[hash % this.#shards.length] as Shard;
	}

	#join(room: Room, shard: Shard): RedisRoom {
		const { metrics, onSafe } = this.#options;
		const parts: RoomParts = {
			node: this.#node,
			metrics,
			ttlMs: this.#ttlMs,
			writer: shard.writer,
			onSafe,
			onDisposed: ({ name }) => void shard.rooms.delete(name),
			isAlive: async (node) =>
				node === this.#node ||
				shard.alive.has(node) ||
				(await shard.link.send("ZSCORE", [nodesKey, node])) !== null,
		};
		const shared = new RedisRoom(room, shard.link, parts);
		shard.rooms.set(shared.name, shared);
		return shared;
	}

	async #recover(shard: Shard): Promise<void> {
		shard.upAt = Date.now();
		shard.isReconciled = false;
		await this.#tickShard(shard);
		const waiting = [...shard.rooms.values()];
		const work = async (): Promise<void> => {
			for (let room = waiting.pop(); room; room = waiting.pop()) await room.recover();
		};
		await Promise.all(Array.from({ length: limits.redis.recoverAtOnce }, work));
	}

	async #tick(): Promise<void> {
		await Promise.all(this.#shards.map((shard) => this.#tickShard(shard)));
	}

	/** Says that this node is alive, and looks which others are. */
	async #tickShard(shard: Shard): Promise<void> {
		if (!shard.link.isUp) return;
		await unlessAway(async () => {
			const nodes = await shard.link.run(beat, [nodesKey], [this.#node, String(limits.redis.nodeMs)]);
			await this.#compare(shard, new Set(Array.isArray(nodes) ? nodes.map(String) : []));
			if (Date.now() - shard.renewedAt < limits.redis.renewMs) return;
			shard.renewedAt = Date.now();
			for (const each of shard.rooms.values()) if (each.room.host) await each.renew();
		});
	}

	/** Members of nodes that have died are gone. */
	async #compare(shard: Shard, alive: ReadonlySet<string>): Promise<void> {
		if (Date.now() - shard.upAt < 2 * limits.redis.nodeMs) {
			shard.alive = new Set([...shard.alive, ...alive]);
			return;
		}
		const dead = [...shard.alive].filter((node) => !alive.has(node));
		shard.alive = alive;
		for (const node of dead) for (const room of shard.rooms.values()) await room.buryNode(node);
		if (shard.isReconciled) return;
		shard.isReconciled = true;
		for (const room of shard.rooms.values()) await room.reconcile();
	}
}
