/** A relay is blind: what is said in a room is nowhere in its memory, its traffic or its log. */
import { expect } from "bun:test";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";

import { newOmpRoom, OmpHost, ompTransport } from "@tau/wire/omp";
import {
	Invitations,
	newIdentity,
	readLink,
	RoomHost,
	roomTransport,
	webSocketRelay,
	type ConnectRelay,
} from "@tau/wire/room";

import { needs } from "../support/needs.ts";
import { TestNode } from "../support/relay/nodes.ts";

/** Only it may read the memory of another process everywhere. */
const test = needs("root");

/** What passes in both directions, as the relay's end of the socket sees it. */
class Tap {
	readonly #parts: Uint8Array[] = [];

	readonly over =
		(connect: ConnectRelay): ConnectRelay =>
		(relay, room, role, events) => {
			const connection = connect(relay, room, role, {
				...events,
				onOpen: () => events.onOpen(),
				onMessage: (bytes) => {
					this.#parts.push(bytes.slice());
					events.onMessage(bytes);
				},
				onControl: (control) => {
					this.#parts.push(Buffer.from(JSON.stringify(control)));
					events.onControl(control);
				},
				onEnd: (end) => events.onEnd(end),
			});
			return {
				send: (bytes) => {
					this.#parts.push(bytes.slice());
					return connection.send(bytes);
				},
				control: (control) => {
					this.#parts.push(Buffer.from(JSON.stringify(control)));
					connection.control(control);
				},
				[Symbol.dispose]: () => connection[Symbol.dispose](),
			};
		};

	get traffic(): Buffer {
		return Buffer.concat(this.#parts);
	}
}

const pageBytes = 4096;
const pagesAtOnce = 1024;

/** Searches every writable page of a process that is there: its heap, its stacks, its buffers. */
function memoryHas(pid: number, needles: Readonly<Record<string, Uint8Array>>): string[] {
	const found = new Set<string>();
	const memory = openSync(`/proc/${pid}/mem`, "r");
	const pages = openSync(`/proc/${pid}/pagemap`, "r");
	try {
		for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
			const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
			if (from === undefined || to === undefined) continue;
			for (const part of present(memory, pages, Number.parseInt(from, 16), Number.parseInt(to, 16)))
				for (const [name, bytes] of Object.entries(needles)) if (part.includes(bytes)) found.add(name);
		}
	} finally {
		closeSync(memory);
		closeSync(pages);
	}
	return [...found].toSorted();
}

/** The runs of pages that are there: most of what an engine reserves is not. */
function* present(memory: number, pages: number, from: number, to: number): Generator<Buffer> {
	const step = 64 * pagesAtOnce;
	const entries = Buffer.alloc(step * 8);
	for (let at = from; at < to; at += step * pageBytes) {
		const count = Math.min(step, (to - at) / pageBytes);
		const read = readAt(pages, entries, (at / pageBytes) * 8, count * 8) / 8;
		const isThere = (page: number): boolean => page < read && (entries[page * 8 + 7] ?? 0) >= 0x40;
		for (let page = 0; page < read; page++) {
			if (!isThere(page)) continue;
			let end = page;
			while (isThere(end) && end - page < pagesAtOnce) end++;
			const run = Buffer.alloc((end - page) * pageBytes);
			yield run.subarray(0, readAt(memory, run, at + page * pageBytes, run.length));
			page = end - 1;
		}
	}
}

/** What is not there any more has nothing. */
function readAt(file: number, into: Buffer, position: number, length: number): number {
	try {
		return readSync(file, into, 0, length, position);
	} catch {
		return 0;
	}
}

const said = {
	toAll: "needle-that-the-host-tells-everybody-7f3a",
	toOne: "needle-in-the-snapshot-of-one-guest-91bc",
	prompt: "needle-in-the-prompt-of-a-guest-55de",
	toOmp: "needle-for-a-guest-of-omp-c04d",
	ofOmp: "needle-of-a-guest-of-omp-8e21",
} as const;

const line = (seq: number, kind: string, text: string): string =>
	JSON.stringify({ epoch: "e", seq, sessionId: "s", kind, body: { text } });

