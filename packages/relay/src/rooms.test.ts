/** Rooms on one node: hosts, guests, cursors, links, and what nobody may do. */
import { afterAll, beforeAll, expect, setDefaultTimeout, setSystemTime, test } from "bun:test";
import { sealedInto } from "@tau/wire/envelope";

import { SlowGuest, TestGuest, TestHost, type EndOptions } from "../../../test/support/relay/ends.ts";
import { limits } from "./limits.ts";
import { LogReader, RoomLog } from "./room-log.ts";
import { startRelay, type Relay } from "./server.ts";

// They wait for programs and servers: five seconds are too few on a busy machine.
setDefaultTimeout(60_000);

let relay: Relay;
beforeAll(async () => {
	relay = await startRelay({ bind: "127.0.0.1:0" });
});
afterAll(async () => await relay[Symbol.asyncDispose]());

async function hosting(options: Partial<EndOptions> = {}): Promise<TestHost> {
	const host = await TestHost.create({ nodes: [relay.url], ...options });
	host.connect();
	await host.joined();
	return host;
}

async function joining(host: TestHost, options: Partial<EndOptions> = {}): Promise<TestGuest> {
	const guest = await TestGuest.join(host.room, { nodes: [relay.url], ...options });
	await guest.until(() => guest.isIn || guest.closes.length > 0, "a welcome or a refusal");
	return guest;
}

test("guests hear their host, and the host hears them", async () => {
	using host = await hosting();
	using ann = await joining(host);
	using bob = await joining(host);
	await host.until(() => host.controls.filter(({ t }) => t === "peer-joined").length === 2, "both guests");
	host.broadcast("to all");
	host.send(ann.peer, "to Ann");
	ann.prompt("from Ann");
	await ann.until(() => ann.received.length === 2, "two messages");
	await bob.until(() => bob.received.length === 1, "one message");
	await host.until(() => host.received.length === 1, "a prompt");
	expect(ann.received.map(({ text }) => text)).toEqual(["to all", "to Ann"]);
	expect(bob.received.map(({ text }) => text)).toEqual(["to all"]);
	expect(host.received).toEqual([{ peer: ann.peer, seq: 1, text: "from Ann" }]);
});

test("a guest that comes back gets what it missed, and nothing twice", async () => {
	using host = await hosting();
	using guest = await joining(host);
	host.broadcast("before");
	await guest.until(() => guest.received.length === 1, "the first message");
	guest.socket?.close();
	await host.until(() => host.controls.at(-1)?.t === "peer-left", "the guest to be gone");
	for (let at = 0; at < 50; at++) host.broadcast(`missed ${at}`);
	host.send(guest.peer, "missed too");
	await guest.until(() => guest.received.length === 52, "what it missed");
	expect([...guest.gaps, ...guest.doubled]).toEqual([]);
	expect(guest.controls.findLast(({ t }) => t === "welcome")).toMatchObject({ lost: false, host: true });
});

test("a guest that was away for too long is told that messages are lost", async () => {
	using host = await hosting();
	using guest = await joining(host, { once: true });
	host.broadcast("before");
	await guest.until(() => guest.received.length === 1, "the first message");
	guest.socket?.close();
	await guest.until(() => guest.closes.length === 1, "the close");
	for (let at = 0; at < 20; at++) host.post("", new Uint8Array(limits.frameBytes));
	await host.until(() => Number(host.controls.findLast(({ t }) => t === "ack")?.n) === 21, "acknowledgement");
	guest.connect();
	await guest.joined();
	expect(guest.controls.at(-1)).toMatchObject({ t: "welcome", lost: true, all: 21 });
	host.broadcast("after");
	await guest.until(() => guest.received.length === 2, "what comes next");
});

test("a room waits for its host, whose guests are told, and who gets their prompts afterwards", async () => {
	using host = await hosting();
	using guest = await joining(host);
	guest.prompt("before");
	await host.until(() => host.received.length === 1, "a prompt");
	host.socket?.close();
	await guest.until(
		() => guest.controls.some(({ t, present }) => t === "host" && present === false),
		"the absence",
	);
	guest.prompt("meanwhile");
	await host.until(() => host.received.length === 2, "the prompt of the meantime");
	expect(guest.controls.at(-1)).toMatchObject({ t: "host", present: true });
	expect([...host.gaps, ...host.doubled]).toEqual([]);
});

