/** Whatever a relay does to messages: a guest never takes a wrong one for right, and ends up with all of them. */
import { expect, test } from "bun:test";

import { samples } from "../../../../test/support/depth.ts";
import type { Cursor } from "../frames.ts";
import type { Connection } from "../transport.ts";
import { fromBase64url } from "./bytes.ts";
import { roomTransport } from "./guest.ts";
import { RoomHost } from "./host.ts";
import { attacks, HostileRelay } from "./hostile-relay.ts";
import { Invitations } from "./invitations.ts";
import { newIdentity } from "./keys.ts";
import type { RoomFault } from "./seal.ts";

/** A small generator with a seed, so that a failing run can be repeated. */
function random(seed: number): (bound: number) => number {
	let state = seed * 2_654_435_761 + 1;
	return (bound) => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return Math.abs(state) % bound;
	};
}

const line = (room: string, seq: number): string =>
	`{"epoch":"${room}","seq":${seq},"sessionId":"s","kind":"${seq === 0 ? "snapshot" : "event"}","body":{"n":"${room} ${seq}"}}`;

/** A host whose session is a row of numbered frames. */
class Shared {
	last = 0;
	readonly commands: string[] = [];
	host!: RoomHost;
	secret = "";
	room = "";
	readonly faults: RoomFault[] = [];

	/** Read each time. */
	get cursor(): Cursor {
		return { epoch: this.room, seq: this.last };
	}

	async open(relay: HostileRelay): Promise<void> {
		const { identity } = await newIdentity();
		const invitations = await Invitations.of(identity.id, []);
		this.secret = (await invitations.create({ name: "one", right: "prompt" })).secret;
		this.room = identity.id;
		this.host = new RoomHost({
			relay: "wss://relay.test",
			identity,
			invitations,
			epoch: 0,
			hostName: "host",
			connect: relay.connect,
			session: {
				cursor: () => this.cursor,
				admit: async () => true,
				join: (guest, onLines) => {
					const from = (cursor: Cursor | undefined): void => {
						const start = cursor?.epoch === this.room ? cursor.seq + 1 : 0;
						const lines = Array.from({ length: this.last - start + 1 }, (_, at) =>
							line(this.room, start + at),
						);
						if (lines.length > 0) void onLines(lines);
					};
					from(guest.from);
					return {
						take: (command) => void this.commands.push(String(command.id)),
						resume: from,
						[Symbol.dispose]() {},
					};
				},
			},
			events: {
				onState() {},
				onJoined() {},
				onLeft() {},
				onFault: (_, fault) => void this.faults.push(fault),
				onChange() {},
			},
		});
		await this.host.start();
	}

	say(): void {
		void this.host.broadcast([line(this.room, ++this.last)]);
	}
}

/** A guest as `RemoteSession` is one: it comes back by itself, with what it has. */
class Visitor {
	readonly lines: string[] = [];
	readonly faults: RoomFault[] = [];
	readonly #transport;
	connection: Connection | undefined;
	reconnects = -1;
	#giveUp = new AbortController();
	isOver = false;

	constructor(relay: HostileRelay, { room, secret }: Shared) {
		const link = { relay: "wss://relay.test", room, secret: fromBase64url(secret) ?? new Uint8Array(0) };
		this.#transport = roomTransport({
			link,
			connect: relay.connect,
			onFault: (fault) => void this.faults.push(fault),
		});
	}

	get have(): number {
		return this.lines.length === 0 ? -1 : Number(/"seq":(\d+)/.exec(this.lines.at(-1) ?? "")?.[1]);
	}

	join(room: string): void {
		this.reconnects++;
		this.#giveUp = new AbortController();
		const from = this.have < 0 ? {} : { from: { epoch: room, seq: this.have } };
		this.#transport
			.connect(
				{ client: { id: "the visitor", name: "Visitor", kinds: [] }, ...from },
				{
					signal: this.#giveUp.signal,
					onLine: (text) => void this.lines.push(text),
					onEnd: () => this.#again(room),
				},
			)
			.then(
				(connection) => (this.connection = connection),
				() => this.#again(room),
			);
	}

	/** An answer that was lost is not waited for as long as a user would. */
	giveUp(): void {
		if (!this.connection) this.#giveUp.abort();
	}

	#again(room: string): void {
		this.connection = undefined;
		if (!this.isOver) setTimeout(() => this.join(room), 0);
	}
}