test("what is said in a room is nowhere in the memory, the traffic or the log of its relay", async () => {
	await using node = await TestNode.start();
	const relay = node.url.replace("http", "ws");
	const tap = new Tap();
	const received: string[] = [];
	const until = async (isTrue: () => boolean): Promise<void> => {
		const deadline = Date.now() + 60_000;
		while (!isTrue()) {
			if (Date.now() > deadline) throw new Error(`not received: ${JSON.stringify(received)}`);
			await Bun.sleep(5);
		}
	};
	const { identity } = await newIdentity();
	const invitations = await Invitations.of(identity.id, []);
	const { secret } = await invitations.create({ name: "one", right: "prompt" });
	let seq = 1;
	const host = new RoomHost({
		relay,
		identity,
		invitations,
		epoch: 0,
		hostName: "host",
		connect: tap.over(webSocketRelay),
		session: {
			cursor: () => ({ epoch: "e", seq }),
			admit: async () => true,
			join(_, onLines) {
				void onLines([line(1, "snapshot", said.toOne)]);
				return {
					take: (command) => void received.push(JSON.stringify(command)),
					resume() {},
					[Symbol.dispose]() {},
				};
			},
		},
		events: { onState() {}, onJoined() {}, onLeft() {}, onFault() {}, onChange() {} },
	});
	await host.start();
	const guest = await roomTransport({
		link: readLink(`${relay}/r/${identity.id}#${secret}`, undefined),
		connect: tap.over(webSocketRelay),
	}).connect(
		{ client: { id: "g", name: "Guest", kinds: [] } },
		{ signal: undefined, onLine: (text) => void received.push(text), onEnd() {} },
	);
	await until(() => received.some((each) => each.includes(said.toOne)));
	seq = 2;
	void host.broadcast([line(2, "event", said.toAll)]);
	void guest.send({ id: "1", type: "prompt", message: said.prompt });
	await until(
		() =>
			received.some((each) => each.includes(said.toAll)) &&
			received.some((each) => each.includes(said.prompt)),
	);

	const omp = await ompEnds(relay, received);
	await until(() => received.some((each) => each.includes(said.ofOmp)));

	const needles = Object.fromEntries(
		Object.entries({ ...said, secret, ompKey: omp.key }).map(([name, text]) => [name, Buffer.from(text)]),
	);
	// It does know which rooms there are: this shows that a needle would be found.
	expect(memoryHas(node.pid, { ...needles, room: Buffer.from(identity.id) })).toEqual(["room"]);
	for (const [name, bytes] of Object.entries(needles))
		expect({ name, isSent: tap.traffic.includes(bytes) }).toEqual({ name, isSent: false });
	expect(tap.traffic.length).toBeGreaterThan(500);
	for (const text of [...Object.values(said), secret, omp.key, identity.id])
		expect(node.log).not.toContain(text);
	guest[Symbol.dispose]();
	await omp.host.close("over");
	await host.close("over", true);
});

/** A host and a guest of omp's dialect on the same relay. */
async function ompEnds(relay: string, received: string[]): Promise<{ host: OmpHost; key: string }> {
	const keys = newOmpRoom();
	const host = new OmpHost({
		relay,
		keys,
		hostName: said.toOmp,
		session: {
			admit: async () => true,
			join: () => ({
				take: (each) => void received.push(JSON.stringify(each)),
				resume() {},
				[Symbol.dispose]() {},
			}),
		},
		events: { onState() {}, onJoined() {}, onLeft() {} },
	});
	await host.start();
	const { room, secret } = keys;
	const joining = ompTransport({ link: { relay, room, secret } }).connect(
		{ client: { id: "o", name: said.ofOmp, kinds: [] } },
		{ signal: undefined, onLine() {}, onEnd() {} },
	);
	joining.catch(() => {});
	const deadline = Date.now() + 60_000;
	while (host.guests.length === 0 && Date.now() < deadline) await Bun.sleep(5);
	received.push(host.guests[0]?.name ?? "nobody");
	return { host, key: secret.toBase64({ alphabet: "base64url", omitPadding: true }) };
}