test("a room without its host ends after its time, with its messages", async () => {
	await using brief = await startRelay({ bind: "127.0.0.1:0", hostAwayMs: 0 });
	using host = await TestHost.create({ nodes: [brief.url], once: true });
	host.connect();
	await host.joined();
	using guest = await TestGuest.join(host.room, { nodes: [brief.url], once: true });
	await guest.joined();
	host.stop();
	await guest.until(() => guest.closes.length === 1, "the end");
	expect(guest.closes).toEqual([{ code: 4001, reason: "room closed" }]);
	expect(guest.controls.at(-1)).toEqual({ t: "room-closed" });
	// A relay looks every five seconds.
});

test("a room in which nothing was said for a day ends, also while its host is there", async () => {
	using quiet = await hosting({ once: true });
	using guest = await joining(quiet, { once: true });
	using busy = await hosting();
	setSystemTime(Date.now() + limits.idleRoomMs + 1000);
	try {
		busy.broadcast("still here");
		await guest.until(() => guest.closes.length === 1, "the end");
		expect(guest.closes[0]?.code).toBe(4001);
		expect(busy.isIn).toBe(true);
	} finally {
		setSystemTime();
	}
});

test("a new process of the host starts its room anew", async () => {
	using host = await hosting({ once: true });
	using guest = await joining(host);
	host.broadcast("old");
	await guest.until(() => guest.received.length === 1, "the first message");
	using again = host.anew();
	again.connect();
	await again.joined();
	await host.until(() => host.closes.length === 1, "the old connection to end");
	expect(host.closes[0]?.code).toBe(4010);
	await guest.until(
		() => guest.controls.some(({ t, stream }) => t === "host" && stream === again.stream),
		"the news",
	);
	using late = await joining(again);
	again.broadcast("new");
	await late.until(() => late.received.length === 1, "the new message");
	expect(late.received[0]).toEqual({ peer: "", seq: 1, text: "new" });
	// The old process does not take the room back.
	host.connect();
	await host.until(() => host.closes.length === 2, "a refusal");
	expect(host.closes[1]?.code).toBe(4009);
});

test("only the owner of the key opens a room", async () => {
	using host = await hosting();
	const thief = await TestHost.create({ nodes: [relay.url], once: true });
	using impostor = new (class extends TestHost {
		constructor() {
			super(host.room, thief.keys, { nodes: [relay.url], once: true });
		}
	})();
	impostor.connect();
	await impostor.until(() => impostor.closes.length === 1, "a refusal");
	expect(impostor.closes[0]?.code).toBe(4009);
	expect(host.isIn).toBe(true);
});

test("a revoked link is closed and refused, others stay", async () => {
	using host = await hosting({ links: ["ann", "bob"] });
	using ann = await joining(host, { link: "ann" });
	using bob = await joining(host, { link: "bob" });
	using eve = await joining(host, { link: "eve" });
	expect(eve.closes[0]?.code).toBe(4003);
	host.control({ t: "links", links: ["bob"] });
	await ann.until(() => ann.closes.length === 1, "the revocation");
	expect(ann.closes[0]?.code).toBe(4003);
	using again = await joining(host, { link: "ann" });
	expect(again.closes[0]?.code).toBe(4003);
	host.control({ t: "kick", peer: bob.peer });
	await bob.until(() => bob.closes.length === 1, "the kick");
	expect(bob.closes[0]?.code).toBe(4003);
});

test("64 guests fit, and the next is told that the room is full", async () => {
	using host = await hosting();
	using owned = new DisposableStack();
	const guests = await Promise.all(
		Array.from({ length: limits.guests }, async () => owned.use(await joining(host))),
	);
	using late = await joining(host);
	expect(late.closes).toEqual([{ code: 4029, reason: "room is full" }]);
	for (let at = 0; at < 20; at++) host.broadcast(`message ${at}`);
	for (const guest of guests) await guest.until(() => guest.received.length === 20, "all messages");
	// One that comes back has its place.
	guests[0]?.socket?.close();
	await guests[0]?.until(() => guests[0]?.welcomes === 2, "the return");
});

test("a room that its host closes is gone for everybody", async () => {
	using host = await hosting();
	using guest = await joining(host);
	host.control({ t: "close" });
	await guest.until(() => guest.closes.length === 1, "the end");
	expect(guest.closes[0]?.code).toBe(4001);
	using late = await joining(host, { once: true });
	expect(late.closes[0]?.code).toBe(4004);
});

