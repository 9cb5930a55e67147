/** Several nodes that share a Redis: members on different ones, killed nodes, a killed Redis. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";

import { samples } from "../../../test/support/depth.ts";
import { needs } from "../../../test/support/needs.ts";
import { TestGuest, TestHost } from "../../../test/support/relay/ends.ts";
import { TestNode } from "../../../test/support/relay/nodes.ts";
import { TestRedis } from "../../../test/support/relay/redis.ts";

// They wait for programs and servers: five seconds are too few on a busy machine.
setDefaultTimeout(60_000);

const test = needs("redis-server");

let redis: TestRedis;
let nodes: TestNode[];

beforeAll(async () => {
	if (Bun.which("redis-server") === null) return;
	redis = await TestRedis.start();
	nodes = await Promise.all(
		[1, 2, 3].map(() => TestNode.start({ TAU_RELAY_REDIS: redis.url, TAU_RELAY_DRAIN: "1" })),
	);
});

afterAll(async () => {
	for (const node of nodes ?? []) await node[Symbol.asyncDispose]();
	await redis?.[Symbol.asyncDispose]();
});

test("members of a room on three nodes hear each other", async () => {
	const urls = nodes.map(({ url }) => url);
	using host = await TestHost.create({ nodes: urls });
	host.connect();
	await host.joined();
	using near = await TestGuest.join(host.room, { nodes: urls, first: 0 });
	using far = await TestGuest.join(host.room, { nodes: urls, first: 1 });
	using farther = await TestGuest.join(host.room, { nodes: urls, first: 2 });
	const guests = [near, far, farther];
	for (const guest of guests) await guest.joined();
	for (let at = 0; at < 100; at++) host.broadcast(`all ${at}`);
	for (const guest of guests) {
		host.send(guest.peer, "yours");
		guest.prompt("mine");
	}
	for (const guest of guests) await guest.until(() => guest.received.length === 101, "all messages");
	await host.until(() => host.received.length === 3, "three prompts");
	await host.until(() => host.controls.filter(({ t }) => t === "peer-joined").length === 3, "three guests");
	for (const guest of guests) expect([...guest.gaps, ...guest.doubled]).toEqual([]);
	expect(new Set(host.received.map(({ peer }) => peer))).toEqual(new Set(guests.map(({ peer }) => peer)));
});

test("a host that starts anew on its node is heard on the others from its first message", async () => {
	const [first = "", second = ""] = nodes.map(({ url }) => url);
	using host = await TestHost.create({ nodes: [first] });
	host.connect();
	await host.joined();
	using near = await TestGuest.join(host.room, { nodes: [first] });
	using far = await TestGuest.join(host.room, { nodes: [second] });
	for (const guest of [near, far]) await guest.joined();
	for (let at = 0; at < 5; at++) host.broadcast(`old ${at}`);
	for (const guest of [near, far]) await guest.until(() => guest.received.length === 5, "the old life");
	using again = host.anew();
	again.connect();
	await again.joined();
	const ofStream = (guest: TestGuest) => guest.controls.some(({ stream }) => stream === again.stream);
	for (const guest of [near, far]) {
		await guest.until(() => ofStream(guest), "the new life");
		guest.forget();
	}
	for (let at = 0; at < 3; at++) again.broadcast(`new ${at}`);
	for (const guest of [near, far]) {
		await guest.until(() => guest.received.length === 3, "what the new life said");
		expect(guest.received.map(({ text }) => text)).toEqual(["new 0", "new 1", "new 2"]);
	}
});

test("rooms that talk at the same time travel to the other nodes together", async () => {
	const [first = "", second = ""] = nodes.map(({ url }) => url);
	await using all = new AsyncDisposableStack();
	const hosts = await Promise.all(
		Array.from({ length: 20 }, async () => all.use(await TestHost.create({ nodes: [first] }))),
	);
	for (const host of hosts) host.connect();
	for (const host of hosts) await host.joined();
	const guests = await Promise.all(
		hosts.map(async ({ room }) => all.use(await TestGuest.join(room, { nodes: [second] }))),
	);
	for (const guest of guests) await guest.joined();
	const before = await counter(first, "redis_writes");
	for (const host of hosts) for (let at = 0; at < 10; at++) host.broadcast(`word ${at}`);
	for (const guest of guests) await guest.until(() => guest.received.length === 10, "ten words");
	for (const guest of guests) expect([...guest.gaps, ...guest.doubled]).toEqual([]);
	// Each in a call of its own would be 200.
	expect((await counter(first, "redis_writes")) - before).toBeLessThan(60);
});

test("the last words of a room reach guests of another node before its end", async () => {
	const [first = "", second = ""] = nodes.map(({ url }) => url);
	for (let round = 0; round < 10; round++) {
		using host = await TestHost.create({ nodes: [first], once: true });
		host.connect();
		await host.joined();
		using guest = await TestGuest.join(host.room, { nodes: [second], once: true });
		await guest.joined();
		for (let at = 0; at < 50; at++) host.broadcast(`word ${at}`);
		host.broadcast("goodbye");
		host.control({ t: "close" });
		await guest.until(() => guest.closes.length === 1, "the end");
		expect(guest.received.at(-1)?.text).toBe("goodbye");
		expect(guest.gaps).toEqual([]);
	}
});

test("a guest whose link is revoked reads why before its connection is closed, on each node", async () => {
	const [first = "", second = ""] = nodes.map(({ url }) => url);
	for (let round = 0; round < 10; round++) {
		using host = await TestHost.create({ nodes: [first], once: true });
		host.connect();
		await host.joined();
		using near = await TestGuest.join(host.room, { nodes: [first], once: true });
		using far = await TestGuest.join(host.room, { nodes: [second], once: true });
		using kicked = await TestGuest.join(host.room, { nodes: [second], once: true, link: "kept" });
		for (const guest of [near, far, kicked]) {
			await guest.joined();
			for (let at = 0; at < 20; at++) host.send(guest.peer, `word ${at}`);
			host.send(guest.peer, "revoked");
		}
		host.control({ t: "kick", peer: kicked.peer });
		host.control({ t: "links", links: ["kept"] });
		for (const guest of [near, far, kicked]) {
			await guest.until(() => guest.closes.length === 1, "the end");
			expect(guest.closes[0]?.code).toBe(4003);
			expect(guest.received.at(-1)?.text).toBe("revoked");
		}
	}
});

async function counter(node: string, name: string): Promise<number> {
	const text = await (await fetch(`${node}/metrics`)).text();
	return Number(new RegExp(`^tau_relay_${name}_total (\\d+)$`, "m").exec(text)?.[1]);
}

/** A host and guests on all nodes, who send and count until they are stopped. */
class Load implements Disposable {
	readonly host: TestHost;
	readonly guests: TestGuest[];
	readonly #timer: Timer;
	sent = 0;