/** Waits with a bound; the runs of the crypto library are threads of their own. */
async function until(holds: () => boolean, turns: number): Promise<boolean> {
	for (let turn = 0; turn < turns; turn++) {
		if (holds()) return true;
		await Bun.sleep(turn < 50 ? 0 : 2);
	}
	return holds();
}

async function run(seed: number, two: readonly [Shared, Shared], relay: HostileRelay): Promise<Visitor> {
	const next = random(seed);
	const [shared] = two;
	relay.pick = next;
	relay.choose = () => (next(100) < 20 ? attacks[next(attacks.length)] : undefined);
	const visitor = new Visitor(relay, shared);
	visitor.join(shared.room);
	for (let step = 0; step < 12; step++) {
		shared.say();
		two[1].say();
		void visitor.connection?.send({ id: `${seed}-${step}`, type: "prompt" });
		// Sealing works in other threads: on a busy machine nothing would have passed the relay yet.
		const before = relay.done.length;
		await until(() => visitor.have === shared.last || relay.done.length > before, 40);
		if (step % 4 === 3) visitor.giveUp();
	}
	// From now on it does its work.
	relay.calm();
	visitor.giveUp();
	for (let attempt = 0; attempt < 12 && visitor.have !== shared.last; attempt++) {
		visitor.connection?.probe?.();
		if (!(await until(() => visitor.have === shared.last, 90))) visitor.giveUp();
	}
	visitor.isOver = true;
	visitor.connection?.[Symbol.dispose]();
	return visitor;
}

/** A joiner gets all that was said, so that a room does not live for all runs. */
const runsOfRoom = 40;

async function attackedRun(
	seed: number,
	two: readonly [Shared, Shared],
	relay: HostileRelay,
): Promise<{ attacked: number; noticed: number }> {
	const before = relay.done.length;
	const commandsBefore = two[0].commands.length;
	const visitor = await run(seed, two, relay);
	// In order, without a gap, a repeat or a foreign line.
	const [first = ""] = visitor.lines;
	const start = Number(/"seq":(\d+)/.exec(first)?.[1]);
	const wanted = Array.from({ length: two[0].last - start + 1 }, (_, at) => line(two[0].room, start + at));
	expect({ seed, lines: visitor.lines }).toEqual({ seed, lines: wanted });
	// Each command at most once, in order, and only those of this guest.
	const commands = two[0].commands.slice(commandsBefore);
	expect({ seed, commands }).toEqual({
		seed,
		commands: [...new Set(commands)].filter((id) => id.startsWith(`${seed}-`)),
	});
	const wasNoticed = visitor.faults.length + visitor.reconnects > 0 || two[0].faults.length > 0;
	return { attacked: relay.done.length > before ? 1 : 0, noticed: wasNoticed ? 1 : 0 };
}

test("nothing that a hostile relay does is taken for the host's, and everything arrives once it stops", async () => {
	let attacked = 0;
	let noticed = 0;
	const all = samples(10_000, 60);
	for (let first = 1; first <= all; first += runsOfRoom) {
		const relay = await HostileRelay.create();
		const two = [new Shared(), new Shared()] as const;
		for (const shared of two) await shared.open(relay);
		for (let seed = first; seed < Math.min(first + runsOfRoom, all + 1); seed++) {
			const outcome = await attackedRun(seed, two, relay);
			attacked += outcome.attacked;
			noticed += outcome.noticed;
		}
		for (const { host } of two) await host.close("over", true);
	}
	expect(attacked).toBeGreaterThan(0);
	expect(noticed).toBeGreaterThan(attacked / 2);
}, 3_600_000);