const malformed: [
	what: string,
	code: number,
	message: (guest: TestGuest) => string | Uint8Array<ArrayBuffer>,
][] = [
	["text that is no JSON", 4400, () => "{"],
	["JSON that is no object", 4400, () => "[1]"],
	["a huge control message", 4400, () => JSON.stringify({ t: "x".repeat(limits.controlBytes) })],
	["a message without a header", 4400, () => new Uint8Array(5)],
	["another version", 4400, () => new Uint8Array(40).fill(9)],
	[
		"a message in another guest's name",
		4400,
		({ stream }) => message({ stream, peer: "AAAAAAAAAAE", seq: 1 }),
	],
	[
		"a message in the host's name",
		4400,
		({ stream }) => message({ direction: "down", stream, peer: "", seq: 1 }),
	],
	[
		"a message that is too large",
		4013,
		({ stream, peer }) => message({ stream, peer, seq: 1 }, limits.frameBytes + 1),
	],
];

function message(
	envelope: { direction?: "down"; stream: number; peer: string; seq: number },
	size = 1,
): Uint8Array<ArrayBuffer> {
	return sealedInto({ direction: "up", ...envelope }, new Uint8Array(size));
}

test.each(malformed)("%s ends the connection with %d, and nobody else's", async (_, code, make) => {
	using host = await hosting();
	using guest = await joining(host, { once: true });
	using other = await joining(host);
	guest.socket?.send(make(guest));
	await guest.until(() => guest.closes.length === 1, "the refusal");
	expect(guest.closes[0]?.code).toBe(code);
	host.broadcast("still here");
	await other.until(() => other.received.length === 1, "a message");
	expect(host.received).toEqual([]);
});

test("a guest that floods is told to slow down, then closed; the host hears the others", async () => {
	using host = await hosting();
	using flood = await joining(host, { once: true });
	using other = await joining(host);
	const payload = new Uint8Array(limits.frameBytes);
	for (let at = 0; at < 40; at++) flood.post(flood.peer, payload);
	await flood.until(() => flood.closes.length === 1, "the end");
	expect(flood.closes[0]?.code).toBe(4008);
	expect(flood.controls.some(({ t }) => t === "slow")).toBe(true);
	other.prompt("hello");
	await host.until(() => host.received.some(({ peer }) => peer === other.peer), "the other guest");
});

test("a guest that reads slowly begins anew where the others are, and holds nobody up", async () => {
	using host = await hosting();
	await using slow = await SlowGuest.join(relay.url, host.room);
	using other = await joining(host);
	const payload = new Uint8Array(limits.frameBytes);
	for (let at = 0; at < 80; at++) {
		host.post("", payload);
		// The host waits for its allowance, as a real one would.
		if (at % 8 === 7) await other.until(() => other.received.length === at + 1, "the messages so far");
	}
	expect([...other.gaps, ...other.doubled]).toEqual([]);
	slow.readOn();
	const [, all = "0"] = await slow.until(/"t":"resync","all":(\d+),"own":0/);
	expect(Number(all)).toBeGreaterThan(10);
	host.broadcast("the last one");
	await slow.until(/the last one/);
});

test("messages of a few bytes do not fill the memory: what is kept counts with what it takes", () => {
	const log = new RoomLog(limits.downBytes);
	const bytes = new Uint8Array(20);
	for (let seq = 1; seq <= 3 * limits.entries; seq++)
		log.append({ direction: "down", stream: 1, peer: "", seq }, bytes, true);
	expect([log.end - log.start, log.bytes]).toEqual([limits.entries, limits.entries * 20]);
	expect(log.cost).toBe(limits.entries * (20 + limits.entryBytes));
	log.forget();
	expect(log.cost).toBe(0);
});

test("regression: who has read more than this node knows gets nothing twice when the rest arrives", () => {
	const log = new RoomLog(limits.downBytes);
	const reader = new LogReader(log, "guest");
	expect(reader.resume(new Map([["", 3]]))).toEqual([]);
	const append = (seq: number): boolean =>
		log.append({ direction: "down", stream: 1, peer: "", seq }, new Uint8Array(20), false);
	for (const seq of [1, 2]) append(seq);
	expect(reader.next()).toBeUndefined();
	for (const seq of [3, 4]) append(seq);
	expect([reader.next()?.seq, reader.next()]).toEqual([4, undefined]);
});