	private constructor(host: TestHost, guests: TestGuest[]) {
		this.host = host;
		this.guests = guests;
		this.#timer = setInterval(() => this.#send(), 5);
	}

	static async start(): Promise<Load> {
		const urls = nodes.map(({ url }) => url);
		const host = await TestHost.create({ nodes: urls });
		host.connect();
		await host.joined();
		const guests = await Promise.all(
			Array.from({ length: 6 }, (_, at) =>
				TestGuest.join(host.room, { nodes: urls, first: at % urls.length }),
			),
		);
		for (const guest of guests) await guest.joined();
		return new Load(host, guests);
	}

	/** Until this many more messages have been sent by the host. */
	async more(count: number): Promise<void> {
		const goal = this.sent + count;
		await this.host.until(() => this.sent >= goal, `${count} messages`);
	}

	/** Stops sending and waits until everybody has everything, once and in order. */
	async settle(): Promise<void> {
		clearInterval(this.#timer);
		const { host, guests, sent } = this;
		for (const guest of guests)
			await guest.until(() => guest.received.length >= sent, `all ${sent} messages`);
		await host.until(() => host.received.length >= sent * guests.length, "all prompts");
		for (const guest of guests) {
			expect({ gaps: guest.gaps, doubled: guest.doubled }).toEqual({ gaps: [], doubled: [] });
			expect(guest.received.map(({ text }) => text)).toEqual(
				Array.from({ length: sent }, (_, at) => `host ${at}`),
			);
		}
		expect({ gaps: host.gaps, doubled: host.doubled }).toEqual({ gaps: [], doubled: [] });
		expect(host.received).toHaveLength(sent * guests.length);
	}

	#send(): void {
		this.host.broadcast(`host ${this.sent}`);
		for (const guest of this.guests) guest.prompt(`guest ${this.sent}`);
		this.sent++;
	}

	[Symbol.dispose](): void {
		clearInterval(this.#timer);
		for (const end of [this.host, ...this.guests]) end.stop();
	}
}

test("nodes that are killed under load lose and double nothing", async () => {
	using load = await Load.start();
	await load.more(50);
	for (const node of nodes.slice(0, 2)) {
		await node.kill();
		await load.more(50);
		await node.restart();
		await load.more(20);
	}
	await load.settle();
});

test("a rolling restart loses and doubles nothing", async () => {
	using load = await Load.start();
	await load.more(20);
	for (const node of nodes) {
		await node.kill("SIGTERM");
		await node.restart();
		await load.more(20);
	}
	await load.settle();
	expect(load.host.controls.some(({ t }) => t === "move")).toBe(true);
});

test("a Redis that is killed under load and comes back empty loses and doubles nothing", async () => {
	using load = await Load.start();
	await load.more(50);
	await redis.kill();
	await load.more(50);
	await redis.run();
	await load.more(50);
	await load.settle();
});

/** Messages while Redis is away; with full depth for half a minute. */
const messages = samples(600, 80);
const paceMs = 50;

test("while Redis is away, a room on one node notices nothing, one on several is told and catches up", async () => {
	const urls = nodes.map(({ url }) => url);
	using host = await TestHost.create({ nodes: urls });
	host.connect();
	await host.joined();
	using near = await TestGuest.join(host.room, { nodes: urls, first: 0 });
	using far = await TestGuest.join(host.room, { nodes: urls, first: 1 });
	await Promise.all([near.joined(), far.joined()]);
	using alone = await TestHost.create({ nodes: urls, first: 2 });
	alone.connect();
	await alone.joined();
	using guest = await TestGuest.join(alone.room, { nodes: urls, first: 2 });
	await guest.joined();
	redis.pause();
	try {
		for (let sent = 1; sent <= messages; sent++) {
			for (const each of [host, alone]) each.broadcast(`message ${sent}`);
			guest.prompt(`prompt ${sent}`);
			await Promise.all(
				[near, guest, alone].map((each) => each.until(() => each.received.length === sent, `number ${sent}`)),
			);
			await Bun.sleep(paceMs);
		}
		await far.until(() => far.controls.some(({ t, on }) => t === "partition" && on === true), "the news");
		expect(far.received).toEqual([]);
	} finally {
		redis.resume();
	}
	await far.until(() => far.received.length === messages, "the messages of the meantime");
	await far.until(() => far.controls.findLast(({ t }) => t === "partition")?.on === false, "the end of it");
	expect(guest.controls.some(({ t }) => t === "partition")).toBe(false);
	expect([...far.gaps, ...far.doubled, ...near.gaps, ...near.doubled, ...guest.closes]).toEqual([]);
	expect([...guest.gaps, ...guest.doubled, ...alone.gaps, ...alone.doubled, ...alone.closes]).toEqual([]);
});

test("what members seal is nowhere in the log of a node, its counters or Redis, and nothing is left of a closed room", async () => {
	const [needle, word] = [crypto.randomUUID(), crypto.randomUUID()];
	const urls = nodes.map(({ url }) => url);
	using host = await TestHost.create({ nodes: urls, once: true });
	host.connect();
	await host.joined();
	using guest = await TestGuest.join(host.room, { nodes: urls, first: 1, link: word });
	await guest.joined();
	const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
	const sealed = await crypto.subtle.encrypt(
		{ name: "AES-GCM", iv: new Uint8Array(12) },
		key,
		new TextEncoder().encode(needle),
	);
	host.post("", new Uint8Array(sealed));
	await guest.until(() => guest.received.length === 1, "the message");
	const log = nodes.map((node) => node.log).join("");
	for (const each of [needle, word, host.room, guest.peer, "127.0.0.1"]) expect(log).not.toContain(each);
	const dump = JSON.stringify(await redis.command("XRANGE", `tau:{v1:${host.room}}:d`, "-", "+"));
	expect(dump).toContain("[");
	expect(dump).not.toContain(needle);
	// Nothing stays for good, also when all nodes are gone.
	for (const name of (await redis.command("KEYS", `*${host.room}*`)) as string[])
		expect({ name, expires: Number(await redis.command("PTTL", name)) > 0 }).toEqual({ name, expires: true });
	const metrics = await (await fetch(`${urls[0]}/metrics`)).text();
	for (const each of [needle, word, host.room, guest.peer]) expect(metrics).not.toContain(each);
	host.control({ t: "close" });
	await guest.until(() => guest.closes.length === 1, "the end");
	const deadline = Date.now() + 60_000;
	while (JSON.stringify(await redis.command("KEYS", `*${host.room}*`)) !== "[]" && Date.now() < deadline)
		await Bun.sleep(20);
	expect(await redis.command("KEYS", `*${host.room}*`)).toEqual([]);
});

needs("redis-server", "openssl")(
	"nodes share a Redis over TLS with a password, and do not trust one whose certificate they do not know",
	async () => {
		await using secure = await TestRedis.start({ isTls: true });
		const trusting = { TAU_RELAY_REDIS: secure.url, NODE_EXTRA_CA_CERTS: secure.certificate };
		await using first = await TestNode.start(trusting);
		await using second = await TestNode.start(trusting);
		await using stranger = await TestNode.start({ TAU_RELAY_REDIS: secure.url });
		using host = await TestHost.create({ nodes: [first.url] });
		host.connect();
		await host.joined();
		using guest = await TestGuest.join(host.room, { nodes: [second.url] });
		await guest.joined();
		host.broadcast("over TLS");
		guest.prompt("and back");
		await guest.until(() => guest.received.length === 1, "what the host said");
		await host.until(() => host.received.length === 1, "what the guest said");
		using lost = await TestGuest.join(host.room, { nodes: [stranger.url], once: true });
		await lost.until(() => lost.closes.length === 1, "that other nodes cannot be reached");
		expect(lost.closes[0]?.code).toBe(1013);
		expect(stranger.log).toContain("redis is away");
		// The password is nowhere in the log.
		expect(stranger.log).not.toContain(new URL(secure.url).password);
	},
	180_000,
);
